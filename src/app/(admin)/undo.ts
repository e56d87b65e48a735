import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import type { Role } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import { decrypt, encrypt } from '@/core/auth/tokens/encrypt'
import { db, type Transaction } from '@/core/db/client'
import { auditEvents } from '@/core/db/schema'
import { AppError } from '@/core/errors'

// The token of an Undo button travels in a URL, which anyone can make up and send to an admin. So it names no users: it is
// encrypted, belongs to one admin, and only points to what the audit log says they did.

const purpose = 'admin.undo'
const minutes = 10

/** The time of a transaction, as its audit events have it: with milliseconds. */
export async function transactionTime(tx: Transaction): Promise<string> {
  const { rows } = await tx.execute<{ at: string }>(
    sql`select to_char(now()::timestamptz(3) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at`,
  )
  return rows[0]?.at ?? ''
}

/** The token with which this admin can undo what they did in the transaction at that time. */
export const undoToken = (actor: Pick<Actor, 'id'>, at: string) => encrypt(purpose, `${actor.id} ${at}`)

/** The users that the admin changed in that transaction, with the roles before and after if it changed them. */
export async function findUndoable(
  actor: Pick<Actor, 'id'>,
  token: string,
  kind: 'person.suspended' | 'role.changed',
): Promise<{ userId: string; from: Role; to: Role }[]> {
  const [actorId, at = ''] = decrypt(purpose, token)?.split(' ') ?? []
  const isRecent = Date.parse(at) > Date.now() - minutes * 60_000
  if (actorId !== actor.id || !isRecent) throw nothingToUndo()
  const events = await db
    .select({ targetId: auditEvents.targetId, details: auditEvents.details })
    .from(auditEvents)
    .where(and(eq(auditEvents.actorId, actor.id), eq(auditEvents.at, new Date(at)), eq(auditEvents.kind, kind)))
  return events.flatMap(({ targetId, details }) =>
    targetId ? [{ userId: targetId, from: details?.from as Role, to: details?.to as Role }] : [],
  )
}

export const nothingToUndo = () => new AppError('not_found', 'It’s too late to undo this.')
