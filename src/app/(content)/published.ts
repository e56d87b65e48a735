import 'server-only'
import { and, desc, eq, sql } from 'drizzle-orm'
import { db, lists } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { env } from './env'
import { fromPlace, isBefore, toPlace } from './place'
import { posts, published, slugs, tags } from './schema'
import { isStorable } from './text'

const perPage = 20

const shown = {
  id: published.postId,
  slug: published.slug,
  title: published.title,
  summary: published.summary,
  tags: published.tags,
  coverId: published.coverId,
  publishedAt: published.publishedAt,
  updatedAt: published.updatedAt,
}

/** A page of what is published, the newest first, perhaps of one tag. */
export async function findPublished({ tag, before }: { tag?: string | undefined; before?: string | undefined }) {
  if (tag && !isStorable(tag)) return { posts: [], next: null }
  const place = before ? fromPlace(before) : null
  const rows = tag
    ? await lists
        .select(shown)
        .from(tags)
        .innerJoin(published, eq(published.postId, tags.postId))
        .where(and(eq(tags.tag, tag), isBefore(tags.publishedAt, tags.postId, place)))
        .orderBy(desc(tags.publishedAt), desc(tags.postId))
        .limit(perPage + 1)
    : await lists
        .select(shown)
        .from(published)
        .where(isBefore(published.publishedAt, published.postId, place))
        .orderBy(desc(published.publishedAt), desc(published.postId))
        .limit(perPage + 1)
  const page = rows.slice(0, perPage)
  const last = page.at(-1)
  return { posts: page, next: rows.length > perPage && last ? toPlace({ at: last.publishedAt, id: last.id }) : null }
}
export type Listed = Awaited<ReturnType<typeof findPublished>>['posts'][number]

/** What fits best to some words, at most twenty. Of words that are in thousands of posts, among a part of them. */
export async function searchPublished(words: string): Promise<Listed[]> {
  if (!isStorable(words)) return []
  return lists
    .select(shown)
    .from(
      sql`content_search(${env.CONTENT_LANGUAGE}::regconfig, ${words}, ${perPage}) with ordinality as found (post_id, place)`,
    )
    .innerJoin(published, sql`${published.postId} = found.post_id`)
    .orderBy(sql`found.place`)
}

/** What fits best to the words, or without any a page of what is published. */
export const findPosts = async ({
  search,
  ...query
}: Parameters<typeof findPublished>[0] & { search?: string | undefined }) =>
  search ? { posts: await searchPublished(search), next: null } : findPublished(query)

/** The post at an address; of an address that it had before, where it is now. */
export async function findPost(slug: string) {
  if (!isStorable(slug)) return null
  const [post] = await db
    .select({ ...shown, html: published.html, authorName: users.name })
    .from(slugs)
    .innerJoin(published, eq(published.postId, slugs.postId))
    .innerJoin(posts, eq(posts.id, slugs.postId))
    .leftJoin(users, eq(users.id, posts.authorId))
    .where(eq(slugs.slug, slug))
  return post ?? null
}

/** The newest, with their texts. */
export const findNewest = (limit: number) =>
  lists
    .select({ ...shown, html: published.html, authorName: users.name })
    .from(published)
    .innerJoin(posts, eq(posts.id, published.postId))
    .leftJoin(users, eq(users.id, posts.authorId))
    .orderBy(desc(published.publishedAt), desc(published.postId))
    .limit(limit)

/** Months in which something was published, found by stepping from one to the next: it costs as much as there are months. */
export async function findMonths(): Promise<string[]> {
  const { rows } = await lists.execute<{ month: string }>(sql`
    with recursive months (at) as (
      (select published_at from ${published} order by published_at desc limit 1)
      union all
      select (select published_at from ${published}
        where published_at < date_trunc('month', months.at, 'UTC') order by published_at desc limit 1)
      from months where months.at is not null
    )
    select to_char(at at time zone 'UTC', 'YYYY-MM') as month from months where at is not null limit 1000`)
  return rows.map(({ month }) => month)
}

/** Where to find what was published in a month: as many as a sitemap may hold. */
export const findAddresses = (month: string) =>
  lists
    .select({ slug: published.slug, updatedAt: published.updatedAt })
    .from(published)
    .where(
      and(
        sql`${published.publishedAt} >= ${`${month}-01`}::timestamp at time zone 'UTC'`,
        sql`${published.publishedAt} < (${`${month}-01`}::timestamp + interval '1 month') at time zone 'UTC'`,
      ),
    )
    .orderBy(desc(published.publishedAt), desc(published.postId))
    .limit(50_000)
