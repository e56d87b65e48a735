import { env } from '../env'
import type { Role } from './policy'

const day = 24 * 60 * 60

/** Seconds. A session ends after `idle` without a request, and after `absolute` in any case; admins are kept shorter. */
export const sessionLifetime = {
  standard: { idle: 7 * day, absolute: 30 * day },
  admin: { idle: day / 2, absolute: day },
} as const

export const lifetimeOf = (role: Role) => (role === 'admin' ? sessionLifetime.admin : sessionLifetime.standard)

/** A person may be signed in at so many places; the one that was quiet the longest makes room. */
export const mostSessions = 20

/** Seconds that a confirmation counts for: dangerous steps want one that is not older. */
export const confirmedFor = 60 * 60

/** Seconds that an admin may act for somebody before they have to begin anew. */
export const longestActing = 30 * 60

/** `last_seen_at` is written at most this often (seconds), so that reading a session is not a write. */
export const touchInterval = 5 * 60

const isSecure = () => env.AUTH_URL.startsWith('https:')

/** `__Host-` makes browsers refuse the cookie from a subdomain or without https; it needs https to be set at all. */
export const cookieName = (name: string) => `${isSecure() ? '__Host-' : ''}plinth.${name}`

export const sessionCookieName = () => cookieName('session')

/**
 * The session's cookie, in the words of OpenAPI.
 * @public For a module that describes the API.
 */
export const sessionCookieScheme = () => ({ type: 'apiKey', in: 'cookie', name: sessionCookieName() })

/** Says only "somebody is signed in here", for static pages that show "Dashboard" instead of "Sign in". Decides nothing. */
export const hintCookieName = () => cookieName('signed-in')

export const cookieOptions = () =>
  ({
    secure: isSecure(),
    // Other sites may send it only where the deployer said so; browsers want it secure then.
    sameSite: env.CORS_CREDENTIALS && isSecure() ? 'none' : 'lax',
    path: '/',
    maxAge: sessionLifetime.standard.absolute,
  }) as const
