import { AppError } from '../errors'
import type { Scope } from '../scope'
import { type Role, roles } from './roles'

export { type Role, roles } from './roles'

declare const brand: unique symbol

/**
 * Where a permission is decided: by the role in the app, by the role in the scope that the request names, or by either,
 * depending on whether the request names one.
 */
export type DecidedIn = 'app' | 'scope' | 'scope or app'

/** The roles that may do something. Only `can` and `signedIn` create one, so `allow` cannot be a stray boolean. */
export interface Allow<Where extends DecidedIn = DecidedIn> {
  permission: string
  roles: readonly Role[]
  where: Where
  [brand]: true
}

/** Decided by the role in the app. */
export type AppAllow = Allow<'app'>
/** Decided in a scope, so the role in the app alone cannot decide it. */
export type ScopeAllow = Allow<'scope' | 'scope or app'>

export interface ScopedRoles<Where extends DecidedIn = DecidedIn> {
  where: Where
  roles: readonly Role[]
}

/**
 * For a table of permissions: decided by the role in a scope, which the request must name.
 * @public For the policies of modules.
 */
export const inScope = (...scopeRoles: Role[]): ScopedRoles<'scope'> => ({ where: 'scope', roles: scopeRoles })

/**
 * For a table of permissions: decided by the role in the scope that the request names, or else by the role in the app.
 * @public For the policies of modules.
 */
export const inScopeOrApp = (...eitherRoles: Role[]): ScopedRoles<'scope or app'> => ({
  where: 'scope or app',
  roles: eitherRoles,
})

export type Permissions = Readonly<Record<string, readonly Role[] | ScopedRoles>>

type WhereOf<Entry> = Entry extends ScopedRoles<infer Where> ? Where : 'app'

const isScoped = (entry: readonly Role[] | ScopedRoles): entry is ScopedRoles => 'where' in entry

/**
 * An entry of a table of permissions: who has it, and where that is decided.
 * @public For pages that explain permissions.
 */
export const describeEntry = (entry: readonly Role[] | ScopedRoles): ScopedRoles =>
  isScoped(entry) ? entry : { where: 'app', roles: entry }

/**
 * The permissions of core or one module, and the roles that have them. Guards, navigation and the pages that explain
 * permissions all read this.
 */
export function definePolicy<const Table extends Permissions>(permissions: Table) {
  return {
    permissions: permissions as Permissions,
    can: <Name extends keyof Table & string>(permission: Name): Allow<WhereOf<Table[Name]>> =>
      ({ permission, ...describeEntry(permissions[permission] ?? []) }) as unknown as Allow<WhereOf<Table[Name]>>,
  }
}

/** Any signed-in user, whatever the role: for what users do with their own data. */
export const signedIn = { permission: 'signed_in', where: 'app', roles } as unknown as AppAllow

/** Whether a role has the permission: the role where it is decided. */
export function isAllowed(role: Role | null | undefined, allow: Allow): boolean {
  return role != null && allow.roles.includes(role)
}

/** A caller with a role in the app. A role in a scope does not count there. */
interface AppCaller {
  role: Role
  scope?: undefined
}

/** A caller with a role in a scope. */
interface ScopeCaller {
  role: Role
  scope: Scope
}

/** A caller with a role in a scope, or without one in the app itself. */
interface EitherCaller {
  role: Role
  scope?: Scope | null
}

/** Returns the caller, or throws: 401 without a caller, 403 if the caller lacks the permission. */
export function authorize<Caller extends AppCaller>(caller: Caller | null, allow: AppAllow): Caller
export function authorize<Caller extends ScopeCaller>(caller: Caller | null, allow: Allow<'scope'>): Caller
export function authorize<Caller extends EitherCaller>(caller: Caller | null, allow: Allow<'scope or app'>): Caller
export function authorize<Caller extends { role: Role }>(caller: Caller | null, allow: Allow): Caller {
  if (!caller) throw new AppError('unauthenticated')
  if (!isAllowed(caller.role, allow)) throw new AppError('forbidden')
  return caller
}

/**
 * The caller in the scope that the request names, or in the app itself, with the role they have there. Throws `not_found` for a
 * scope that they are no member of, the same as for one that does not exist, and `forbidden` without the permission.
 */
export function authorizeIn<Caller extends { role: Role }>(
  caller: Caller | null,
  { isNamed, scope }: { isNamed: boolean; scope: Scope | null },
  allow: ScopeAllow,
): Omit<Caller, 'scope'> & { role: Role; scope: Scope | null } {
  if (!caller) throw new AppError('unauthenticated')
  if (isNamed ? !scope : allow.where === 'scope') throw new AppError('not_found')
  const role = scope?.role ?? caller.role
  if (!isAllowed(role, allow)) throw new AppError('forbidden')
  return { ...caller, role, scope }
}
