import 'server-only'
import { and, asc, desc, eq, sql } from 'drizzle-orm'
import { db, readReplica } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { afterCursor, decodeCursor, toPage } from './cursor'
import { env } from './env'
import { isStorable } from './post-text'
import { posts, published, slugs, tags } from './schema'
import { hasWords, maxCompared } from './title-words'

const pageSize = 20

/** What is published is public, whichever organization it was written in. The queries read nothing else but the author. */
const readPublic = <Data>(query: () => PromiseLike<Data>) => acrossScopes('published posts are public', query)

const listColumns = {
  id: published.postId,
  slug: published.slug,
  title: published.title,
  summary: published.summary,
  tags: published.tags,
  coverId: published.coverId,
  publishedAt: published.publishedAt,
  updatedAt: published.updatedAt,
  authorId: posts.authorId,
  authorName: users.name,
  /**
   * For the reading time, like `readableLength`, which would be slow for a list: each `<span class="k"></span>` has 23 characters,
   * 7 of them at its end.
   */
  characters: sql<number>`char_length(${published.html}) - (char_length(${published.html}) - char_length(replace(${published.html}, '</span>', ''))) / 7 * 23`,
}

/** One page of published posts, newest first, optionally of one tag. */
export async function findPublished({ tag, before }: { tag?: string | undefined; before?: string | undefined }) {
  if (tag && !isStorable(tag)) return { posts: [], next: null }
  const cursor = before ? decodeCursor(before) : null
  const rows = await readPublic(() =>
    tag
      ? readReplica
          .select(listColumns)
          .from(tags)
          .innerJoin(published, eq(published.postId, tags.postId))
          .innerJoin(posts, eq(posts.id, published.postId))
          .leftJoin(users, eq(users.id, posts.authorId))
          .where(and(eq(tags.tag, tag), afterCursor(tags.publishedAt, tags.postId, cursor)))
          .orderBy(desc(tags.publishedAt), desc(tags.postId))
          .limit(pageSize + 1)
      : readReplica
          .select(listColumns)
          .from(published)
          .innerJoin(posts, eq(posts.id, published.postId))
          .leftJoin(users, eq(users.id, posts.authorId))
          .where(afterCursor(published.publishedAt, published.postId, cursor))
          .orderBy(desc(published.publishedAt), desc(published.postId))
          .limit(pageSize + 1),
  )
  return toPage(rows, pageSize, ({ publishedAt, id }) => ({ at: publishedAt, id }))
}
export type PublishedPost = Awaited<ReturnType<typeof findPublished>>['posts'][number]

/** The 20 best full-text matches. If many posts match, only the newest of them are ranked: see _migrations/0006_search.sql. */
export async function searchPublished(search: string): Promise<PublishedPost[]> {
  if (!isStorable(search)) return []
  return readPublic(() =>
    readReplica
      .select(listColumns)
      .from(
        sql`content_search(${env.CONTENT_LANGUAGE}::regconfig, ${search}, ${pageSize}) with ordinality as found (post_id, place)`,
      )
      .innerJoin(published, sql`${published.postId} = found.post_id`)
      .innerJoin(posts, eq(posts.id, published.postId))
      .leftJoin(users, eq(users.id, posts.authorId))
      .orderBy(sql`found.place`),
  )
}

/** The newest posts with each word, or a part of it, in the title. What a reader has typed so far may be half a word. */
export async function findByTitle(search: string, limit: number): Promise<PublishedPost[]> {
  if (!isStorable(search)) return []
  const newest = readReplica
    .select({ id: published.postId, title: published.title })
    .from(published)
    .orderBy(desc(published.publishedAt), desc(published.postId))
    .limit(maxCompared)
    .as('newest')
  return readPublic(() =>
    readReplica
      .select(listColumns)
      .from(newest)
      .innerJoin(published, eq(published.postId, newest.id))
      .innerJoin(posts, eq(posts.id, published.postId))
      .leftJoin(users, eq(users.id, posts.authorId))
      .where(hasWords(newest.title, search))
      .orderBy(desc(published.publishedAt), desc(published.postId))
      .limit(limit),
  )
}

/** Search results if `search` is given, otherwise one page of published posts. */
export async function findPosts({
  search,
  ...query
}: Parameters<typeof findPublished>[0] & { search?: string | undefined }) {
  if (!search) return findPublished(query)
  const [byText, byTitle] = await Promise.all([searchPublished(search), findByTitle(search, pageSize)])
  const found = new Map([...byText, ...byTitle].map((post) => [post.id, post]))
  return { posts: [...found.values()].slice(0, pageSize), next: null }
}

/** The tags that the newest 200 posts have most often. */
export async function findTags(): Promise<string[]> {
  const { rows } = await readReplica.execute<{ tag: string }>(sql`
    select one.tag from (
      select ${published.tags} as tags from ${published}
      order by ${published.publishedAt} desc, ${published.postId} desc limit 200
    ) newest, unnest(newest.tags) as one (tag)
    group by one.tag order by count(*) desc, one.tag limit 12`)
  return rows.map(({ tag }) => tag)
}

/** Finds a post by its current or a former slug. The caller redirects if the slug differs. */
export async function findPost(slug: string) {
  if (!isStorable(slug)) return null
  const [post] = await readPublic(() =>
    db
      .select({ ...listColumns, html: published.html })
      .from(slugs)
      .innerJoin(published, eq(published.postId, slugs.postId))
      .innerJoin(posts, eq(posts.id, slugs.postId))
      .leftJoin(users, eq(users.id, posts.authorId))
      .where(eq(slugs.slug, slug)),
  )
  return post ?? null
}

/** The posts that were published right before and right after another one. */
export async function findNeighbors({ id, publishedAt }: Pick<PublishedPost, 'id' | 'publishedAt'>) {
  const columns = { slug: published.slug, title: published.title }
  const at = sql`(${published.publishedAt}, ${published.postId})`
  const here = sql`(${publishedAt.toISOString()}::timestamptz, ${id}::uuid)`
  const [[previous], [next]] = await Promise.all([
    readReplica
      .select(columns)
      .from(published)
      .where(sql`${at} < ${here}`)
      .orderBy(desc(published.publishedAt), desc(published.postId))
      .limit(1),
    readReplica
      .select(columns)
      .from(published)
      .where(sql`${at} > ${here}`)
      .orderBy(asc(published.publishedAt), asc(published.postId))
      .limit(1),
  ])
  return { previous, next }
}

/** The newest published posts with their HTML, for the feeds. */
export const findNewest = (limit: number) =>
  readPublic(() =>
    readReplica
      .select({ ...listColumns, html: published.html })
      .from(published)
      .innerJoin(posts, eq(posts.id, published.postId))
      .leftJoin(users, eq(users.id, posts.authorId))
      .orderBy(desc(published.publishedAt), desc(published.postId))
      .limit(limit),
  )
export type FeedPost = Awaited<ReturnType<typeof findNewest>>[number]

/** Months with published posts. Steps along the index from month to month, so the cost grows with months, not with posts. */
export async function findMonths(): Promise<string[]> {
  const { rows } = await readReplica.execute<{ month: string }>(sql`
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

/** Slugs of the posts published in a month, at most the 50,000 that a sitemap may hold. */
export const findSlugs = (month: string) =>
  readReplica
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
