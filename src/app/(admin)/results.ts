import type { Route } from 'next'
import { returnPath } from '@/core/auth/flows/return-path'
import { defaultRole, type Role, roleLabel, roles } from '@/core/auth/roles'
import { type ResultParams, withResult } from '@/core/ui/result-params'

type Text = (count: number, role: Role) => string

const counted =
  (one: string, many: string): Text =>
  (count) =>
    count === 1 ? one : `${count} ${many}`

/** What the actions of this module report. Only these texts are shown, whatever the URL says. */
const texts = {
  suspended: counted('User suspended.', 'users suspended.'),
  restored: counted('User restored.', 'users restored.'),
  role: (count, role) =>
    count === 1 ? `Role changed to ${roleLabel(role)}.` : `${count} users changed to ${roleLabel(role)}.`,
  role_undone: () => 'Role change undone.',
  signed_out: counted('Signed out everywhere.', 'users signed out everywhere.'),
  session_ended: () => 'Session signed out.',
  reset_sent: () => 'Password reset email sent. The link works for 30 minutes.',
  two_factor_off: () => 'Two-factor turned off.',
  deleted: () => 'User deleted.',
  invited: counted('Invitation sent.', 'invitations sent.'),
  resent: () => 'Invitation resent.',
  revoked: () => 'Invitation revoked.',
  unchanged: () => 'Nothing changed.',
} satisfies Record<string, Text>

export type ResultKind = keyof typeof texts

export interface AdminResult extends ResultParams {
  done: ResultKind
  to?: Role | undefined
}

const isKind = (text: string): text is ResultKind => Object.hasOwn(texts, text)

/** The result in the parameters of a URL, or null if there is none or it is invalid. */
export function readResult(params: {
  get: (name: string) => string | null
}): { kind: ResultKind; text: string; undo: string | undefined } | null {
  const kind = params.get('done') ?? ''
  if (!isKind(kind)) return null
  const role = roles.find((one) => one === params.get('to'))
  if (kind === 'role' && !role) return null
  const count = Number(params.get('count') ?? 1)
  const isCount = Number.isInteger(count) && count > 0 && count <= 100
  const undo = params.get('undo') ?? ''
  return {
    kind,
    text: texts[kind](isCount ? count : 1, role ?? defaultRole),
    undo: /^[\w-]{40,400}$/.test(undo) ? undo : undefined,
  }
}

const userPages = /^\/admin\/users(\/[\w-]+){0,2}(\?|$)/
const invitationPages = /^\/admin\/invitations(\?|$)/

/** A page of users to return to, or else `fallback`. The value comes from a URL. */
export function userReturnPath(value: unknown, fallback: string = '/admin/users'): Route {
  const path = returnPath(value, fallback)
  return (userPages.test(path) ? path : fallback) as Route
}

/** The page that a form returns to, with the result of its action. */
export function resultPath(returnTo: string, result: AdminResult): Route {
  const path = returnPath(returnTo, '/admin/users')
  return withResult(invitationPages.test(path) ? path : userReturnPath(path), result)
}
