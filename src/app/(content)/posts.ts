import 'server-only'
import { isDeepStrictEqual } from 'node:util'
import { and, eq, inArray } from 'drizzle-orm'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { type Allow, authorize, isAllowed } from '@/core/auth/policy'
import { type LockedMember, transactionAs } from '@/core/auth/transaction-as'
import type { Transaction } from '@/core/db/client'
import { ofScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { type LockedPost, lockPost, type PostChange, updatePost } from './lock-post'
import { prepareCode } from './markdown'
import { can, type Writer } from './policy'
import type { PostText } from './post-text'
import { clearedSchedule, publish, schedule } from './publish'
import { requirePostsEnabled } from './require-posts'
import { closeRevisions, readRevision, writeText } from './revisions'
import { posts, published, revisions } from './schema'

export async function createPost(actor: Writer, title: string): Promise<string> {
  requirePostsEnabled(actor)
  const id = crypto.randomUUID()
  await transactionAs(actor, can('posts.write'), async (tx) => {
    await tx.insert(posts).values({ id, authorId: actor.id, title })
    await tx
      .insert(revisions)
      .values({ postId: id, number: 1, authorId: actor.id, title, slug: '', summary: '', body: '', tags: [] })
    await recordAuditEvent(tx, 'post.created', { actorId: actor.id, details: { post: id } })
  })
  return id
}

export const steps = ['save', 'publish', 'schedule'] as const

export interface SaveInput {
  id: string
  /** The version that the edit is based on. */
  version: number
  text: PostText
  /** After a conflict: which text becomes the draft. The other one is stored as a revision. */
  resolve?: 'mine' | 'theirs' | undefined
  step?: (typeof steps)[number] | undefined
  /** Required for the step `schedule`. */
  at?: Date | undefined
}

export interface SaveResult {
  version: number
  number: number
  savedAt: string
  /** Whether the heading of the page has changed: the title, or the number of the version. */
  isHeadingChanged: boolean
}

/** Saves a text if `version` is current, and publishes or schedules it as `step` says. */
export async function savePost(
  writer: Writer,
  { id, version, text, resolve, step = 'save', at }: SaveInput,
): Promise<SaveResult> {
  if (step === 'publish') await prepareCode([text.body])
  return transactionAs(writer, can('posts.write'), async (tx, actor) => {
    const post = await lockPost(tx, id, actor)
    const { coverId, ...currentText } = await readRevision(tx, id, post.draft)
    // Identical text is no conflict: it may be a retry of a save whose response was lost.
    const isSame = isDeepStrictEqual(currentText, { ...text })
    if (version !== post.version && !isSame && !resolve)
      throw new AppError(
        'conflict',
        'This post was edited elsewhere. Choose which draft to keep. Both stay in the version history.',
      )
    const content = { ...text, coverId }
    if (resolve === 'theirs') {
      const asideNumber = isSame
        ? post.draft
        : await writeText(tx, post, actor, content, { isNew: true, isAside: true })
      const after = await updatePost(tx, post, {})
      return {
        version: after.version,
        number: asideNumber,
        savedAt: after.updatedAt.toISOString(),
        isHeadingChanged: true,
      }
    }
    const number = isSame ? post.draft : await writeText(tx, post, actor, content, { isNew: resolve === 'mine' })
    if (!isSame) await closeRevisions(tx, id, number)
    const { isTextChanged = false, ...set } = await takeStep(tx, post.id, number, actor, { step, at })
    const after = await updatePost(tx, post, {
      draft: number,
      title: text.title,
      ...set,
      isTextChanged: isTextChanged || !isSame,
    })
    return {
      version: after.version,
      number,
      savedAt: after.updatedAt.toISOString(),
      isHeadingChanged: number !== post.draft || text.title !== post.title,
    }
  })
}

/** Publishes or schedules a revision, as the step says. Returns the changes of the post. */
async function takeStep(
  tx: Transaction,
  id: string,
  number: number,
  actor: LockedMember,
  { step, at }: Pick<SaveInput, 'step' | 'at'>,
): Promise<PostChange & { isTextChanged?: boolean }> {
  if (step === 'publish') return publish(tx, id, number, authorize(actor, can('posts.publish')))
  if (step === 'schedule') return schedule(tx, id, number, actor, at)
  return {}
}

/** Changes a locked post without a version check, for changes that do not depend on its text. */
function changePost(
  writer: Writer,
  allow: Allow<'scope or app'>,
  id: string,
  work: (tx: Transaction, post: LockedPost) => Promise<Parameters<typeof updatePost>[2]>,
): Promise<void> {
  return transactionAs(writer, allow, async (tx, actor) => {
    const post = await lockPost(tx, id, actor)
    await updatePost(tx, post, await work(tx, post))
  })
}

export const unschedulePost = (actor: Writer, id: string) =>
  changePost(actor, can('posts.publish'), id, async (tx, post) => {
    if (post.scheduled !== null)
      await recordAuditEvent(tx, 'post.unscheduled', { actorId: actor.id, details: { post: id } })
    return clearedSchedule(tx, id)
  })

export const unpublishPost = (actor: Writer, id: string) =>
  changePost(actor, can('posts.publish'), id, (tx, post) => unpublish(tx, post, actor))

/** Removes the post from the public pages. Its slugs stay reserved. Returns the changes of the post. */
export async function unpublish(tx: Transaction, { id, scheduled }: LockedPost, actor: Writer): Promise<PostChange> {
  const { rowCount } = await tx.delete(published).where(eq(published.postId, id))
  if (rowCount) await recordAuditEvent(tx, 'post.unpublished', { actorId: actor.id, details: { post: id } })
  return { status: scheduled === null ? 'draft' : 'scheduled' }
}

/** Copies an old revision to a new one, which becomes the draft. */
export const restoreRevision = (actor: Writer, id: string, number: number) =>
  changePost(actor, can('posts.write'), id, async (tx, post) => {
    const content = await readRevision(tx, id, number)
    const draft = await writeText(tx, post, actor, content, { isNew: true, restoredFrom: number })
    await closeRevisions(tx, id, draft)
    return { draft, title: content.title, isTextChanged: true }
  })

export const changeCover = (actor: Writer, id: string, makeCover: (tx: Transaction) => Promise<string | null>) =>
  changePost(actor, can('posts.write'), id, async (tx, post) => {
    const content = await readRevision(tx, id, post.draft)
    const draft = await writeText(tx, post, actor, { ...content, coverId: await makeCover(tx) })
    await closeRevisions(tx, id, draft)
    return { draft }
  })

/** Deletes the post and all its revisions. */
export function deletePost(writer: Writer, id: string): Promise<void> {
  return transactionAs(writer, can('posts.delete'), async (tx, actor) => {
    await lockPost(tx, id, actor, can('posts.delete_others'))
    await remove(tx, [id], actor)
  })
}

/** Deletes locked posts with all their revisions. */
export async function remove(tx: Transaction, ids: string[], actor: Writer): Promise<void> {
  // First, because the published row has a foreign key to a revision.
  await tx.delete(published).where(inArray(published.postId, ids))
  await tx.delete(posts).where(and(ofScope(posts.scopeId), inArray(posts.id, ids)))
  await recordAuditEvent(tx, 'post.deleted', ...ids.map((id) => ({ actorId: actor.id, details: { post: id } })))
}

/** Whether to show the delete button. `deletePost` checks the permission again. */
export const mayDelete = (actor: Writer, authorId: string | null) =>
  isAllowed(actor.role, can('posts.delete')) &&
  (authorId === actor.id || isAllowed(actor.role, can('posts.delete_others')))
