import 'server-only'
import { and, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { hashToken, isToken, newToken } from '@/core/auth/tokens/token'
import { transactionAs } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { acrossScopes } from '@/core/db/tenant-check'
import { env } from '@/core/env'
import { lockPost } from './lock-post'
import { can, type Writer } from './policy'
import { imageUses, posts, previews, revisions, textColumns } from './schema'

/** Creates a link that shows the draft without an account for 7 days. */
export async function createPreview(writer: Writer, postId: string): Promise<string> {
  const token = newToken()
  await transactionAs(writer, can('posts.write'), async (tx, actor) => {
    await lockPost(tx, postId, actor)
    await tx.delete(previews).where(and(eq(previews.postId, postId), lt(previews.expiresAt, sql`now()`)))
    await tx
      .insert(previews)
      .values({ hash: hashToken(token), postId, createdBy: actor.id, expiresAt: sql`now() + interval '7 days'` })
    await recordAuditEvent(tx, 'preview.created', { actorId: actor.id, details: { post: postId } })
  })
  return new URL(`/posts/preview?token=${token}`, env.AUTH_URL).href
}

/** Revokes all preview links of a post. */
export function endPreviews(writer: Writer, postId: string): Promise<void> {
  return transactionAs(writer, can('posts.write'), async (tx, actor) => {
    await lockPost(tx, postId, actor)
    await revokePreviews(tx, eq(previews.postId, postId), actor.id)
  })
}

/** Revokes the preview links that these users created: they lost the permission, or the account was compromised. */
export const revokePreviewsOf = (tx: Transaction, userIds: string[], actorId?: string, scopeId?: string) =>
  acrossScopes('a user has lost rights', () => {
    const inThatScope = tx
      .select({ id: posts.id })
      .from(posts)
      .where(eq(posts.scopeId, scopeId ?? ''))
    const isTheirs = inArray(previews.createdBy, userIds)
    return revokePreviews(tx, scopeId ? and(isTheirs, inArray(previews.postId, inThatScope)) : isTheirs, actorId)
  })

async function revokePreviews(tx: Transaction, where: SQL | undefined, actorId: string | undefined): Promise<void> {
  const revoked = await tx.delete(previews).where(where).returning({
    post: previews.postId,
    by: previews.createdBy,
    scopeId: sql<string>`(select scope_id from content_posts where content_posts.id = content_previews.post_id)`,
  })
  const events = revoked.map(({ post, by, scopeId }) => ({ actorId, targetId: by, details: { post }, scopeId }))
  await recordAuditEvent(tx, 'preview.revoked', ...events)
}

export async function findPreview(token: string) {
  if (!isToken(token)) return null
  const [post] = await acrossScopes('the token decides', () =>
    db
      .select({
        ...textColumns,
        updatedAt: revisions.updatedAt,
      })
      .from(previews)
      .innerJoin(posts, eq(posts.id, previews.postId))
      .innerJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.draft)))
      .where(and(eq(previews.hash, hashToken(token)), gt(previews.expiresAt, sql`now()`))),
  )
  return post ?? null
}

/** Whether a draft that the token shows embeds the image. */
export async function isPreviewed(imageId: string, token: string): Promise<boolean> {
  if (!isToken(token)) return false
  const [use] = await acrossScopes('the token decides', () =>
    db
      .select({ postId: previews.postId })
      .from(previews)
      .innerJoin(posts, eq(posts.id, previews.postId))
      .innerJoin(imageUses, and(eq(imageUses.postId, posts.id), eq(imageUses.number, posts.draft)))
      .where(
        and(eq(previews.hash, hashToken(token)), gt(previews.expiresAt, sql`now()`), eq(imageUses.imageId, imageId)),
      ),
  )
  return use !== undefined
}
