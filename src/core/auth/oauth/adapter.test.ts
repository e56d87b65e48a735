import { asRequest } from '../../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { db } from '../../db/client'
import { identities, passwords, sessions, users } from '../../db/schema'
import { currentRequest, withRequest } from '../../http/request'
import { adapter } from './adapter'
import { authenticationTime } from './id-token'
import { findProvider } from './providers'

/** Signs a new user in with this provider, whose ID token has these claims. Returns how old the reauthentication is. */
async function signInWith(id: string, claims: Record<string, unknown>, { hasPassword = false } = {}) {
  const provider = findProvider(id)
  if (!provider) throw new Error('no provider')
  const email = `${crypto.randomUUID()}@example.com`
  const [user] = await db
    .insert(users)
    .values({ email, name: 'Ada', emailVerifiedAt: new Date() })
    .returning({ id: users.id })
  const userId = user?.id ?? ''
  const identity = { provider: id, providerAccountId: userId }
  await db.insert(identities).values({ ...identity, userId })
  if (hasPassword) await db.insert(passwords).values({ userId, hash: 'x' })
  await asRequest({ 'user-agent': 'test' }, () =>
    withRequest({ id: 'test', headers: new Headers() }, async () => {
      Object.assign(currentRequest() ?? {}, {
        identity,
        authenticatedAt: authenticationTime(provider, claims),
      })
      await adapter.createSession?.({ sessionToken: '', userId, expires: new Date() })
    }),
  )
  const [session] = await db
    .select({ at: sessions.reauthenticatedAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
  return (Date.now() - (session?.at.getTime() ?? 0)) / 1000
}

const now = () => Math.floor(Date.now() / 1000)
const aMinute = 60
const anHour = 60 * aMinute

test('a sign-in counts as a reauthentication from the time at which the user authenticated at the provider', async () => {
  expect(await signInWith('google', { auth_time: now() })).toBeLessThan(aMinute)
  expect(await signInWith('google', { auth_time: now() + anHour })).toBeLessThan(aMinute)
  expect(await signInWith('google', { auth_time: now() - anHour })).toBeGreaterThanOrEqual(anHour)
})

test('a sign-in is no reauthentication if the provider should say the time, and does not', async () => {
  for (const claims of [{}, { auth_time: null }, { auth_time: String(now()) }])
    expect(await signInWith('google', claims)).toBeGreaterThan(anHour)
})

test('a provider that cannot be asked for the time reauthenticates, but not a user who has a password', async () => {
  expect(await signInWith('github', {})).toBeLessThan(aMinute)
  expect(await signInWith('github', {}, { hasPassword: true })).toBeGreaterThan(anHour)
})
