import 'server-only'
import { and, count, desc, eq } from 'drizzle-orm'
import { authorize } from '@/core/auth/policy'
import { ofScope, readInScope } from '@/core/db/scoped'
import { afterCursor, decodeCursor, toPage } from './cursor'
import { can, type Writer } from './policy'
import { posts, published } from './schema'

const pageSize = 25

export async function countPostsOf(userId: string): Promise<number> {
  const [[row]] = await readInScope(null, (db) => [
    db
      .select({ count: count() })
      .from(posts)
      .where(and(ofScope(posts.scopeId), eq(posts.authorId, userId))),
  ])
  return row?.count ?? 0
}

/** One page of the posts that a user has created in the app itself, most recently updated first. For those who may edit all posts. */
export async function findPostsOf(actor: Writer | null, userId: string, before: string | undefined) {
  authorize(actor, can('posts.write_others'))
  const cursor = before ? decodeCursor(before) : null
  const [rows] = await readInScope(null, (db) => [
    db
      .select({
        id: posts.id,
        title: posts.title,
        status: posts.status,
        updatedAt: posts.updatedAt,
        draft: posts.draft,
        publishedNumber: published.number,
      })
      .from(posts)
      .leftJoin(published, eq(published.postId, posts.id))
      .where(and(ofScope(posts.scopeId), eq(posts.authorId, userId), afterCursor(posts.updatedAt, posts.id, cursor)))
      .orderBy(desc(posts.updatedAt), desc(posts.id))
      .limit(pageSize + 1),
  ])
  return toPage(rows, pageSize, ({ updatedAt, id }) => ({ at: updatedAt, id }))
}
