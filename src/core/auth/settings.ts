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

/** `last_seen_at` is written at most this often (seconds), so that reading a session is not a write. */
export const touchInterval = 5 * 60

const isSecure = () => env.AUTH_URL.startsWith('https:')

/** `__Host-` makes browsers refuse the cookie from a subdomain or without https; it needs https to be set at all. */
export const sessionCookieName = () => (isSecure() ? '__Host-plinth.session' : 'plinth.session')

/** Of the token that forms to Auth.js carry. It must not outlive the session it was made in. */
export const csrfCookieName = () => sessionCookieName().replace('session', 'csrf')

/** Says only "somebody is signed in here", for static pages that show "Dashboard" instead of "Sign in". Decides nothing. */
export const hintCookieName = 'plinth.signed-in'

/** Remembers a browser that somebody has signed in with, so that strangers who try their password do not lock them out. */
export const deviceCookieName = () => (isSecure() ? '__Host-plinth.device' : 'plinth.device')

export const cookieOptions = () =>
  ({
    secure: isSecure(),
    // Other sites may send it only where the deployer said so; browsers want it secure then.
    sameSite: env.CORS_CREDENTIALS && isSecure() ? 'none' : 'lax',
    path: '/',
    maxAge: sessionLifetime.standard.absolute,
  }) as const
