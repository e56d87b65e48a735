import 'server-only'
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { resetByAdminEmail } from '@/core/auth/emails'
import type { AppAllow, Role } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import { revokeSessions } from '@/core/auth/session/sessions'
import { type LockedActor, transactionAs } from '@/core/auth/transaction-as'
import { deleteUser } from '@/core/auth/user/delete'
import { type RoleChange, setRole, setRoles, suspendUsers } from '@/core/auth/user/rights'
import { db, type Transaction } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { type ClientInfo, getClientInfo } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { modules } from '@/modules'
import { can } from './policy'
import { findUndoable, nothingToUndo, transactionTime, undoToken } from './undo'

const notFound = () => new AppError('not_found', 'User not found.')

const currentClient = async () => getClientInfo(await headers())

/** How many users an action has changed, and the token to undo it; without one if it has changed nothing. */
interface Change {
  count: number
  undo?: string
}

/** Selected users never include the admin: by mistake, they would lose the right to make good what they did. */
function rejectSelf(actor: Actor, userIds: string[], message: string): void {
  if (userIds.includes(actor.id)) throw new AppError('invalid_input', undefined, { fields: { ids: [message] } })
}

/** Runs work that returns what it has changed, in a transaction with these users locked. */
async function changeUsers(
  actor: Actor,
  allow: AppAllow,
  userIds: string[],
  work: (tx: Transaction, locked: LockedActor, client: ClientInfo) => Promise<unknown[]>,
): Promise<Change> {
  const client = await currentClient()
  const run = async (tx: Transaction, locked: LockedActor) => {
    const [{ length: count }, at] = await Promise.all([work(tx, locked, client), transactionTime(tx)])
    return { count, at }
  }
  const { count, at } = await transactionAs(actor, allow, run, { locks: userIds })
  return count === 0 ? { count } : { count, undo: undoToken(actor, at) }
}

export const changeRole = (actor: Actor, userId: string, role: Role): Promise<Change> =>
  changeUsers(actor, can('users.change_role'), [userId], (tx, locked, client) =>
    setRole(tx, locked, { userId, role }, client),
  )

/** Gives users a role. Returns how many of them had another one. */
export async function changeRoles(actor: Actor, userIds: string[], role: Role): Promise<Change> {
  rejectSelf(actor, userIds, 'You can’t change your own role here.')
  const changes = userIds.map((userId) => ({ userId, role }))
  return changeUsers(actor, can('users.change_role'), userIds, (tx, locked, client) =>
    setRoles(tx, locked, changes, client),
  )
}

/** Gives users the roles back that they had before this admin changed them, unless they were changed again since. */
export async function undoRoleChange(actor: Actor, token: string): Promise<number> {
  const undoable = await findUndoable(actor, token, 'role.changed')
  const changes: RoleChange[] = undoable
    .filter(({ userId }) => userId !== actor.id)
    .map(({ userId, from, to }) => ({ userId, role: from, from: to }))
  if (changes.length === 0) throw nothingToUndo()
  const userIds = changes.map(({ userId }) => userId)
  const { count } = await changeUsers(actor, can('users.change_role'), userIds, (tx, locked, client) =>
    setRoles(tx, locked, changes, client),
  )
  if (count === 0) throw nothingToUndo()
  return count
}

/** Suspends users. Returns how many of them were not suspended before. */
export async function suspend(actor: Actor, userIds: string[]): Promise<Change> {
  rejectSelf(actor, userIds, 'You can’t suspend yourself.')
  return changeUsers(actor, can('users.suspend'), userIds, (tx, locked, client) =>
    suspendUsers(tx, locked, userIds, client),
  )
}

export async function restore(actor: Actor, userId: string): Promise<void> {
  const { count } = await restoreAll(actor, [userId])
  if (count === 0) throw new AppError('not_found', 'This user isn’t suspended.')
}

/** Restores the users whom this admin suspended. */
export async function undoSuspension(actor: Actor, token: string): Promise<number> {
  const undoable = await findUndoable(actor, token, 'person.suspended')
  if (undoable.length === 0) throw nothingToUndo()
  const { count } = await restoreAll(
    actor,
    undoable.map(({ userId }) => userId),
  )
  if (count === 0) throw nothingToUndo()
  return count
}

const restoreAll = (actor: Actor, userIds: string[]): Promise<Change> =>
  changeUsers(actor, can('users.suspend'), userIds, async (tx, locked, client) => {
    const restored = await tx
      .update(users)
      .set({ suspendedAt: null, updatedAt: sql`now()` })
      .where(and(inArray(users.id, userIds), isNotNull(users.suspendedAt)))
      .returning({ targetId: users.id })
    const events = restored.map(({ targetId }) => ({ actorId: locked.id, targetId, client }))
    await recordAuditEvent(tx, 'person.restored', ...events)
    return restored
  })

/** Ends one session of the user, or all. */
export async function endSessions(actor: Actor, userId: string, only?: string): Promise<void> {
  const client = await currentClient()
  const work = async (tx: Transaction) => {
    const count = await revokeSessions(tx, userId, only === undefined ? {} : { only })
    if (count === 0) throw new AppError('not_found', 'That session has already ended.')
    await recordAuditEvent(tx, 'session.revoked', { actorId: actor.id, targetId: userId, client, details: { count } })
  }
  await transactionAs(actor, can('users.sign_out'), work, { locks: [userId] })
}

/** Ends all sessions of users. Returns how many of the users had one. */
export async function endAllSessions(actor: Actor, userIds: string[]): Promise<number> {
  rejectSelf(actor, userIds, 'You can’t sign yourself out here.')
  const { count } = await changeUsers(actor, can('users.sign_out'), userIds, async (tx, locked, client) => {
    const ended = await tx
      .delete(sessions)
      .where(inArray(sessions.userId, userIds))
      .returning({ userId: sessions.userId })
    const byUser = [...Map.groupBy(ended, ({ userId }) => userId)]
    const events = byUser.map(([targetId, { length }]) => ({
      actorId: locked.id,
      targetId,
      client,
      details: { count: length },
    }))
    await recordAuditEvent(tx, 'session.revoked', ...events)
    return byUser
  })
  return count
}

const resetLimit = defineLimit('admin_reset', { points: 5, seconds: 60 * 60 })

/** Sends the user a password reset link. The admin never sees it. */
export async function sendReset(actor: Actor, userId: string): Promise<void> {
  await resetLimit.consume(userId)
  const client = await currentClient()
  const work = async (tx: Transaction) => {
    const [user] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.suspendedAt)))
    if (!user) throw notFound()
    await enqueue(tx, resetByAdminEmail, { userId })
    await recordAuditEvent(tx, 'password.reset_sent', { actorId: actor.id, targetId: userId, client })
  }
  await transactionAs(actor, can('users.reset'), work, { locks: [userId] })
}

/**
 * Removes the second factor of a user who lost it, and ends all their sessions. The admin must have verified the user's
 * identity in another way.
 */
export async function removeSecondFactor(actor: Actor, userId: string): Promise<void> {
  if (userId === actor.id)
    throw new AppError('forbidden', 'You can’t turn off your own two-factor here. Ask another admin.')
  const client = await currentClient()
  const work = async (tx: Transaction) => {
    const [user] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
    if (!user) throw notFound()
    for (const module of modules) await module.removeSecondFactor?.(tx, userId, actor.id)
    const count = await revokeSessions(tx, userId)
    if (count > 0)
      await recordAuditEvent(tx, 'session.revoked', { actorId: actor.id, targetId: userId, client, details: { count } })
  }
  await transactionAs(actor, can('users.reset'), work, { locks: [userId] })
}

/** Deletes another user. The admin types the user's email, so that the wrong user is not deleted by mistake. */
export async function removeUser(actor: Actor, userId: string, typedEmail: string): Promise<void> {
  if (userId === actor.id) throw new AppError('forbidden', 'Delete your own account in Settings.')
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  if (!user) throw notFound()
  if (typedEmail.trim().toLowerCase() !== user.email.toLowerCase()) {
    throw new AppError('invalid_input', undefined, { fields: { typedEmail: ['Type this user’s email exactly'] } })
  }
  await deleteUser(actor, can('users.delete'), userId)
}
