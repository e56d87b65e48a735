import { appSlug } from '@/brand'
import { env } from '../../env'
import { findRole, type Role, roleTable } from '../roles'

/** Seconds. The longest that a session of any role can last, however active its user is. */
export const maxSessionSeconds = Math.max(...roleTable.map(({ session }) => session.absolute))

/** How many seconds a cookie of a user with this role is kept. The row of the session decides. */
export const cookieLifetimeOf = (role: Role) => findRole(role)?.session.absolute ?? 0

/** Maximum number of sessions per user. One more ends the least recently used. */
export const maxSessionsPerUser = 20

/** Seconds for which a reauthentication is valid: sensitive actions require a recent one. */
export const reauthenticationLifetimeSeconds = 60 * 60

/** Seconds after which impersonation ends. */
export const maxImpersonationSeconds = 30 * 60

/** `last_seen_at` is written at most this often (seconds), so that reading a session is not a write. */
export const touchIntervalSeconds = 5 * 60

const isSecure = () => env.AUTH_URL.startsWith('https:')

/**
 * With the `__Host-` prefix, browsers reject the cookie from a subdomain or without HTTPS. It can only be set over
 * HTTPS.
 */
export const cookieName = (name: string) => `${isSecure() ? '__Host-' : ''}${appSlug}.${name}`

export const sessionCookieName = () => cookieName('session')

/**
 * The session cookie as an OpenAPI security scheme.
 * @public For a module that describes the API.
 */
export const sessionCookieScheme = () => ({ type: 'apiKey', in: 'cookie', name: sessionCookieName() })

/** Tells static pages to show "Dashboard" instead of "Sign in". Only a hint: never used to authenticate. */
export const hintCookieName = () => cookieName('signed-in')

export const cookieOptions = () =>
  ({
    secure: isSecure(),
    // Cross-site requests carry the cookie only with CORS_CREDENTIALS; browsers then require `Secure`.
    sameSite: env.CORS_CREDENTIALS && isSecure() ? 'none' : 'lax',
    path: '/',
    maxAge: maxSessionSeconds,
  }) as const
