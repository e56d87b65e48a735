import 'server-only'
import { asc, eq, inArray } from 'drizzle-orm'
import type { Transaction } from '../db/client'
import { inTransaction } from '../db/in-transaction'
import { sessions, users } from '../db/schema'
import { enterAs, statementScopeOf } from '../db/scoped'
import { withStatementScope } from '../db/tenant-check'
import { AppError } from '../errors'
import { type Caller, currentRequest } from '../http/request'
import type { Scope, ScopeMember } from '../scope'
import { type Allow, type AppAllow, isAllowed } from './policy'
import { isAdminRole, isAtMost, lowerRole, type Role } from './roles'
import type { Actor } from './session/actor'

declare const brand: unique symbol

/** The caller with the role that the database has now. Only `transactionAs` creates one. */
export interface LockedActor {
  id: string
  role: Role
  scope?: undefined
  [brand]: true
}

/** The caller in a scope, or in the app itself (null), with the role that the database has there now. */
export interface LockedMember {
  id: string
  role: Role
  scope: Scope | null
  [brand]: true
}

type AppCaller = Pick<Actor, 'id' | 'role'>
/**
 * The caller of an entry point whose permission is decided in a scope.
 * @public For modules with scopes.
 */
export type Member = AppCaller & { scope: Scope }

/**
 * Runs a transaction on behalf of a user. Locks the user row first and checks the permission again, so that a
 * concurrent demotion, suspension or deletion either waits for this transaction or makes it fail. `locks` are the ids
 * of other users whose rows the work changes. Nobody changes a user whose role in the app is above their own.
 *
 * If the permission is decided in a scope, the transaction enters it, and the role there decides. Code that changes a membership
 * locks its user in the same way.
 *
 * Lock order, the same everywhere to avoid deadlocks: users by id, then the 'admins' advisory lock, then the rest.
 */
export function transactionAs<Data>(
  actor: AppCaller,
  allow: AppAllow,
  work: (tx: Transaction, actor: LockedActor) => Promise<Data>,
  options?: { locks?: string[] },
): Promise<Data>
export function transactionAs<Data>(
  actor: Member,
  allow: Allow<'scope'>,
  work: (tx: Transaction, actor: LockedMember & { scope: Scope }) => Promise<Data>,
  options?: { locks?: string[] },
): Promise<Data>
export function transactionAs<Data>(
  actor: AppCaller & ScopeMember,
  allow: Allow<'scope or app'>,
  work: (tx: Transaction, actor: LockedMember) => Promise<Data>,
  options?: { locks?: string[] },
): Promise<Data>
export function transactionAs<Data>(
  actor: AppCaller & ScopeMember,
  allow: Allow,
  work: (tx: Transaction, actor: never) => Promise<Data>,
  { locks = [] }: { locks?: string[] } = {},
): Promise<Data> {
  if (allow.where === 'app')
    return inTransaction(async (tx) => {
      const { role: ownRole, others } = await lockActor(tx, { actorId: actor.id, session: await findSession(), locks })
      const role = lowerRole(ownRole, actor.role)
      const locked = checkRole({ id: actor.id, role }, allow)
      if (others.some((other) => !isAtMost(other, role)))
        throw new AppError('forbidden', 'This user has a higher role than you.')
      return work(tx, locked as never)
    })
  const member = { id: actor.id, scope: actor.scope ?? null }
  if (allow.where === 'scope' && !member.scope) return Promise.reject(new AppError('not_found'))
  return withStatementScope(statementScopeOf(member), () =>
    inTransaction(
      async (tx) => {
        const session = await findSession()
        // Sent together, and in this order: the role in the scope is read once the lock is held.
        const [caller, scopeRole] = await Promise.all([
          lockActor(tx, { actorId: actor.id, session, locks }),
          enterAs(tx, member),
        ])
        const role = member.scope ? scopeRole : caller.role
        if (!role) throw new AppError('not_found')
        return work(tx, checkRole({ ...member, role: lowerRole(role, actor.role) }, allow) as never)
      },
      { isInScope: true },
    ),
  )
}

/**
 * Like `transactionAs`, for users who change how they sign in, which needs no permission: fails if the user was suspended or
 * the session has ended meanwhile.
 */
export const transactionAsSelf = <Data>(
  userId: string,
  work: (tx: Transaction, role: Role) => Promise<Data>,
  options?: Parameters<typeof inTransaction>[1],
): Promise<Data> =>
  inTransaction(async (tx) => {
    const { role } = await lockActor(tx, { actorId: userId, session: await findSession(), locks: [] })
    return work(tx, role)
  }, options)

/** Of a job or an API client: none. */
const findSession = async () => currentRequest()?.session

/**
 * Locks the caller with their session, the admin who impersonates them, and the users of `locks`. Returns the role of the caller
 * in the app, and those of the others.
 */
async function lockActor(
  tx: Transaction,
  { actorId, session, locks }: { actorId: string; session: Caller | null | undefined; locks: string[] },
): Promise<{ role: Role; others: Role[] }> {
  const admin = session?.impersonatedBy
  const [rows, isOpen] = await Promise.all([
    lockRows(tx, [actorId, ...(admin ? [admin.id] : []), ...locks]),
    !session || lockSession(tx, session.id),
  ])
  const active = activeRoles(rows)
  const role = active.get(actorId)
  // Impersonation ends when the admin stops being one, or the user becomes one.
  if (!role || !isOpen || (admin && (!isAdminRole(active.get(admin.id)) || isAdminRole(role))))
    throw new AppError('unauthenticated', lostPermissionMessage)
  return { role, others: rows.filter(({ id }) => locks.includes(id)).map((row) => row.role) }
}

/** Keeps a session from ending until the transaction ends. Whether it has not ended already. */
async function lockSession(tx: Transaction, id: string): Promise<boolean> {
  const rows = await tx.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, id)).for('key share')
  return rows.length > 0
}

/** An API token may have a lower role than its owner, which `role` takes into account. */
function checkRole<Locked extends { role: Role }>(locked: Locked, allow: Allow): Locked {
  if (!isAllowed(locked.role, allow)) throw new AppError('forbidden', lostPermissionMessage)
  return locked
}

const lostPermissionMessage = 'You no longer have permission to do this.'

/**
 * Locks users until the transaction ends and returns the roles of those who are neither deleted nor suspended. Not `for
 * share`: two transactions of one user could both hold that lock and then deadlock when they update the row.
 * @public For jobs that run on behalf of a user.
 */
export async function lockUsers(tx: Transaction, userIds: string[]): Promise<Map<string, Role>> {
  return activeRoles(await lockRows(tx, userIds))
}

const lockRows = (tx: Transaction, userIds: string[]) =>
  tx
    .select({ id: users.id, role: users.role, suspendedAt: users.suspendedAt })
    .from(users)
    .where(inArray(users.id, userIds))
    .orderBy(asc(users.id))
    .for('no key update')

const activeRoles = (rows: Awaited<ReturnType<typeof lockRows>>) =>
  new Map(rows.filter(({ suspendedAt }) => suspendedAt === null).map(({ id, role }) => [id, role]))
