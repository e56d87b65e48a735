import { AppError } from '../errors'

export const roles = ['viewer', 'editor', 'admin'] as const
export type Role = (typeof roles)[number]

declare const brand: unique symbol

/** An answer to "who may?". Only `can` and `signedIn` make one, so `allow` cannot be a stray boolean. */
export interface Allow {
  permission: string
  roles: readonly Role[]
  [brand]: true
}

export type Permissions = Readonly<Record<string, readonly Role[]>>

/**
 * One owner's permissions and the roles that hold them: its part of the permission table. Guards, navigation and
 * the pages that explain permissions all read this.
 */
export function definePolicy<const Table extends Permissions>(permissions: Table) {
  return {
    permissions: permissions as Permissions,
    can: (permission: keyof Table & string): Allow =>
      ({ permission, roles: permissions[permission] ?? [] }) as unknown as Allow,
  }
}

/** Anybody with a session, whatever the role: for what people do with their own things. */
export const signedIn = { permission: 'signed_in', roles } as unknown as Allow

export function isAllowed(role: Role | undefined, allow: Allow): boolean {
  return role !== undefined && allow.roles.includes(role)
}

/** Returns the caller, or refuses: 401 for nobody, 403 for somebody without the permission. */
export function authorize<Caller extends { role: Role }>(caller: Caller | null, allow: Allow): Caller {
  if (!caller) throw new AppError('unauthenticated')
  if (!isAllowed(caller.role, allow)) throw new AppError('forbidden')
  return caller
}
