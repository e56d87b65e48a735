import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { normalizeEmail } from '@/core/auth/email'
import { db, lists } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'

/** What makes no sense is left out, as is the empty text that a form sends for what was not chosen. */
const orNothing = <Schema extends z.ZodType>(schema: Schema) => schema.optional().catch(undefined)
const somebody = orNothing(z.string().trim().min(1).max(320))

/** Beside which event: its moment and its number, as in "2026-11-01T12:00:00.000Z_17". */
const place = orNothing(
  z
    .templateLiteral([z.iso.datetime(), '_', z.int().positive()])
    .refine((text) => !Number.isNaN(Date.parse(text.split('_')[0] ?? ''))),
)

export const EventQuery = z.object({
  /** Who did it, and to whom: an address or an id. */
  actor: somebody,
  target: somebody,
  kind: orNothing(z.string().regex(/^[\w.]{1,100}$/)),
  /** Days, in UTC; both belong to it. */
  from: orNothing(z.iso.date()),
  to: orNothing(z.iso.date()),
  /** The events that are older than this one, or newer. */
  before: place,
  after: place,
})
export type EventQuery = z.output<typeof EventQuery>

const nobody = '00000000-0000-0000-0000-000000000000'

/** The id behind an address; of somebody who is gone only the id is left to ask by. */
async function idOf(text: string | undefined): Promise<string | undefined> {
  if (!text || z.uuid().safeParse(text).success) return text
  const [person] = await db
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.email})`, normalizeEmail(text) ?? ''))
  return person?.id ?? nobody
}

/** A page of what happened, the newest first, and where its neighbours begin. */
export async function findEvents({ actor, target, kind, from, to, ...sides }: EventQuery) {
  const [actorId, targetId] = await Promise.all([idOf(actor), idOf(target)])
  const wanted = [
    actorId && sql`actor_id = ${actorId}`,
    targetId && sql`target_id = ${targetId}`,
    kind && sql`kind = ${kind}`,
    from && sql`at >= ${from}::date at time zone 'UTC'`,
    to && sql`at < (${to}::date + 1) at time zone 'UTC'`,
  ].filter((condition) => typeof condition === 'object')
  return findPage(lists, [wanted], sides, 50)
}

/** What somebody did, and what was done to them. */
export const findHistory = (userId: string, sides: Pick<EventQuery, 'before' | 'after'>) =>
  findPage(
    db,
    [[sql`actor_id = ${userId}`], [sql`target_id = ${userId}`, sql`actor_id is distinct from ${userId}`]],
    sides,
    20,
  )

/** One walk along an index for each set of conditions, and the first of what they find. */
async function findPage(
  source: typeof lists,
  walks: SQL[][],
  { before, after }: Pick<EventQuery, 'before' | 'after'>,
  limit: number,
) {
  const beside = after ?? before
  const way = sql.raw(after ? 'asc' : 'desc')
  const [at, id] = beside?.split('_') ?? []
  const place = beside && sql`(at, id) ${sql.raw(after ? '>' : '<')} (${at}::timestamptz, ${id}::bigint)`
  const found = sql.join(
    walks.map((conditions) => {
      const all = sql.join([sql`true`, ...conditions, ...(place ? [place] : [])], sql` and `)
      return sql`(select * from audit_events where ${all} order by at ${way}, id ${way} limit ${limit + 1})`
    }),
    sql` union all `,
  )
  const nameOf = (column: SQL) => sql<string | null>`(select name from users where users.id = ${column})`
  const rows = await source
    .select({
      id: sql`page.id`.mapWith(Number),
      at: sql`page.at`.mapWith(auditEvents.at),
      kind: sql<string>`page.kind`,
      details: sql<Record<string, string | number | boolean> | null>`page.details`,
      ip: sql<string | null>`page.ip`,
      actorId: sql<string | null>`page.actor_id`,
      actorName: nameOf(sql`page.actor_id`),
      targetId: sql<string | null>`page.target_id`,
      targetName: nameOf(sql`page.target_id`),
      actingName: nameOf(sql`(page.details->>'acting_admin')::uuid`),
    })
    .from(sql`(${found}) as page`)
    .orderBy(sql`page.at ${way}`, sql`page.id ${way}`)
    .limit(limit + 1)
  const hasMore = rows.length > limit
  const events = rows.slice(0, limit)
  if (after) events.reverse()
  const cursor = (event: (typeof events)[number] | undefined) => event && `${event.at.toISOString()}_${event.id}`
  return {
    events,
    older: after || hasMore ? cursor(events.at(-1)) : undefined,
    newer: (after && hasMore) || (!after && before) ? cursor(events[0]) : undefined,
  }
}

/** The kinds of events that there are: from one to the next along the index, so that it does not matter how many. */
export async function findKinds(): Promise<string[]> {
  const { rows } = await lists.execute<{ kind: string }>(sql`
    with recursive kinds as (
      (select kind from audit_events order by kind limit 1)
      union all
      select (select kind from audit_events where audit_events.kind > kinds.kind order by kind limit 1) from kinds
      where kinds.kind is not null
    )
    select kind from kinds where kind is not null`)
  return rows.map(({ kind }) => kind)
}
