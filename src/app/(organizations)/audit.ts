import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { auditEvents } from '@/core/db/schema'
import { readInScope } from '@/core/db/scoped'
import type { Scope } from '@/core/scope'

const pageSize = 50

export const EventQuery = z.object({
  before: z.templateLiteral([z.iso.datetime(), '_', z.int().positive()]).optional().catch(undefined),
})

/** One page of what happened in an organization, newest first. */
export async function findEvents(reader: { id: string; scope: Scope }, { before }: z.output<typeof EventQuery>) {
  const [at, eventId] = before?.split('_') ?? []
  const isOlder = before ? sql`and (at, id) < (${at}::timestamptz, ${eventId}::bigint)` : sql``
  const nameOf = (column: SQL) => sql<string | null>`(select name from users where users.id = ${column})`
  const [rows] = await readInScope(reader, (source) => [
    source
      .select({
        id: sql`page.id`.mapWith(Number),
        at: sql`page.at`.mapWith(auditEvents.at),
        kind: sql<string>`page.kind`,
        details: sql<Record<string, string | number | boolean> | null>`page.details`,
        actorId: sql<string | null>`page.actor_id`,
        actorName: nameOf(sql`page.actor_id`),
        targetId: sql<string | null>`page.target_id`,
        targetName: nameOf(sql`page.target_id`),
      })
      .from(
        sql`(select * from audit_events where scope_id = ${reader.scope.id} ${isOlder}
          order by at desc, id desc limit ${pageSize + 1}) as page`,
      )
      .orderBy(sql`page.at desc`, sql`page.id desc`),
  ])
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  return { events: rows.slice(0, pageSize), older: last && `${last.at.toISOString()}_${last.id}` }
}
export type OrganizationEvent = Awaited<ReturnType<typeof findEvents>>['events'][number]
