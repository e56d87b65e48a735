import 'server-only'
import { and, desc, eq, inArray, lt, or, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { authorize, isAllowed } from '@/core/auth/policy'
import { type Database, db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { ofScope, readInScope } from '@/core/db/scoped'
import { AppError } from '@/core/errors'
import { afterCursor, decodeCursor, toPage } from './cursor'
import { can, type Writer } from './policy'
import { requirePostsEnabled } from './require-posts'
import { posts, published, revisions, textColumns } from './schema'

export const statuses = ['draft', 'scheduled', 'published'] as const
const pageSize = 25
/** Titles have no index: only those of the newest posts are searched, so the cost does not grow with the number of posts. */
const maxSearched = 1_000
/** Tabs count up to here, for the same reason. */
const maxCounted = 1_000

export const DraftQuery = z.object({
  search: z
    .string()
    .trim()
    .max(100)
    .refine((text) => text !== '' && !text.includes('\0'))
    .optional()
    .catch(undefined),
  status: z.enum(statuses).optional().catch(undefined),
  mine: z.literal('1').optional().catch(undefined),
  before: z.string().max(100).optional().catch(undefined),
})
export type DraftQuery = z.output<typeof DraftQuery>

/** The posts that the actor may edit. */
const editableBy = (actor: Writer, isOwnOnly: boolean) =>
  and(
    ofScope(posts.scopeId),
    isOwnOnly || !isAllowed(actor.role, can('posts.write_others')) ? eq(posts.authorId, actor.id) : undefined,
  )

/** Whether a title contains each word, or a part of it, among those of the newest posts. */
function matches(search: string, filter: SQL | undefined): SQL | undefined {
  const newest = db.select({ id: posts.id }).from(posts).where(filter).orderBy(desc(posts.updatedAt)).limit(maxSearched)
  const words = search.split(/\s+/, 10)
  return and(inArray(posts.id, newest), ...words.map((word) => sql`strpos(lower(${posts.title}), lower(${word})) > 0`))
}

/** One page of posts, most recently updated first. */
export async function findDrafts(actor: Writer, { search, status, mine, before }: DraftQuery) {
  requirePostsEnabled(actor)
  const cursor = before ? decodeCursor(before) : null
  const [rows] = await readInScope(actor, (source) => {
    const filter = and(status && eq(posts.status, status), editableBy(actor, mine !== undefined))
    return [
      selectDrafts(
        source,
        and(search ? matches(search, filter) : filter, afterCursor(posts.updatedAt, posts.id, cursor)),
      ),
    ]
  })
  return toPage(rows, pageSize, ({ updatedAt, id }) => ({ at: updatedAt, id }))
}

const selectDrafts = (source: Pick<Database, 'select'>, filter: SQL | undefined) =>
  source
    .select({
      id: posts.id,
      title: posts.title,
      summary: revisions.summary,
      status: posts.status,
      scheduledAt: posts.scheduledAt,
      updatedAt: posts.updatedAt,
      authorId: posts.authorId,
      authorName: users.name,
      authorImage: users.image,
      draft: posts.draft,
      publishedNumber: published.number,
      slug: published.slug,
    })
    .from(posts)
    .leftJoin(revisions, and(eq(revisions.postId, posts.id), eq(revisions.number, posts.draft)))
    .leftJoin(users, eq(users.id, posts.authorId))
    .leftJoin(published, eq(published.postId, posts.id))
    .where(filter)
    .orderBy(desc(posts.updatedAt), desc(posts.id))
    .limit(pageSize + 1)

export type DraftRow = Awaited<ReturnType<typeof findDrafts>>['posts'][number]

const counted = ['all', 'mine', ...statuses] as const

const count = (filter: SQL | undefined) =>
  sql`(select count(*)::int from (select 1 from ${posts} where ${filter ?? sql`true`} limit ${maxCounted + 1}) as counted)`

const formatCount = (found: number) =>
  found > maxCounted ? `${maxCounted.toLocaleString('en')}+` : found.toLocaleString('en')

/** How many posts each tab has, as text: "12", or "1,000+". */
export async function countDrafts(actor: Writer): Promise<Record<(typeof counted)[number], string>> {
  const [{ rows }] = await readInScope(actor, (source) => {
    const editable = editableBy(actor, false)
    const columns = [
      sql`${count(editable)} as "all"`,
      sql`${count(editableBy(actor, true))} as "mine"`,
      ...statuses.map((status) => sql`${count(and(eq(posts.status, status), editable))} as ${sql.identifier(status)}`),
    ]
    return [source.execute<Record<string, number>>(sql`select ${sql.join(columns, sql`, `)}`)]
  })
  return Object.fromEntries(counted.map((name) => [name, formatCount(rows[0]?.[name] ?? 0)])) as Record<
    (typeof counted)[number],
    string
  >
}

/** What the sidebar shows beside "Posts": "3 drafts". */
export async function findDraftBadge(actor: Writer): Promise<string | null> {
  const [{ rows }] = await readInScope(actor, (source) => [
    source.execute<{ drafts: number }>(
      sql`select ${count(and(eq(posts.status, 'draft'), editableBy(actor, false)))} as drafts`,
    ),
  ])
  const drafts = rows[0]?.drafts ?? 0
  return drafts === 0 ? null : `${formatCount(drafts)} ${drafts === 1 ? 'draft' : 'drafts'}`
}

/** A post for its editor page. Throws `forbidden` if the actor may not edit it. */
export async function findDraft(actor: Writer, id: string) {
  requirePostsEnabled(actor)
  const [[post]] = await readInScope(actor, (source) => [selectDraft(source, id)])
  if (!post) return null
  if (post.authorId !== actor.id) authorize(actor, can('posts.write_others'))
  return post
}

const selectDraft = (source: Pick<Database, 'select'>, id: string) =>
  source
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
    .where(and(ofScope(posts.scopeId), eq(posts.id, id)))

export type Draft = NonNullable<Awaited<ReturnType<typeof findDraft>>>

/** A post for a handler. Throws `not_found` or `forbidden`. */
export async function requireDraft(actor: Writer, id: string): Promise<Draft> {
  const post = await findDraft(actor, id)
  if (!post) throw new AppError('not_found')
  return post
}

/** The revisions of a post without their bodies, newest first, at most 100. */
export async function findRevisions(reader: Writer, postId: string, below?: number) {
  const [rows] = await readInScope(reader, (source) => [selectRevisions(source, postId, below)])
  return rows
}

const selectRevisions = (source: Pick<Database, 'select'>, postId: string, below: number | undefined) =>
  source
    .select({
      number: revisions.number,
      title: revisions.title,
      isAside: revisions.isAside,
      restoredFrom: revisions.restoredFrom,
      authorId: revisions.authorId,
      authorName: users.name,
      authorImage: users.image,
      updatedAt: revisions.updatedAt,
    })
    .from(revisions)
    .leftJoin(users, eq(users.id, revisions.authorId))
    .where(
      and(ofScope(revisions.scopeId), eq(revisions.postId, postId), below ? lt(revisions.number, below) : undefined),
    )
    .orderBy(desc(revisions.number))
    .limit(100)

/** Two revisions to compare, or null if either does not exist. */
export async function findTexts(reader: Writer, postId: string, one: number, other: number) {
  const [rows] = await readInScope(reader, (source) => [
    source
      .select({
        number: revisions.number,
        ...textColumns,
        updatedAt: revisions.updatedAt,
        authorName: users.name,
      })
      .from(revisions)
      .leftJoin(users, eq(users.id, revisions.authorId))
      .where(
        and(
          ofScope(revisions.scopeId),
          eq(revisions.postId, postId),
          or(eq(revisions.number, one), eq(revisions.number, other)),
        ),
      ),
  ])
  const at = (number: number) => rows.find((row) => row.number === number)
  const [first, second] = [at(one), at(other)]
  return first && second ? ([first, second] as const) : null
}
