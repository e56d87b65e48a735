import 'server-only'
import { AsyncLocalStorage } from 'node:async_hooks'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { cookies } from 'next/headers'
import { env } from '../../env'
import type { Role } from '../policy'
import { cookieLifetimeOf, cookieName, cookieOptions, hintCookieName } from './settings'

// Sets and clears every cookie of the app, except those of Auth.js.

type CookieName =
  | 'session'
  | 'device'
  | 'signup'
  | 'connect'
  | 'csrf'
  | 'callback-url'
  | 'last-method'
  | `ticket.${string}`

/** The values that a client without cookies stores itself. */
type CookieValues = Map<CookieName, string>

const currentValues = new AsyncLocalStorage<CookieValues>()

/**
 * Runs `work` for a client that does not store cookies. `sent` are the values it sent instead; `values` are those
 * that the response must return to it. No cookie is read, set or cleared.
 */
export async function withoutCookies<T>(
  sent: Partial<Record<CookieName, string>>,
  work: () => Promise<T>,
): Promise<{ result: T; values: CookieValues }> {
  const values = new Map(Object.entries(sent)) as CookieValues
  return { result: await currentValues.run(values, work), values }
}

export async function setCookie(name: CookieName, value: string, maxAge?: number): Promise<void> {
  const values = currentValues.getStore()
  if (values) return void values.set(name, value)
  const options = { ...cookieOptions(), httpOnly: true }
  ;(await cookies()).set(cookieName(name), value, maxAge === undefined ? options : { ...options, maxAge })
}

export async function readCookie(name: CookieName): Promise<string | undefined> {
  const values = currentValues.getStore()
  return values ? values.get(name) : (await cookies()).get(cookieName(name))?.value
}

export const clearCookie = (name: CookieName) => setCookie(name, '', 0)

/** Sets or clears the hint cookie for static pages, which cannot read the session: see hintCookieName. */
export async function setSignedInHint(role: Role | null, { isImpersonating = false } = {}): Promise<void> {
  if (currentValues.getStore()) return
  const maxAge = role ? cookieLifetimeOf(role) : 0
  ;(await cookies()).set(hintCookieName(), role ? (isImpersonating ? '2' : '1') : '', { ...cookieOptions(), maxAge })
}

/** Clears the CSRF token of Auth.js after sign-in or sign-out, so that two users of one browser never share one. */
export async function clearCsrfToken(): Promise<void> {
  if (await readCookie('csrf')) await clearCookie('csrf')
}

/** An HMAC signature of the text, with AUTH_SECRET. */
export function sign(purpose: CookieName, text: string): string {
  return signWith(env.AUTH_SECRET[0], purpose, text)
}

const signWith = (secret: string, purpose: CookieName, text: string) =>
  createHmac('sha256', secret).update(`${purpose}:${text}`).digest('base64url')

export function isSigned(purpose: CookieName, text: string, signature: string | undefined): boolean {
  const given = Buffer.from(signature ?? '')
  return env.AUTH_SECRET.some((secret) => {
    const expected = Buffer.from(signWith(secret, purpose, text))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}
