import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client'
import { auditEvents } from '../db/schema'
import { currentStatementScope } from '../db/tenant-check'
import type { ClientInfo } from '../http/client-ip'
import { currentRequest } from '../http/request'
import { appScopeId } from '../scope'
import { auditEventCount } from '../telemetry/metrics'

/** Kind of event: subject and verb, such as `password.changed`. */
type AuditKind = `${string}.${string}`

interface AuditEvent<Id = string> {
  /** The user who did it; absent if unknown, or if the app itself did it. */
  actorId?: Id | undefined
  /** The user it was done to. */
  targetId?: Id | undefined
  client?: ClientInfo
  /** Additional facts. Never a name, an email, a token or a password. */
  details?: Record<string, string | number | boolean>
  /** The scope in which it happened, if the transaction has not entered it. */
  scopeId?: string
}

/** Records audit events in the transaction that causes them. They cannot be changed afterwards. */
export async function recordAuditEvent(
  tx: Pick<Database, 'insert'>,
  kind: AuditKind,
  ...events: AuditEvent[]
): Promise<void> {
  const admin = await findImpersonator()
  const rows = events.map(({ client, ...event }) => ({
    ...event,
    kind,
    ip: client?.ip,
    userAgent: client?.userAgent,
    details: withAdmin(event, admin),
    scopeId: scopeIdOf(event),
  }))
  if (rows.length === 0) return
  await tx.insert(auditEvents).values(rows)
  countAuditEvents(kind, rows.length)
}

/**
 * SQL that records an event for each row of `source`, to end the statement that causes it. Call `countAuditEvents` if it
 * had an effect.
 */
export async function auditEventSql(
  kind: AuditKind,
  { client, ...event }: AuditEvent<string | SQL>,
  source: SQL,
): Promise<SQL> {
  const details = withAdmin(event, await findImpersonator())
  return sql`insert into ${auditEvents} (kind, actor_id, target_id, ip, user_agent, details)
    select ${kind}, ${event.actorId ?? null}::uuid, ${event.targetId ?? null}::uuid, ${client?.ip ?? null}::inet,
      ${client?.userAgent ?? null}::text, ${details ? JSON.stringify(details) : null}::jsonb from ${source}`
}

/** The scope of the event, or the one that the transaction has entered; null in the app itself. */
function scopeIdOf(event: Pick<AuditEvent, 'scopeId'>): string | null {
  const scopeId = event.scopeId ?? currentStatementScope()?.scopeId ?? appScopeId
  return scopeId === appScopeId ? null : scopeId
}

export const countAuditEvents = (kind: AuditKind, count = 1) => auditEventCount.add(count, { 'plinth.kind': kind })

const findImpersonator = async () => (await currentRequest()?.session)?.impersonatedBy

/** While an admin impersonates a user, the actor is the user: record the admin as well. */
const withAdmin = ({ actorId, details }: AuditEvent<unknown>, admin: Awaited<ReturnType<typeof findImpersonator>>) =>
  admin && admin.id !== actorId ? { ...details, acting_admin: admin.id } : details
