import 'server-only'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { cookies } from 'next/headers'
import { env } from '../env'
import type { Role } from './policy'
import { cookieName, cookieOptions, hintCookieName, lifetimeOf } from './settings'

// What the app leaves in a browser, besides what Auth.js does. Every cookie of ours is set and cleared here.

type Name = 'session' | 'device' | 'signup' | 'connect' | 'csrf' | 'callback-url' | `ticket.${string}`

export async function keepInBrowser(name: Name, value: string, maxAge?: number): Promise<void> {
  const options = { ...cookieOptions(), httpOnly: true }
  ;(await cookies()).set(cookieName(name), value, maxAge === undefined ? options : { ...options, maxAge })
}

export async function readFromBrowser(name: Name): Promise<string | undefined> {
  return (await cookies()).get(cookieName(name))?.value
}

export const clearFromBrowser = (name: Name) => keepInBrowser(name, '', 0)

/** For static pages, which cannot know: see hintCookieName. */
export async function hintSignedIn(role: Role | null, { isActing = false } = {}): Promise<void> {
  const maxAge = role ? lifetimeOf(role).absolute : 0
  ;(await cookies()).set(hintCookieName(), role ? (isActing ? '2' : '1') : '', { ...cookieOptions(), maxAge })
}

/** Auth.js' token for forms: whoever signs in or out gets another, so that none is shared by two people. */
export async function renewFormToken(): Promise<void> {
  if (await readFromBrowser('csrf')) await clearFromBrowser('csrf')
}

/** A text that only this app can make: what it says was said by us. */
export function sign(purpose: Name, text: string): string {
  return signWith(env.AUTH_SECRET[0], purpose, text)
}

const signWith = (secret: string, purpose: Name, text: string) =>
  createHmac('sha256', secret).update(`${purpose}:${text}`).digest('base64url')

export function isSigned(purpose: Name, text: string, signature: string | undefined): boolean {
  const given = Buffer.from(signature ?? '')
  return env.AUTH_SECRET.some((secret) => {
    const expected = Buffer.from(signWith(secret, purpose, text))
    return expected.length === given.length && timingSafeEqual(expected, given)
  })
}
