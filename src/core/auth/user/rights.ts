import 'server-only'
import { and, asc, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { sessions, users } from '../../db/schema'
import { AppError } from '../../errors'
import type { ClientInfo } from '../../http/client-ip'
import { appScopeId } from '../../scope'
import { isAdminRole, isAtMost, type Role, roles } from '../roles'
import type { LockedActor } from '../transaction-as'
import { ensureAdminRemains } from './admins'

/**
 * Every role change and suspension goes through this file, so that modules can end what the users may no longer do. Also for the
 * module that has the scopes: it changes roles in them.
 */
export async function endLostRights(
  tx: Transaction,
  userIds: string[],
  role: Role | null,
  actorId: string,
  scopeId?: string,
): Promise<void> {
  if (userIds.length === 0) return
  for (const module of modules) await module.onRightsChange?.(tx, { userIds, role, actorId, scopeId })
}

/**
 * Nobody gives a role above their own, whatever else they may do, or changes a member who has one.
 * @public For modules that manage users or members.
 */
export function rejectHigherRole(actor: Pick<LockedActor, 'role'>, role: Role): void {
  if (!isAtMost(role, actor.role)) throw new AppError('forbidden', 'That role is above your own.')
}

/**
 * Changes the role of a user, who must exist; see `setRoles`.
 * @public For a module that manages users.
 */
export async function setRole(tx: Transaction, actor: LockedActor, change: RoleChange, client: ClientInfo) {
  const { found, changed } = await changeRoles(tx, actor, [change], client)
  if (found.length === 0) throw new AppError('not_found', 'User not found.')
  return changed
}

export interface RoleChange {
  userId: string
  role: Role
  /** Only if the user still has this role. */
  from?: Role
}

/**
 * Changes roles, effective at the users' next request. The transaction must have locked the users. Ids without a user are
 * ignored. Returns the users whose role is another now.
 * @public For a module that manages users.
 */
export const setRoles = async (tx: Transaction, actor: LockedActor, changes: RoleChange[], client: ClientInfo) =>
  (await changeRoles(tx, actor, changes, client)).changed

async function changeRoles(tx: Transaction, actor: LockedActor, changes: RoleChange[], client: ClientInfo) {
  for (const { role } of changes) rejectHigherRole(actor, role)
  const demoted = changes.filter(({ role }) => !isAdminRole(role)).map(({ userId }) => userId)
  const wanted = new Map(changes.map((change) => [change.userId, change]))
  const [found] = await Promise.all([
    tx
      .select({ id: users.id, role: users.role })
      .from(users)
      .where(inArray(users.id, [...wanted.keys()]))
      .orderBy(asc(users.id))
      .for('update'),
    demoted.length > 0 ? ensureAdminRemains(tx, ...demoted) : undefined,
  ])
  const changed = found.flatMap(({ id, role: from }) => {
    const change = wanted.get(id)
    const isDue = change && change.role !== from && (change.from ?? from) === from
    return isDue ? [{ userId: id, from, to: change.role }] : []
  })
  const byRole = roles
    .map((role) => ({ role, userIds: changed.filter(({ to }) => to === role).map(({ userId }) => userId) }))
    .filter(({ userIds }) => userIds.length > 0)
  const events = changed.map(({ userId, from, to }) => ({
    actorId: actor.id,
    targetId: userId,
    client,
    details: { from, to },
  }))
  await Promise.all([
    ...byRole.map(({ role, userIds }) =>
      tx.update(users).set({ role, updatedAt: sql`now()` }).where(inArray(users.id, userIds)),
    ),
    recordAuditEvent(tx, 'role.changed', ...events),
    endImpersonations(
      tx,
      changed.map(({ userId }) => userId),
    ),
  ])
  for (const { role, userIds } of byRole) await endLostRights(tx, userIds, role, actor.id, appScopeId)
  return { found, changed }
}

/** Ends impersonation of and by these users. It is rejected anyway, but would go on if they got their former role back. */
async function endImpersonations(tx: Transaction, userIds: string[]): Promise<void> {
  const own = tx.select({ id: sessions.id }).from(sessions).where(inArray(sessions.userId, userIds))
  const isOfThese = or(inArray(sessions.userId, userIds), inArray(sessions.impersonatorSessionId, own))
  await tx.delete(sessions).where(and(isNotNull(sessions.impersonatorSessionId), isOfThese))
}

/**
 * Suspends users and ends their sessions; their data stays. Returns the ids of those who were not suspended before.
 * @public For a module that manages users.
 */
export async function suspendUsers(tx: Transaction, actor: LockedActor, userIds: string[], client: ClientInfo) {
  await ensureAdminRemains(tx, ...userIds)
  const suspended = await tx
    .update(users)
    .set({ suspendedAt: sql`now()`, updatedAt: sql`now()` })
    .where(and(inArray(users.id, userIds), isNull(users.suspendedAt)))
    .returning({ id: users.id })
  const ids = suspended.map(({ id }) => id)
  await tx.delete(sessions).where(inArray(sessions.userId, ids))
  await recordAuditEvent(tx, 'person.suspended', ...ids.map((targetId) => ({ actorId: actor.id, targetId, client })))
  await endLostRights(tx, ids, null, actor.id)
  return ids
}
