import 'server-only'
import type { Origin } from '../address'
import type { Database } from '../db/client'
import { auditEvents } from '../db/schema'
import { currentRequest } from '../request'
import { auditEntries } from '../telemetry/metrics'

/** What happened: whose thing it is, then what, such as `password.changed`. */
type Kind = `${string}.${string}`

interface Event {
  /** Who did it; absent when nobody knows, or the app itself did. */
  actorId?: string | undefined
  /** To whom. */
  targetId?: string | undefined
  from?: Origin
  /** Facts that help to understand it. Never a name, an address, a token or a password. */
  details?: Record<string, string | number | boolean>
}

/** Writes down what happened, in the transaction in which it happens. Nobody can change it afterwards. */
export async function record(tx: Pick<Database, 'insert'>, kind: Kind, ...events: Event[]): Promise<void> {
  const admin = (await currentRequest()?.session)?.actingAdmin
  const rows = events.map(({ from, details, ...event }) => ({
    ...event,
    kind,
    ip: from?.ip,
    userAgent: from?.userAgent,
    // What is done for somebody is theirs in name only.
    details: admin && admin.id !== event.actorId ? { ...details, acting_admin: admin.id } : details,
  }))
  if (rows.length === 0) return
  await tx.insert(auditEvents).values(rows)
  auditEntries.add(rows.length, { 'plinth.kind': kind })
}
