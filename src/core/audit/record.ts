import 'server-only'
import type { Origin } from '../address'
import type { Database } from '../db/client'
import { auditEvents } from '../db/schema'

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
export async function record(tx: Pick<Database, 'insert'>, kind: Kind, event: Event): Promise<void> {
  const { actorId, targetId, from, details } = event
  await tx.insert(auditEvents).values({ kind, actorId, targetId, details, ip: from?.ip, userAgent: from?.userAgent })
}
