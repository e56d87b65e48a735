import 'server-only'
import { isDeepStrictEqual } from 'node:util'
import { and, eq, gt, lt, max, ne, sql } from 'drizzle-orm'
import { z } from 'zod'
import { record } from '@/core/audit/record'
import { authorize, isAllowed } from '@/core/auth/policy'
import { db, type Transaction } from '@/core/db/client'
import { AppError } from '@/core/errors'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { env } from './env'
import { beginningOf, toHtml } from './markdown'
import { can, type Writer } from './policy'
import { posts, published, revisions, type Status, slugs, tags, textColumns } from './schema'
import { slugOf, type Text } from './text'

/** Whoever writes goes on in the same revision for so long; then another one begins. */
const sitting = sql`interval '10 minutes'`

const furthest = 10 * 365 * 24 * 60 * 60 * 1_000

/** The post, kept from everybody else until the transaction is over. */
async function readPost(tx: Transaction, id: string) {
  const [post] = await tx
    .select({
      id: posts.id,
      authorId: posts.authorId,
      version: posts.version,
      draft: posts.draft,
      scheduled: posts.scheduled,
      scheduledAt: posts.scheduledAt,
    })
    .from(posts)
    .where(eq(posts.id, id))
    .for('update')
  return post
}
type Locked = NonNullable<Awaited<ReturnType<typeof readPost>>>

/** The same for somebody: refused to whoever may not touch it. */
async function lockPost(tx: Transaction, id: string, actor: Writer, others = can('posts.write_others')) {
  const post = await readPost(tx, id)
  if (!post) throw new AppError('not_found')
  if (post.authorId !== actor.id) authorize(actor, others)
  return post
}

async function readRevision(tx: Transaction, postId: string, number: number) {
  const [revision] = await tx
    .select(textColumns)
    .from(revisions)
    .where(and(eq(revisions.postId, postId), eq(revisions.number, number)))
  if (!revision) throw new AppError('not_found')
  return revision
}

type Content = Text & { coverId: string | null }

/** The newest text of the post from now on. It goes into the open revision when that is the same person's, and of now. */
async function writeText(
  tx: Transaction,
  post: Locked,
  actor: Writer,
  content: Content,
  more: { isNew?: boolean; isAside?: boolean; restoredFrom?: number } = {},
): Promise<number> {
  if (!more.isNew) {
    const [open] = await tx
      .update(revisions)
      .set({ ...content, restoredFrom: null, updatedAt: sql`now()` })
      .where(
        and(
          eq(revisions.postId, post.id),
          eq(revisions.number, post.draft),
          eq(revisions.authorId, actor.id),
          eq(revisions.isOpen, true),
          gt(revisions.createdAt, sql`now() - ${sitting}`),
        ),
      )
      .returning({ number: revisions.number })
    if (open) return open.number
  }
  const [last] = await tx
    .select({ number: max(revisions.number) })
    .from(revisions)
    .where(eq(revisions.postId, post.id))
  const number = (last?.number ?? 0) + 1
  const { isAside = false, restoredFrom } = more
  await tx
    .insert(revisions)
    .values({ ...content, postId: post.id, number, authorId: actor.id, isAside, isOpen: !isAside, restoredFrom })
  return number
}

/** Nobody writes in it any more. */
async function close(tx: Transaction, postId: string, except?: number): Promise<void> {
  await tx
    .update(revisions)
    .set({ isOpen: false })
    .where(
      and(
        eq(revisions.postId, postId),
        eq(revisions.isOpen, true),
        except === undefined ? undefined : ne(revisions.number, except),
      ),
    )
}

type Change = Partial<typeof posts.$inferInsert>

/** What every change of a post ends with. Its version tells whether its text is still the one that somebody has seen. */
async function touch(
  tx: Transaction,
  post: Locked,
  { isOtherText = false, ...set }: Change & { isOtherText?: boolean },
) {
  const [after] = await tx
    .update(posts)
    .set({ ...set, version: post.version + (isOtherText ? 1 : 0), updatedAt: sql`now()` })
    .where(eq(posts.id, post.id))
    .returning({ version: posts.version, updatedAt: posts.updatedAt })
  if (!after) throw new AppError('not_found')
  return after
}

/** Draft, scheduled or published, from what is true. */
async function statusOf(tx: Transaction, postId: string, isScheduled: boolean): Promise<Status> {
  const [row] = await tx.select({ number: published.number }).from(published).where(eq(published.postId, postId))
  return row ? 'published' : isScheduled ? 'scheduled' : 'draft'
}

export async function createPost(actor: Writer, title: string): Promise<string> {
  const id = crypto.randomUUID()
  await db.transaction(async (tx) => {
    await tx.insert(posts).values({ id, authorId: actor.id, title })
    await tx
      .insert(revisions)
      .values({ postId: id, number: 1, authorId: actor.id, title, slug: '', summary: '', body: '', tags: [] })
    await record(tx, 'post.created', { actorId: actor.id, details: { post: id } })
  })
  return id
}

export const steps = ['save', 'publish', 'schedule'] as const

export interface Save {
  id: string
  /** The version that the writer has seen. */
  version: number
  text: Text
  /** After somebody else has saved meanwhile: whose text goes on. The other one stays among the versions. */
  resolve?: 'mine' | 'theirs' | undefined
  step?: (typeof steps)[number] | undefined
  /** For `schedule`. */
  at?: Date | undefined
}

export interface Saved {
  version: number
  number: number
  savedAt: string
}

/** Saves a text over the version that its writer has seen, and publishes it when that is wanted. */
export function savePost(actor: Writer, { id, version, text, resolve, step = 'save', at }: Save): Promise<Saved> {
  return db.transaction(async (tx) => {
    const post = await lockPost(tx, id, actor)
    const { coverId, ...head } = await readRevision(tx, id, post.draft)
    // Whoever sends what is there already agrees with it: perhaps it is their own, and its answer was lost.
    const isSame = isDeepStrictEqual(head, { ...text })
    if (version !== post.version && !isSame && !resolve)
      throw new AppError(
        'conflict',
        'This post was changed elsewhere since you opened it. Your text is still here, and nothing of the other is lost: choose which one goes on',
      )
    const content = { ...text, coverId }
    if (resolve === 'theirs') {
      const aside = isSame ? post.draft : await writeText(tx, post, actor, content, { isNew: true, isAside: true })
      const after = await touch(tx, post, {})
      return { version: after.version, number: aside, savedAt: after.updatedAt.toISOString() }
    }
    const number = isSame ? post.draft : await writeText(tx, post, actor, content, { isNew: resolve === 'mine' })
    if (!isSame) await close(tx, id, number)
    let set: Change = { draft: number, title: text.title }
    if (step === 'publish')
      set = { ...set, ...(await publish(tx, post.id, number, authorize(actor, can('posts.publish')))) }
    if (step === 'schedule') set = { ...set, ...(await schedule(tx, post.id, number, actor, at)) }
    const after = await touch(tx, post, { ...set, isOtherText: !isSame })
    return { version: after.version, number, savedAt: after.updatedAt.toISOString() }
  })
}

/** Makes the address the post's own, for good. */
async function claimSlug(tx: Transaction, postId: string, slug: string): Promise<void> {
  await tx.insert(slugs).values({ slug, postId }).onConflictDoNothing()
  const [owner] = await tx.select({ postId: slugs.postId }).from(slugs).where(eq(slugs.slug, slug))
  if (owner?.postId === postId) return
  const fields = { slug: ['Another post has this address, or had it once'] }
  throw new AppError('invalid_input', undefined, { fields })
}

/** Shows that revision to everybody, for whoever may, or because it is time. Returns what changes about the post. */
async function publish(tx: Transaction, postId: string, number: number, actor: Writer | null) {
  await close(tx, postId)
  const { body, ...text } = await readRevision(tx, postId, number)
  const slug = text.slug || slugOf(text.title, postId)
  await claimSlug(tx, postId, slug)
  const summary = text.summary || beginningOf(body)
  const language = env.CONTENT_LANGUAGE
  const vector = (value: string, weight: 'A' | 'B' | 'C' | 'D') =>
    sql`setweight(to_tsvector(${language}::regconfig, ${value}), ${sql.raw(`'${weight}'`)})`
  const search = sql<string>`${vector(text.title, 'A')} || ${vector(text.tags.join(' '), 'B')} || ${vector(summary, 'C')} || ${vector(body, 'D')}`
  const row = { number, ...text, slug, summary, html: toHtml(body), search, updatedAt: sql`now()` }
  const [shown] = await tx
    .insert(published)
    .values({ postId, ...row, publishedAt: sql`now()` })
    .onConflictDoUpdate({ target: published.postId, set: row })
    .returning({ publishedAt: published.publishedAt })
  await tx.delete(tags).where(eq(tags.postId, postId))
  const publishedAt = shown?.publishedAt ?? new Date()
  if (text.tags.length > 0) await tx.insert(tags).values(text.tags.map((tag) => ({ tag, publishedAt, postId })))
  await record(tx, 'post.published', { actorId: actor?.id, details: { post: postId, number } })
  return { status: 'published', scheduled: null, scheduledAt: null } as const
}

/** Publishes what was scheduled for that time, unless somebody has thought better of it. */
async function publishAt(postId: string, at: string): Promise<void> {
  await db.transaction(async (tx) => {
    const post = await readPost(tx, postId)
    if (post?.scheduled == null || post.scheduledAt?.toISOString() !== at) return
    await touch(tx, post, await publish(tx, postId, post.scheduled, null))
  })
}

export const publishScheduled = defineJob('content.publish', {
  data: z.object({ postId: z.uuid(), at: z.iso.datetime() }),
  run: ({ postId, at }) => publishAt(postId, at),
})

/** The same for those whose job is gone: nobody worked for days, or the queue was not restored. */
export const publishOverdue = defineJob('content.publish-overdue', {
  cron: '*/10 * * * *',
  data: z.object({}),
  run: async () => {
    const overdue = await db
      .select({ postId: posts.id, at: posts.scheduledAt })
      .from(posts)
      .where(lt(posts.scheduledAt, sql`now() - interval '5 minutes'`))
      .limit(100)
    for (const { postId, at } of overdue) if (at) await publishAt(postId, at.toISOString())
  },
})

async function schedule(tx: Transaction, postId: string, number: number, actor: Writer, at: Date | undefined) {
  authorize(actor, can('posts.publish'))
  const ahead = at ? at.getTime() - Date.now() : 0
  if (!at || ahead <= 0 || ahead > furthest)
    throw new AppError('invalid_input', undefined, { fields: { at: ['Choose a time to come, within ten years'] } })
  await close(tx, postId)
  // Now, so that nobody else can have it by then.
  const { slug, title } = await readRevision(tx, postId, number)
  await claimSlug(tx, postId, slug || slugOf(title, postId))
  await enqueue(tx, publishScheduled, { postId, at: at.toISOString() }, { startAfter: at })
  await record(tx, 'post.scheduled', { actorId: actor.id, details: { post: postId, number, at: at.toISOString() } })
  return { status: await statusOf(tx, postId, true), scheduled: number, scheduledAt: at }
}

/** A change of the post as it is, whatever that is. */
function change(
  actor: Writer,
  id: string,
  work: (tx: Transaction, post: Locked) => Promise<Parameters<typeof touch>[2]>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const post = await lockPost(tx, id, actor)
    await touch(tx, post, await work(tx, post))
  })
}

export const unschedulePost = (actor: Writer, id: string) =>
  change(actor, id, async (tx, post) => {
    if (post.scheduled !== null) await record(tx, 'post.unscheduled', { actorId: actor.id, details: { post: id } })
    return { status: await statusOf(tx, id, false), scheduled: null, scheduledAt: null }
  })

/** Takes it from the public. Its address stays its own. */
export const unpublishPost = (actor: Writer, id: string) =>
  change(actor, id, async (tx, post) => {
    const { rowCount } = await tx.delete(published).where(eq(published.postId, id))
    if (rowCount) await record(tx, 'post.unpublished', { actorId: actor.id, details: { post: id } })
    return { status: post.scheduled === null ? 'draft' : 'scheduled' }
  })

/** An old text once more, as the newest one. */
export const restoreRevision = (actor: Writer, id: string, number: number) =>
  change(actor, id, async (tx, post) => {
    const content = await readRevision(tx, id, number)
    const draft = await writeText(tx, post, actor, content, { isNew: true, restoredFrom: number })
    await close(tx, id, draft)
    return { draft, title: content.title, isOtherText: true }
  })

export const changeCover = (actor: Writer, id: string, makeCover: (tx: Transaction) => Promise<string | null>) =>
  change(actor, id, async (tx, post) => {
    const content = await readRevision(tx, id, post.draft)
    const draft = await writeText(tx, post, actor, { ...content, coverId: await makeCover(tx) })
    await close(tx, id, draft)
    return { draft }
  })

/** Takes the post and all of its revisions away. */
export function deletePost(actor: Writer, id: string): Promise<void> {
  return db.transaction(async (tx) => {
    await lockPost(tx, id, actor, can('posts.delete_others'))
    // First: what is published refers to one of the revisions.
    await tx.delete(published).where(eq(published.postId, id))
    await tx.delete(posts).where(eq(posts.id, id))
    await record(tx, 'post.deleted', { actorId: actor.id, details: { post: id } })
  })
}

/** Whether the buttons for it are shown. The functions above decide for themselves. */
export const mayDelete = (actor: Writer, authorId: string | null) =>
  isAllowed(actor.role, can('posts.delete')) &&
  (authorId === actor.id || isAllowed(actor.role, can('posts.delete_others')))
