import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq, sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { completePendingSignIn, startPendingSignIn } from '@/core/auth/flows/second-factor'
import { db } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'
import { totp } from './schema'

/** Signs in with a second factor after a first one. Returns how many seconds ago the session was reauthenticated. */
async function signIn(firstFactorAt: Date | undefined, options?: Parameters<typeof completePendingSignIn>[1]) {
  const email = `${crypto.randomUUID()}@example.com`
  const [user] = await db.insert(users).values({ email, name: 'Ada' }).returning({ id: users.id })
  const userId = user?.id ?? ''
  await db.insert(totp).values({ userId, secret: 'encrypted', confirmedAt: new Date() })
  await asRequest({ 'user-agent': 'test' }, async () => {
    const first = { credential: sql`true`, reauthenticatedAt: firstFactorAt }
    expect(await startPendingSignIn(userId, first)).toMatchObject({ kind: 'totp' })
    await completePendingSignIn(async () => 'totp', options)
  })
  const [session] = await db
    .select({ at: sessions.reauthenticatedAt })
    .from(sessions)
    .where(eq(sessions.userId, userId))
  return (Date.now() - (session?.at.getTime() ?? 0)) / 1000
}

const aMinute = 60
const anHour = 60 * aMinute
const twoHoursAgo = () => new Date(Date.now() - 2 * anHour * 1000)

test('a sign-in with both factors counts as a reauthentication', async () => {
  expect(await signIn(undefined)).toBeLessThan(aMinute)
})

test('a second factor does not count if the first one did not, for example in an unattended browser', async () => {
  expect(await signIn(new Date(0))).toBeGreaterThan(anHour)
  expect(await signIn(twoHoursAgo())).toBeGreaterThan(anHour)
})

test('a passkey counts, whatever the first factor was', async () => {
  expect(await signIn(new Date(0), { isWholeSignIn: true })).toBeLessThan(aMinute)
})
