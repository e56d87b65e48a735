import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { eq, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { beforeEach, expect, test } from 'vitest'
import { appSlug } from '@/brand'
import { reauthenticateInline } from '@/core/auth/flows/reauthenticate'
import { findSession } from '@/core/auth/session/sessions'
import { encrypt } from '@/core/auth/tokens/encrypt'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import { createUser } from '@/core/auth/user/create'
import { db } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { auditEvents, sessions } from '@/core/db/schema'
import { replaceRecoveryCodes } from './recovery-codes'
import { totp } from './schema'

const password = 'a long walk by the sea'
const key = new Secret({ size: 20 }).base32
const codeAt = (steps: number) =>
  new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: Date.now() + steps * 30_000 })
const wrongCode = () =>
  ['000000', '111111', '222222', '333333'].find((code) => ![-2, -1, 0, 1, 2].map(codeAt).includes(code)) ?? ''

let userId: string
let token: string
beforeEach(async () => {
  userId = await createUser({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role: 'viewer', password })
  await db.insert(totp).values({ userId, secret: encrypt('totp', key), confirmedAt: new Date() })
  token = newToken()
  const reauthenticatedAt = sql`now() - interval '2 hours'`
  await db.insert(sessions).values({ userId, tokenHash: hashToken(token), reauthenticatedAt })
})

/** Reauthenticates in the user's session. Returns whether the session is reauthenticated afterwards, or the error. */
const reauthenticate = (code: unknown, withPassword = password) =>
  asRequest({ cookie: `${appSlug}.session=${token}` }, async () => {
    const { cookies } = await import('next/headers')
    try {
      await reauthenticateInline(withPassword, code)
      token = (await cookies()).get(`${appSlug}.session`)?.value ?? ''
      return (await findSession(token))?.isReauthenticated
    } catch (error) {
      return (error as { code: string }).code
    }
  })
const failures = async () =>
  (await db.select({ count: totp.failures }).from(totp).where(eq(totp.userId, userId)))[0]?.count
const kinds = async () =>
  (await db.select({ kind: auditEvents.kind }).from(auditEvents).where(eq(auditEvents.actorId, userId))).map(
    ({ kind }) => kind,
  )

test.each([
  ['a code of the app', async () => codeAt(0)],
  ['a recovery code', async () => (await inTransaction((tx) => replaceRecoveryCodes(tx, userId)))[0]],
])('with the password, %s reauthenticates once', async (_kind, makeCode) => {
  const code = await makeCode()
  expect(await reauthenticate(code)).toBe(true)
  await db
    .update(sessions)
    .set({ reauthenticatedAt: sql`now() - interval '2 hours'` })
    .where(eq(sessions.userId, userId))
  expect(await reauthenticate(code)).toBe('invalid_credentials')
})

test('wrong codes count like those at sign-in, and after five the right one waits', async () => {
  for (let attempt = 0; attempt < 5; attempt++) expect(await reauthenticate(wrongCode())).toBe('invalid_credentials')
  expect(await failures()).toBe(5)
  expect(await kinds()).toEqual(Array(5).fill('confirmation.failed'))
  expect(await reauthenticate(codeAt(1))).toBe('rate_limited')
  expect((await findSession(token))?.isReauthenticated).toBe(false)
})

test('a code is not used up by a wrong password, or by one that is missing', async () => {
  const code = codeAt(0)
  expect(await reauthenticate(code, 'a wrong walk by the sea')).toBe('invalid_credentials')
  expect(await reauthenticate(code, '')).toBe('reauth_required')
  expect(await failures()).toBe(0)
  expect(await reauthenticate(code)).toBe(true)
})

test('the code of another user is wrong', async () => {
  const other = new Secret({ size: 20 }).base32
  await db
    .update(totp)
    .set({ secret: encrypt('totp', other) })
    .where(eq(totp.userId, userId))
  expect(await reauthenticate(codeAt(0))).toBe('invalid_credentials')
  expect(await failures()).toBe(1)
})
