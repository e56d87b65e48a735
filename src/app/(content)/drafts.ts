import 'server-only'
import { and, desc, eq, lt, or } from 'drizzle-orm'
import { z } from 'zod'
import { authorize, isAllowed } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { fromPlace, isBefore, toPlace } from './place'
import { can, type Writer } from './policy'
import { posts, published, revisions, textColumns } from './schema'

export const statuses = ['draft', 'scheduled', 'published'] as const
const perPage = 25

export const DraftQuery = z.object({
  status: z.enum(statuses).optional().catch(undefined),
  mine: z.literal('1').optional().catch(undefined),
  before: z.string().max(100).optional().catch(undefined),
})

/** A page of posts, those changed last first. */
export async function findDrafts(actor: Writer, { status, mine, before }: z.output<typeof DraftQuery>) {
  const place = before ? fromPlace(before) : null
  const isMine = mine || !isAllowed(actor.role, can('posts.write_others'))
  const rows = await db
    .select({
      id: posts.id,
      title: posts.title,
      status: posts.status,
      scheduledAt: posts.scheduledAt,
      updatedAt: posts.updatedAt,
      authorName: users.name,
      draft: posts.draft,
      publishedNumber: published.number,
      slug: published.slug,
    })
    .from(posts)
    .leftJoin(users, eq(users.id, posts.authorId))
    .leftJoin(published, eq(published.postId, posts.id))
    .where(
      and(
        status && eq(posts.status, status),
        isMine ? eq(posts.authorId, actor.id) : undefined,
        isBefore(posts.updatedAt, posts.id, place),
      ),
    )
    .orderBy(desc(posts.updatedAt), desc(posts.id))
    .limit(perPage + 1)
  const page = rows.slice(0, perPage)
  const last = page.at(-1)
  return { posts: page, next: rows.length > perPage && last ? toPlace({ at: last.updatedAt, id: last.id }) : null }
}

/** What its editor shows. Refused to whoever may not edit it. */
export async function findDraft(actor: Writer, id: string) {
  const [post] = await db
    .select({
      id: posts.id,
      authorId: posts.authorId,
      authorName: users.name,
      version: posts.version,
      status: posts.status,
      draft: posts.draft,
      scheduled: posts.scheduled,
      scheduledAt: posts.scheduledAt,
      updatedAt: posts.updatedAt,
      publishedNumber: published.number,
      publishedSlug: published.slug,
      ...textColumns,
    })
    .from(posts)
    .innerJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.draft)))
    .leftJoin(users, eq(users.id, posts.authorId))
    .leftJoin(published, eq(published.postId, posts.id))
    .where(eq(posts.id, id))
  if (!post) return null
  if (post.authorId !== actor.id) authorize(actor, can('posts.write_others'))
  return post
}
export type Draft = NonNullable<Awaited<ReturnType<typeof findDraft>>>

/** The versions of a post, the newest first: a hundred at a time, without their texts. */
export async function findRevisions(postId: string, below?: number) {
  return db
    .select({
      number: revisions.number,
      title: revisions.title,
      isAside: revisions.isAside,
      restoredFrom: revisions.restoredFrom,
      authorName: users.name,
      updatedAt: revisions.updatedAt,
    })
    .from(revisions)
    .leftJoin(users, eq(users.id, revisions.authorId))
    .where(and(eq(revisions.postId, postId), below ? lt(revisions.number, below) : undefined))
    .orderBy(desc(revisions.number))
    .limit(100)
}

/** Two of them, to be compared; null where one is not there. */
export async function findTexts(postId: string, one: number, other: number) {
  const rows = await db
    .select({
      number: revisions.number,
      ...textColumns,
      updatedAt: revisions.updatedAt,
      authorName: users.name,
    })
    .from(revisions)
    .leftJoin(users, eq(users.id, revisions.authorId))
    .where(and(eq(revisions.postId, postId), or(eq(revisions.number, one), eq(revisions.number, other))))
  const at = (number: number) => rows.find((row) => row.number === number)
  const [first, second] = [at(one), at(other)]
  return first && second ? ([first, second] as const) : null
}
