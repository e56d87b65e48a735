import 'server-only'
import { and, asc, desc, eq, inArray } from 'drizzle-orm'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { type Allow, authorize, isAllowed } from '@/core/auth/policy'
import { type LockedMember, transactionAs } from '@/core/auth/transaction-as'
import type { Transaction } from '@/core/db/client'
import { ofScope, readInScope } from '@/core/db/scoped'
import { type LockedPost, lockPost, selectPostForUpdate, updatePost } from './lock-post'
import { prepareCode } from './markdown'
import { can, type Writer } from './policy'
import { remove, unpublish } from './posts'
import { publish } from './publish'
import { requirePostsEnabled } from './require-posts'
import { readRevision, writeText } from './revisions'
import { posts, revisions } from './schema'

/** At most this many posts can be changed at once. */
export const maxSelected = 100

/** The selected posts for a dialog, those that the actor may change. */
export async function findSelectedPosts(actor: Writer, ids: string[], others = can('posts.write_others')) {
  requirePostsEnabled(actor)
  const [found] = await readInScope(actor, (db) => [
    db
      .select({ id: posts.id, title: posts.title, status: posts.status, authorId: posts.authorId })
      .from(posts)
      .where(and(ofScope(posts.scopeId), inArray(posts.id, ids)))
      .orderBy(desc(posts.updatedAt), asc(posts.id)),
  ])
  return found.filter(({ authorId }) => authorId === actor.id || isAllowed(actor.role, others))
}
export type SelectedPost = Awaited<ReturnType<typeof findSelectedPosts>>[number]

/**
 * Locks posts in the order of their ids, so that two users cannot deadlock, and works on those that still exist. All or
 * nothing: if one of them fails, none is changed. Returns their number.
 */
function changePosts(
  writer: Writer,
  { allow, others, ids }: { allow: Allow<'scope or app'>; others: Allow<'scope or app'>; ids: string[] },
  work: (tx: Transaction, found: LockedPost[], actor: LockedMember) => Promise<void>,
): Promise<number> {
  return transactionAs(writer, allow, async (tx, actor) => {
    requirePostsEnabled(actor)
    const found: LockedPost[] = []
    for (const id of [...new Set(ids)].toSorted()) {
      const post = await selectPostForUpdate(tx, id)
      if (!post) continue
      if (post.authorId !== actor.id) authorize(actor, others)
      found.push(post)
    }
    if (found.length > 0) await work(tx, found, actor)
    return found.length
  })
}

const publishing = { allow: can('posts.publish'), others: can('posts.write_others') }

/** Publishes the drafts of the posts. */
export async function publishPosts(writer: Writer, ids: string[]): Promise<number> {
  const [drafts] = await readInScope(writer, (db) => [
    db
      .select({ body: revisions.body })
      .from(posts)
      .innerJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.draft)))
      .where(and(ofScope(posts.scopeId), inArray(posts.id, ids))),
  ])
  await prepareCode(drafts.map(({ body }) => body))
  return changePosts(writer, { ...publishing, ids }, async (tx, found, actor) => {
    for (const post of found) await updatePost(tx, post, await publish(tx, post.id, post.draft, actor))
  })
}

export const unpublishPosts = (writer: Writer, ids: string[]) =>
  changePosts(writer, { ...publishing, ids }, async (tx, found, actor) => {
    for (const post of found) await updatePost(tx, post, await unpublish(tx, post, actor))
  })

export const deletePosts = (writer: Writer, ids: string[]) =>
  changePosts(
    writer,
    { allow: can('posts.delete'), others: can('posts.delete_others'), ids },
    async (tx, found, actor) => {
      await remove(
        tx,
        found.map(({ id }) => id),
        actor,
      )
    },
  )

/** Creates a draft with the text of another post. The cover belongs to that post and is not copied. */
export async function duplicatePost(writer: Writer, id: string): Promise<string> {
  const copyId = crypto.randomUUID()
  await transactionAs(writer, can('posts.write'), async (tx, actor) => {
    const post = await lockPost(tx, id, actor)
    const { summary, body, tags, title: original } = await readRevision(tx, id, post.draft)
    const title = `Copy of ${original}`.slice(0, 200)
    await tx.insert(posts).values({ id: copyId, authorId: actor.id, title })
    await tx
      .insert(revisions)
      .values({ postId: copyId, number: 1, authorId: actor.id, title, slug: '', summary: '', body: '', tags: [] })
    const copy = await lockPost(tx, copyId, actor)
    // Into that revision, as every text is written.
    await writeText(tx, copy, actor, { title, slug: '', summary, body, tags, coverId: null })
    await recordAuditEvent(tx, 'post.created', { actorId: actor.id, details: { post: copyId } })
  })
  return copyId
}
