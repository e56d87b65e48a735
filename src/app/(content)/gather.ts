import 'server-only'
import { asc, eq } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { posts, revisions } from './schema'

/** What somebody has written. */
export async function gatherContent(userId: string): Promise<Record<string, unknown>> {
  const [begun, written] = await Promise.all([
    db
      .select({ id: posts.id, title: posts.title, status: posts.status, createdAt: posts.createdAt })
      .from(posts)
      .where(eq(posts.authorId, userId))
      .orderBy(asc(posts.createdAt)),
    db
      .select({
        post: revisions.postId,
        version: revisions.number,
        title: revisions.title,
        slug: revisions.slug,
        summary: revisions.summary,
        tags: revisions.tags,
        body: revisions.body,
        createdAt: revisions.createdAt,
      })
      .from(revisions)
      .where(eq(revisions.authorId, userId))
      .orderBy(asc(revisions.postId), asc(revisions.number)),
  ])
  return { 'posts.json': begun, 'texts.json': written }
}
