import 'server-only'
import type { Route } from 'next'
import { cookies, headers } from 'next/headers'
import { notFound, permanentRedirect, redirect } from 'next/navigation'
import { cache } from 'react'
import { modules } from '@/modules'
import { AppError } from '../../errors'
import { currentRequest } from '../../http/request'
import type { Bearer } from '../../module'
import type { Scope } from '../../scope'
import { type Allow, type AppAllow, authorize, authorizeIn, isAllowed, type Role, type ScopeAllow } from '../policy'
import { lowerRole } from '../roles'
import { findMembership, findSession, type Session } from './sessions'
import { sessionCookieName } from './settings'

/** The signed-in user who makes the request. */
export interface Actor {
  id: string
  email: string
  name: string
  role: Role
}

/** The signed-in user in the scope that the request names, or in the app itself (null). `role` is the role there. */
export interface ScopedActor extends Actor {
  scope: Scope | null
}

/** The actor of an entry point: if its permission is decided in a scope, with the role there. */
export type ActorFor<Allowed extends Allow> =
  Allowed extends Allow<'app'> ? Actor : Allowed extends Allow<'scope'> ? ScopedActor & { scope: Scope } : ScopedActor

/**
 * The Bearer token of the request: undefined without such a header, empty if it is malformed. Other schemes, such as
 * the Basic authentication of a proxy in front of a staging site, are ignored.
 */
function readBearerToken(head: Headers): string | undefined {
  const authorization = head.get('authorization')
  if (authorization === null || /^(?!bearer)[\w!#$%&'*+.^`|~-]+ +\S/i.test(authorization)) return undefined
  return /^Bearer ([\w-]+)$/i.exec(authorization)?.[1] ?? ''
}

export const hasCookies = (head: Headers): boolean => head.has('cookie')

/** The session tokens in the cookies. More than one means that an attacker may have injected a cookie. */
async function readCookieTokens(head: Headers): Promise<string[]> {
  // Not Next's cookies(), which returns only the last of two cookies with the same name.
  const prefix = `${sessionCookieName()}=`
  const sent: string[] = []
  for (const part of head.get('cookie')?.split(';') ?? []) {
    const pair = part.trim()
    if (pair.startsWith(prefix)) sent.push(pair.slice(prefix.length))
  }
  if (currentRequest() || sent.length > 1) return sent
  // A page rendered in response to a server action: the action may have changed or deleted the session cookie.
  const token = (await cookies()).get(sessionCookieName())?.value
  return token ? [token] : []
}

/** Every session token of the request. `bearer` is undefined without a Bearer header, and empty if it is malformed. */
export async function readTokens(): Promise<{ bearer: string | undefined; cookieTokens: string[] }> {
  // In a route handler, use the headers of its request: Next's headers() would copy them.
  const head = currentRequest()?.headers ?? (await headers())
  return { bearer: readBearerToken(head), cookieTokens: await readCookieTokens(head) }
}

async function loadSession(scopeName?: string): Promise<Session | null> {
  const { bearer, cookieTokens } = await readTokens()
  // A Bearer token takes precedence: the request must not run as the user of the cookie.
  if (bearer !== undefined) return findSession(bearer, scopeName)
  // With two session cookies there is no telling which was injected, so ignore both.
  return cookieTokens.length === 1 && cookieTokens[0] ? findSession(cookieTokens[0], scopeName) : null
}

/** The session of the page that is being rendered, by the name of the scope. */
const pageSessions = cache(() => new Map<string, Promise<Session | null>>())

/** Components that do not ask for a scope share the session of those that do. */
function loadSessionForPage(scopeName: string | undefined): Promise<Session | null> {
  const known = pageSessions()
  const shared = scopeName === undefined ? known.values().next().value : known.get(scopeName)
  const session = shared ?? loadSession(scopeName)
  if (!shared) known.set(scopeName ?? '', session)
  return session
}

/**
 * The session of this request. Queried once per request. In the layouts and pages of a scope, pass the name of the scope from
 * the URL: the same query reads the membership. In actions and handlers, the request knows it.
 */
export function getSession(scopeName?: string): Promise<Session | null> {
  const request = currentRequest()
  if (!request) return loadSessionForPage(scopeName)
  request.session ??= loadSession(request.scopeName)
  return request.session
}

/** Makes `getSession` return this session for the rest of the request: the token that the browser sent may have changed. */
export function rememberSession(session: Session): void {
  const request = currentRequest()
  if (request) request.session = Promise.resolve(session)
}

/** Makes the next `getSession` of this request query the database again. */
export function forgetSession(): void {
  delete currentRequest()?.session
}

/**
 * The caller of a route handler: a session, or an API client with a token that a module has issued. Pages and actions
 * accept sessions only.
 */
export async function getCaller(): Promise<(Bearer & Partial<Pick<Session, 'scope'>>) | null> {
  const session = await getSession()
  if (session) return session
  const { bearer } = await readTokens()
  if (!bearer) return null
  for (const module of modules) {
    const found = await module.bearer?.(bearer)
    if (found) return { ...found, scope: await findScopeOfBearer(found) }
  }
  return null
}

/** A token has at most its own role in a scope. */
async function findScopeOfBearer({ user, ceiling }: Bearer): Promise<Scope | null> {
  const name = currentRequest()?.scopeName
  const scope = name === undefined ? null : await findMembership(user.id, name)
  return scope && { ...scope, role: lowerRole(scope.role, ceiling ?? user.role) }
}

/**
 * The caller of an action or a handler with a permission. If it is decided in a scope, with the role in the scope that the request
 * names.
 */
export function authorizeCaller<Allowed extends Allow>(
  caller: { user: Actor; scope?: Scope | null } | null,
  allow: Allowed,
): ActorFor<Allowed> {
  const actor = caller?.user ?? null
  const isNamed = currentRequest()?.scopeName !== undefined
  const decided = isAppAllow(allow)
    ? authorize(actor, allow)
    : authorizeIn(actor, { isNamed, scope: caller?.scope ?? null }, allow as ScopeAllow)
  return decided as ActorFor<Allowed>
}

const isAppAllow = (allow: Allow): allow is AppAllow => allow.where === 'app'

export async function getActor(): Promise<Actor | null> {
  return (await getSession())?.user ?? null
}

const impersonationForbidden = () => new AppError('forbidden', 'You can’t do this while impersonating.')

/** Throws `forbidden` while an admin impersonates the user: for actions that only the user may do. */
export async function rejectImpersonation(): Promise<void> {
  if ((await getSession())?.impersonatedBy) throw impersonationForbidden()
}

/** Throws unless the user has reauthenticated recently: for actions that cannot be undone or that grant access. */
export async function requireReauthenticated(): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  if (session.impersonatedBy) throw impersonationForbidden()
  if (!session.isReauthenticated) throw new AppError('reauth_required')
}

/**
 * For a page: returns the user if they have the permission. Redirects unauthenticated visitors to sign in and back to
 * `path`; users without the permission get a 404.
 *
 * For a page in a scope, pass the name of the scope from the URL. A former slug redirects to the same page with the current one.
 * @public For the pages of modules.
 */
export async function requirePermission(allow: AppAllow, path: string): Promise<Actor>
export async function requirePermission<Allowed extends Allow<'scope'>>(
  allow: Allowed,
  path: string,
  scopeName: string,
): Promise<ActorFor<Allowed>>
export async function requirePermission(
  allow: Allow<'scope or app'>,
  path: string,
  scopeName?: string,
): Promise<ScopedActor>
export async function requirePermission(allow: Allow, path: string, scopeName?: string): Promise<Actor | ScopedActor> {
  const session = await getSession(scopeName)
  if (!session) redirect(`/signin?callbackUrl=${encodeURIComponent(path)}` as Route)
  const { user } = session
  if (isAppAllow(allow)) return isAllowed(user.role, allow) ? user : notFound()
  const scope = scopeName === undefined ? null : session.scope
  const isFound = scopeName === undefined ? allow.where !== 'scope' : scope !== null
  if (!isFound || !isAllowed(scope?.role ?? user.role, allow)) notFound()
  if (scope && scope.slug !== scopeName) permanentRedirect(path.replace(`/o/${scopeName}`, `/o/${scope.slug}`) as Route)
  return { ...user, role: scope?.role ?? user.role, scope }
}
