import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { normalizeEmail } from '@/core/auth/user/email'
import { db, readReplica } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { type TimeFormat, timeFormatFor } from '@/core/time/time-format'
import { findScopeProvider } from '@/scope-provider'
import { capitalize } from './capitalize'
import { findUsers } from './list-users'

const userText = z
  .string()
  .trim()
  .min(1)
  .max(320)
  // PostgreSQL text cannot contain NUL; the query would fail with an error.
  .refine((text) => !text.includes('\0'))

const filters = {
  user: userText.meta({
    description: 'Id, email, or start of a name or email: events by and about the users it matches, at most 5',
  }),
  actor: userText.meta({ description: 'Id or email of the user who caused the event' }),
  target: userText.meta({ description: 'Id or email of the user it is about' }),
  kind: z.string().regex(/^[\w.]{1,100}$/),
  from: z.iso.date().meta({ description: 'First day, in your time zone' }),
  to: z.iso.date().meta({ description: 'Last day, in your time zone' }),
}
export const EventFilter = z.object(filters).partial()
export type EventFilter = z.output<typeof EventFilter>

/** Ignores invalid values, and the empty string that a form sends for an unset filter. */
const optionalFilter = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)

/** Cursor: time and id of an event, such as "2026-11-01T12:00:00.000Z_17". */
const cursorSchema = optionalFilter(
  z
    .templateLiteral([z.iso.datetime(), '_', z.int().positive()])
    // PostgreSQL has no year 0.
    .refine((text) => !Number.isNaN(Date.parse(text.split('_')[0] ?? '')) && !text.startsWith('0000')),
)

export const EventQuery = z.object({
  user: optionalFilter(filters.user),
  actor: optionalFilter(filters.actor),
  target: optionalFilter(filters.target),
  kind: optionalFilter(filters.kind),
  from: optionalFilter(filters.from),
  to: optionalFilter(filters.to),
  /** Cursors: events older than `before`, or newer than `after`. */
  before: cursorSchema,
  after: cursorSchema,
})
export type EventQuery = z.output<typeof EventQuery>

const unknownUserId = '00000000-0000-0000-0000-000000000000'

/** Resolves an email to a user id. Deleted users can be found only by their id. */
async function resolveUserId(text: string | undefined): Promise<string | undefined> {
  if (!text || z.uuid().safeParse(text).success) return text
  const [user] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.email})`, normalizeEmail(text) ?? ''))
  return user?.id ?? unknownUserId
}

/** The log shows the events of at most this many users who match a name. */
const maxMatches = 5

/** Finds the users that a filter means. Deleted users can be found only by their id. */
async function findMatches(text: string): Promise<{ ids: string[]; names: string[]; hasMore: boolean }> {
  if (z.uuid().safeParse(text).success) return { ids: [text], names: [], hasMore: false }
  const { users: found } = await findUsers({ search: text.slice(0, 100), limit: maxMatches + 1 })
  const exact = found.filter(({ email }) => email.toLowerCase() === text.toLowerCase())
  const matches = exact.length > 0 ? exact : found.slice(0, maxMatches)
  return {
    ids: matches.length > 0 ? matches.map(({ id }) => id) : [unknownUserId],
    names: matches.map(({ name }) => name),
    hasMore: exact.length === 0 && found.length > maxMatches,
  }
}

/** Conditions for the events by and about these users, each event once: one index scan per user and column. */
function scansOf(ids: string[]): SQL[][] {
  const list = sql.join(
    ids.map((id) => sql`${id}::uuid`),
    sql`, `,
  )
  return [
    ...ids.map((id) => [sql`actor_id = ${id}`]),
    ...ids.map((id) => [sql`target_id = ${id}`, sql`(actor_id is null or actor_id not in (${list}))`]),
  ]
}

/** As a number: the text of a date after the year 9999 would not be valid in SQL. */
const instant = (at: Date) => sql`to_timestamp(${at.getTime() / 1000}::float8)`

/** The index scans of a query, and the users that `user` matched. Its days are those of the time zone. */
async function resolveQuery({ user, actor, target, kind, from, to }: EventFilter, times: TimeFormat) {
  const [matches, actorId, targetId] = await Promise.all([
    user === undefined ? undefined : findMatches(user),
    resolveUserId(actor),
    resolveUserId(target),
  ])
  const conditions = [
    actorId && sql`actor_id = ${actorId}`,
    targetId && sql`target_id = ${targetId}`,
    kind && sql`kind = ${kind}`,
    from && sql`at >= ${instant(times.startOfDay(from))}`,
    to && sql`at < ${instant(times.startOfDay(to, 1))}`,
  ].filter((condition) => typeof condition === 'object')
  const scans = matches ? scansOf(matches.ids).map((scan) => [...scan, ...conditions]) : [conditions]
  return { scans, matches }
}

/** One page of audit events, newest first, with cursors for the neighboring pages, and the users that `user` matched. */
export async function findEvents({ before, after, ...filter }: EventQuery, times = timeFormatFor()) {
  const { scans, matches } = await resolveQuery(filter, times)
  return { ...(await findPage(readReplica, scans, { before, after }, 50)), matches }
}

/** All events of a filter, newest first, page by page. Fails if `user` matches more users than are searched for. */
export async function prepareExport(filter: EventFilter, times: TimeFormat): Promise<AsyncGenerator<AuditEvent[]>> {
  const { scans, matches } = await resolveQuery(filter, times)
  if (matches?.hasMore) {
    const fields = { user: [`More than ${maxMatches} users match`] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  return readPages(scans)
}

async function* readPages(scans: SQL[][]): AsyncGenerator<AuditEvent[]> {
  let before: EventQuery['before']
  do {
    const { events, older } = await findPage(readReplica, scans, { before }, 1_000)
    yield events
    before = older
  } while (before)
}

/** Audit events with the user as actor or as target. */
export async function findHistory(userId: string, cursors: Pick<EventQuery, 'before' | 'after'>, limit = 20) {
  const { events, ...rest } = await findPage(db, scansOf([userId]), cursors, limit)
  return { ...rest, events: events.map((event): AuditEvent => ({ ...event, ofUserId: userId })) }
}

/** The id of an event in a URL. It has the time as well, because the log is indexed and partitioned by time. */
export const eventKey = ({ at, id }: Pick<AuditEvent, 'at' | 'id'>) => `${at.getTime()}-${id}`

/** One event by its key. */
export async function findEvent(key: string): Promise<AuditEvent | undefined> {
  const [, time, id] = /^(\d{1,13})-(\d{1,18})$/.exec(key) ?? []
  if (!time || !id) return undefined
  const at = new Date(Number(time)).toISOString()
  const { events } = await findPage(readReplica, [[sql`at = ${at}::timestamptz`, sql`id = ${id}::bigint`]], {}, 1)
  return events[0]
}

export type AuditEvent = Awaited<ReturnType<typeof findPage>>['events'][number] & {
  /** The user whose history this event was found for. */
  ofUserId?: string
}

/** Where it happened, if that was not the app itself: "Organization: Acme". */
export function scopeOf({ scopeId, scopeName }: AuditEvent): { label: string; value: string } | null {
  const noun = findScopeProvider()?.noun.one ?? 'scope'
  return scopeId ? { label: capitalize(noun), value: scopeName ?? `Deleted ${noun}` } : null
}

/** Runs one index scan per set of conditions and merges the first rows of each. */
async function findPage(
  source: typeof readReplica,
  scans: SQL[][],
  { before, after }: Partial<Pick<EventQuery, 'before' | 'after'>>,
  limit: number,
) {
  const position = after ?? before
  const direction = sql.raw(after ? 'asc' : 'desc')
  const [at, id] = position?.split('_') ?? []
  const cursorCondition = position && sql`(at, id) ${sql.raw(after ? '>' : '<')} (${at}::timestamptz, ${id}::bigint)`
  const found = sql.join(
    scans.map((conditions) => {
      const all = sql.join([sql`true`, ...conditions, ...(cursorCondition ? [cursorCondition] : [])], sql` and `)
      return sql`(select * from audit_events where ${all} order by at ${direction}, id ${direction} limit ${limit + 1})`
    }),
    sql` union all `,
  )
  const nameOf = (column: SQL) => sql<string | null>`(select name from users where users.id = ${column})`
  const scopeName = findScopeProvider()?.name(sql`page.scope_id`) ?? sql`null::text`
  const rows = await source
    .select({
      id: sql`page.id`.mapWith(Number),
      at: sql`page.at`.mapWith(auditEvents.at),
      kind: sql<string>`page.kind`,
      details: sql<Record<string, string | number | boolean> | null>`page.details`,
      ip: sql<string | null>`page.ip`,
      userAgent: sql<string | null>`page.user_agent`,
      actorId: sql<string | null>`page.actor_id`,
      actorName: nameOf(sql`page.actor_id`),
      targetId: sql<string | null>`page.target_id`,
      targetName: nameOf(sql`page.target_id`),
      impersonatorId: sql<string | null>`page.details->>'acting_admin'`,
      impersonatorName: nameOf(sql`(page.details->>'acting_admin')::uuid`),
      scopeId: sql<string | null>`page.scope_id`,
      scopeName: sql<string | null>`(${scopeName})`,
    })
    .from(sql`(${found}) as page`)
    .orderBy(sql`page.at ${direction}`, sql`page.id ${direction}`)
    .limit(limit + 1)
  const hasMore = rows.length > limit
  const events = rows.slice(0, limit)
  if (after) events.reverse()
  const formatCursor = (event: (typeof events)[number] | undefined) =>
    event && (`${event.at.toISOString()}_${event.id}` as const)
  return {
    events,
    older: after || hasMore ? formatCursor(events.at(-1)) : undefined,
    newer: (after && hasMore) || (!after && before) ? formatCursor(events[0]) : undefined,
  }
}

/** All existing kinds. Skips from one kind to the next in the index, so the number of events does not matter. */
export async function findKinds(): Promise<string[]> {
  const { rows } = await readReplica.execute<{ kind: string }>(sql`
    with recursive kinds as (
      (select kind from audit_events order by kind limit 1)
      union all
      select (select kind from audit_events where audit_events.kind > kinds.kind order by kind limit 1) from kinds
      where kinds.kind is not null
    )
    select kind from kinds where kind is not null`)
  return rows.map(({ kind }) => kind)
}
