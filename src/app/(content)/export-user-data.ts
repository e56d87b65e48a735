import 'server-only'
import { and, asc, eq, sql } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { keysetPages } from '@/core/db/keyset-pages'
import { acrossScopes } from '@/core/db/tenant-check'
import { images, posts, revisions } from './schema'

/** What the user wrote, in every organization. */
const reason = 'the data of one user'

/** The posts, texts and images of a user, read in pages: there is no limit to their number. A text may have 48,000 bytes. */
export async function exportUserData(userId: string): Promise<Record<string, unknown>> {
  return { 'posts.json': findPosts(userId), 'texts.json': findTexts(userId), 'images.json': findImages(userId) }
}

async function* findPosts(userId: string): AsyncGenerator<unknown[]> {
  const columns = { id: posts.id, title: posts.title, status: posts.status, createdAt: posts.createdAt }
  // Ordered by `updatedAt`, like the index. A post that is saved during the export may appear twice, but is never missing.
  const pages = keysetPages<{ id: string; updatedAt: Date }>(500, (last, limit) =>
    acrossScopes(reason, () =>
      db
        .select({ ...columns, updatedAt: posts.updatedAt })
        .from(posts)
        .where(
          and(
            eq(posts.authorId, userId),
            last &&
              sql`(${posts.updatedAt}, ${posts.id}) > (${last.updatedAt.toISOString()}::timestamptz, ${last.id}::uuid)`,
          ),
        )
        .orderBy(asc(posts.updatedAt), asc(posts.id))
        .limit(limit),
    ),
  )
  for await (const page of pages) yield page.map(({ updatedAt: _, ...post }) => post)
}

const findTexts = (userId: string) =>
  keysetPages<{ post: string; version: number }>(20, (last, limit) =>
    acrossScopes(reason, () =>
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
        .where(
          and(
            eq(revisions.authorId, userId),
            last && sql`(${revisions.postId}, ${revisions.number}) > (${last.post}::uuid, ${last.version}::int)`,
          ),
        )
        .orderBy(asc(revisions.postId), asc(revisions.number))
        .limit(limit),
    ),
  )

/** Their names and alt texts. The files are in the posts that embed them. */
const findImages = (userId: string) =>
  keysetPages<{ id: string; uploadedAt: Date }>(500, (last, limit) =>
    db
      .select({ id: images.id, name: images.name, alt: images.alt, uploadedAt: images.createdAt })
      .from(images)
      .where(
        and(
          eq(images.ownerId, userId),
          last &&
            sql`(${images.createdAt}, ${images.id}) > (${last.uploadedAt.toISOString()}::timestamptz, ${last.id}::uuid)`,
        ),
      )
      .orderBy(asc(images.createdAt), asc(images.id))
      .limit(limit),
  )
