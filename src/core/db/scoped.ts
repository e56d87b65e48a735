import 'server-only'
import { type Column, eq, type SQL, sql } from 'drizzle-orm'
import { findScopeProvider } from '@/scope-provider'
import type { Role } from '../auth/roles'
import { AppError } from '../errors'
import { appScopeId, type ScopeMember } from '../scope'
import { type Database, db, type Transaction } from './client'
import { inOneRoundTrip, inTransaction } from './in-transaction'
import { scopedRole } from './scope-wall'
import { currentStatementScope, withStatementScope } from './tenant-check'

/**
 * The condition that a row belongs to the scope that was entered: `where(and(eq(posts.id, id), ofScope(posts.scopeId)))`.
 * @public For modules with tenant tables.
 */
export function ofScope(column: Column): SQL {
  const scopeId = currentStatementScope()?.scopeId
  if (scopeId === undefined) throw new Error('No scope was entered: use inScope or readInScope.')
  return eq(column, scopeId)
}

/**
 * Whether the statements run in the app itself, and not in a scope.
 * @public For modules with tenant tables.
 */
export const isInApp = (): boolean => (currentStatementScope()?.scopeId ?? appScopeId) === appScopeId

type Source = Pick<Database, 'select' | 'insert' | 'update' | 'delete' | 'execute'>

/**
 * Enters a scope until the transaction ends: one statement switches to the role that row-level security applies to, sets the
 * scope, and checks the membership in the database. For a user who is not a member the scope is empty, and no row is visible.
 */
const enter = (tx: Source, scopeId: string, role: SQL) =>
  tx.execute<{ role: Role | null }>(sql`
    select set_config('role', ${scopedRole}, true), member.role,
      set_config('app.scope_id', case when member.role is null then '' else ${scopeId} end, true)
    from (select (${role}) as role) as member`)

/** The app itself has no members: anyone who may call the code may enter. */
const unchecked = sql`select 'app'`

function memberRole({ id, scope }: ScopeMember): SQL {
  if (!scope) return unchecked
  const provider = findScopeProvider()
  if (!provider) throw new AppError('not_found')
  return provider.role(sql`${id}::uuid`, sql`${scope.id}::uuid`)
}

const idOf = (member: ScopeMember | null) => member?.scope?.id ?? appScopeId

/** Without a module that has scopes, every row belongs to the app itself, and there is nothing to keep apart. */
const withoutScopes = <Data>(work: () => PromiseLike<Data>) =>
  withStatementScope({ scopeId: appScopeId, isAllowedOutside: true }, work)

/**
 * A transaction in the scope of its member. The database has checked the membership before it returns any row: for others, and
 * after the membership has ended, it throws `not_found`. Null is the app itself. For a write that needs a permission use
 * `transactionAs`, which enters the scope, too.
 * @public For modules with tenant tables.
 */
export function inScope<Data>(member: ScopeMember | null, work: (tx: Transaction) => Promise<Data>): Promise<Data> {
  if (!findScopeProvider()) return withoutScopes(() => inTransaction(work))
  const role = member ? memberRole(member) : unchecked
  return enterAndWork(idOf(member), role, work)
}

/**
 * A transaction in one scope without a user, for jobs and seeds.
 * @public For modules with tenant tables.
 */
export function inScopeAsApp<Data>(scopeId: string, work: (tx: Transaction) => Promise<Data>): Promise<Data> {
  if (!findScopeProvider()) return withStatementScope({ scopeId, isAllowedOutside: true }, () => inTransaction(work))
  return enterAndWork(scopeId, unchecked, work)
}

function enterAndWork<Data>(scopeId: string, role: SQL, work: (tx: Transaction) => Promise<Data>): Promise<Data> {
  return withStatementScope({ scopeId, isAllowedOutside: false }, () =>
    inTransaction(
      async (tx) => {
        // Sent together: if the caller is not a member, the statements of the work find nothing, and all is rolled back.
        const [, data] = await Promise.all([enter(tx, scopeId, role).then(requireMember), work(tx)])
        return data
      },
      { isInScope: true },
    ),
  )
}

function requireMember({ rows }: { rows: { role: Role | null }[] }): Role {
  const role = rows[0]?.role
  if (!role) throw new AppError('not_found')
  return role
}

/**
 * Enters the scope of a member in a transaction that has locked the user, and returns the role they have there now. Only for
 * `transactionAs`.
 */
export async function enterAs(tx: Transaction, member: ScopeMember): Promise<Role | null> {
  if (!findScopeProvider()) return null
  const { rows } = await enter(tx, idOf(member), memberRole(member))
  return rows[0]?.role ?? null
}

/**
 * The role that a user has in a scope now; null if they have none there. For jobs that go on for a user, in a transaction that has
 * locked the user.
 * @public For modules with tenant tables.
 */
export async function findRoleIn(tx: Transaction, userId: string, scopeId: string): Promise<Role | null> {
  const provider = scopeId === appScopeId ? undefined : findScopeProvider()
  const query =
    provider === undefined
      ? sql`select role from users where id = ${userId} and suspended_at is null`
      : provider.role(sql`${userId}::uuid`, sql`${scopeId}::uuid`)
  const { rows } = await tx.execute<{ role: Role }>(query)
  return rows[0]?.role ?? null
}

/** The scope of the statements of `transactionAs`. */
export const statementScopeOf = (member: ScopeMember) => ({
  scopeId: idOf(member),
  isAllowedOutside: !findScopeProvider(),
})

/**
 * Reads in the scope of a member, in one round trip: `const [rows] = await readInScope(actor, (db) => [db.select(…)…])`. None of
 * the statements can use the result of another. Null is the app itself.
 * @public For modules with tenant tables.
 */
export async function readInScope<const Statements extends readonly PromiseLike<unknown>[]>(
  member: ScopeMember | null,
  build: (db: Source) => Statements,
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  if (!findScopeProvider()) return withoutScopes(() => Promise.all(build(db))) as never
  const scopeId = idOf(member)
  const role = member ? memberRole(member) : unchecked
  return withStatementScope({ scopeId, isAllowedOutside: false }, async () => {
    const [entered, ...results] = await inOneRoundTrip(
      (tx) => [enter(tx, scopeId, role), ...build(tx)] as readonly PromiseLike<unknown>[],
      { isInScope: true },
    )
    requireMember(entered as Parameters<typeof requireMember>[0])
    return results as never
  })
}
