import 'server-only'
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { hashToken, isToken, newToken } from '@/core/auth/token'
import { db, type Transaction } from '@/core/db/client'
import { env } from '@/core/env'
import { AppError } from '@/core/errors'
import { findDraft } from './drafts'
import type { Writer } from './policy'
import { posts, previews, revisions, textColumns } from './schema'

/** A link that shows the newest text of a post to whoever has it, for a week. */
export async function createPreview(actor: Writer, postId: string): Promise<string> {
  if (!(await findDraft(actor, postId))) throw new AppError('not_found')
  const token = newToken()
  await db.delete(previews).where(and(eq(previews.postId, postId), lt(previews.expiresAt, sql`now()`)))
  await db
    .insert(previews)
    .values({ hash: hashToken(token), postId, createdBy: actor.id, expiresAt: sql`now() + interval '7 days'` })
  return new URL(`/posts/preview?token=${token}`, env.AUTH_URL).href
}

/** Ends every link to this draft. */
export async function endPreviews(actor: Writer, postId: string): Promise<void> {
  if (!(await findDraft(actor, postId))) throw new AppError('not_found')
  await db.delete(previews).where(eq(previews.postId, postId))
}

/** Somebody else was in the account: their links end. */
export async function revokePreviews(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(previews).where(eq(previews.createdBy, userId))
}

export async function findPreview(token: string) {
  if (!isToken(token)) return null
  const [post] = await db
    .select({
      ...textColumns,
      updatedAt: revisions.updatedAt,
    })
    .from(previews)
    .innerJoin(posts, eq(posts.id, previews.postId))
    .innerJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.draft)))
    .where(and(eq(previews.hash, hashToken(token)), gt(previews.expiresAt, sql`now()`)))
  return post ?? null
}
