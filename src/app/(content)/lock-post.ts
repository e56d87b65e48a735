import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { authorize } from '@/core/auth/policy'
import type { LockedMember } from '@/core/auth/transaction-as'
import type { Transaction } from '@/core/db/client'
import { ofScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { can } from './policy'
import { requirePostsEnabled } from './require-posts'
import { posts } from './schema'

/** Reads the post and locks its row until the transaction ends. */
export async function selectPostForUpdate(tx: Transaction, id: string) {
  const [post] = await tx
    .select({
      id: posts.id,
      authorId: posts.authorId,
      version: posts.version,
      draft: posts.draft,
      title: posts.title,
      scheduled: posts.scheduled,
      scheduledAt: posts.scheduledAt,
      scheduledBy: posts.scheduledBy,
    })
    .from(posts)
    .where(and(ofScope(posts.scopeId), eq(posts.id, id)))
    .for('update')
  return post
}
export type LockedPost = NonNullable<Awaited<ReturnType<typeof selectPostForUpdate>>>

/** Locks the post for an actor. Throws `not_found`, or `forbidden` if the actor may not change it. */
export async function lockPost(tx: Transaction, id: string, actor: LockedMember, others = can('posts.write_others')) {
  requirePostsEnabled(actor)
  const post = await selectPostForUpdate(tx, id)
  if (!post) throw new AppError('not_found')
  if (post.authorId !== actor.id) authorize(actor, others)
  return post
}

export type PostChange = Partial<typeof posts.$inferInsert>

/** Updates the post row at the end of every change. `version` goes up only when the draft text changed. */
export async function updatePost(
  tx: Transaction,
  post: LockedPost,
  { isTextChanged = false, ...set }: PostChange & { isTextChanged?: boolean },
) {
  const [after] = await tx
    .update(posts)
    .set({ ...set, version: post.version + (isTextChanged ? 1 : 0), updatedAt: sql`now()` })
    .where(and(ofScope(posts.scopeId), eq(posts.id, post.id)))
    .returning({ version: posts.version, updatedAt: posts.updatedAt })
  if (!after) throw new AppError('not_found')
  return after
}
