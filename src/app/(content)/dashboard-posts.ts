import 'server-only'
import { and, asc, desc, eq, isNotNull } from 'drizzle-orm'
import { isAllowed } from '@/core/auth/policy'
import { readReplica } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { ofScope, readInScope } from '@/core/db/scoped'
import { can, type Writer } from './policy'
import { posts, published, revisions } from './schema'

const ownOnly = (actor: Writer) =>
  and(
    ofScope(posts.scopeId),
    isAllowed(actor.role, can('posts.write_others')) ? undefined : eq(posts.authorId, actor.id),
  )

/** The drafts that the actor may edit, most recently edited first, and who edited them last. */
export async function findLatestDrafts(actor: Writer, limit: number) {
  const [rows] = await readInScope(actor, (db) => [
    db
      .select({ id: posts.id, title: posts.title, updatedAt: posts.updatedAt, editorName: users.name })
      .from(posts)
      .innerJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.draft)))
      .leftJoin(users, eq(users.id, revisions.authorId))
      .where(and(eq(posts.status, 'draft'), ownOnly(actor)))
      .orderBy(desc(posts.updatedAt), desc(posts.id))
      .limit(limit),
  ])
  return rows
}

/** The scheduled posts that the actor may edit, the next one first. */
export async function findNextScheduled(actor: Writer, limit: number) {
  const [rows] = await readInScope(actor, (db) => [
    db
      .select({ id: posts.id, title: posts.title, scheduledAt: posts.scheduledAt })
      .from(posts)
      .where(and(isNotNull(posts.scheduledAt), ownOnly(actor)))
      .orderBy(asc(posts.scheduledAt))
      .limit(limit),
  ])
  return rows
}

/** The newest published posts, for readers. */
export const findLatestPublished = (limit: number) =>
  readReplica
    .select({ slug: published.slug, title: published.title, publishedAt: published.publishedAt })
    .from(published)
    .orderBy(desc(published.publishedAt), desc(published.postId))
    .limit(limit)
