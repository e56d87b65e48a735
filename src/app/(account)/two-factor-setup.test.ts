import { asRequest } from '../../../tests/app/support/next-headers'

// The import above must come first: it mocks next/headers before any other module loads it.

import { and, eq, sql } from 'drizzle-orm'
import { Secret, TOTP } from 'otpauth'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startPendingSignIn } from '@/core/auth/flows/second-factor'
import { encrypt } from '@/core/auth/tokens/encrypt'
import { db } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { auditEvents, sessions, tokens, users } from '@/core/db/schema'
import { beginPasskeySignIn, completeSignInWithPasskey } from './passkeys'
import { replaceRecoveryCodes } from './recovery-codes'
import { revokeAccess } from './revoke'
import { recoveryCodes, totp } from './schema'
import { hasTwoFactor } from './second-factor'
import { signInWithCode } from './sign-in-with-code'
import { enableTwoFactor, enableTwoFactorAtSignIn, findSetup, prepareTwoFactor } from './two-factor-setup'

const email = () => `${crypto.randomUUID()}@example.com`
const key = new Secret({ size: 20 }).base32
const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate()
const wrongCode = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

async function newUser(): Promise<string> {
  const [user] = await db.insert(users).values({ email: email(), name: 'Ada' }).returning({ id: users.id })
  return user?.id ?? ''
}

/** Does the work in the browser of a user who has passed the first factor. */
const afterPassword = <T>(userId: string, work: () => Promise<T>) =>
  asRequest({ 'user-agent': 'test' }, async () => {
    await startPendingSignIn(userId, { credential: sql`true` })
    return work()
  })
const prepared = async (userId: string) => {
  await prepareTwoFactor(userId)
  return (await findSetup(userId, 'ada@example.com'))?.totpKey ?? ''
}
const sessionsOf = (userId: string) => db.$count(sessions, eq(sessions.userId, userId))

beforeEach(() => {
  process.env.ACCOUNT_TWO_STEP = 'everybody'
})
afterEach(() => {
  delete process.env.ACCOUNT_TWO_STEP
})

test('where a second factor is required, a sign-in ends with one that is on and has recovery codes', async () => {
  const userId = await newUser()
  const codes = await afterPassword(userId, async () => enableTwoFactorAtSignIn(codeOf(await prepared(userId))))
  expect(codes).toHaveLength(10)
  expect([await hasTwoFactor(userId), await sessionsOf(userId)]).toEqual([true, 1])
})

test('a code of a secret that was never confirmed does not complete a sign-in', async () => {
  const userId = await newUser()
  const rejected = { code: 'invalid_credentials' }
  await afterPassword(userId, async () => {
    const code = codeOf(await prepared(userId))
    await expect(signInWithCode(code)).rejects.toMatchObject(rejected)
  })
  // As earlier versions stored it.
  await db.insert(totp).values({ userId, secret: encrypt('totp', key) })
  await afterPassword(userId, () => expect(signInWithCode(codeOf(key))).rejects.toMatchObject(rejected))
  expect([await hasTwoFactor(userId), await sessionsOf(userId)]).toEqual([false, 0])
})

test('the setup does not tell whether a code of a second factor that is on is right', async () => {
  const userId = await newUser()
  await db.insert(totp).values({ userId, secret: encrypt('totp', key), confirmedAt: new Date() })
  const code = codeOf(key)
  const answers = await afterPassword(userId, () =>
    Promise.all(
      [code, wrongCode(code)].map((typed) =>
        enableTwoFactorAtSignIn(typed).catch(({ code, message }) => ({ code, message })),
      ),
    ),
  )
  expect(answers[0]).toEqual(answers[1])
  await afterPassword(userId, () => expect(prepareTwoFactor(userId)).rejects.toMatchObject({ code: 'conflict' }))
})

test('the secret of a setup is known only to the browser that began it, and used up by a right code', async () => {
  const userId = await newUser()
  await asRequest({ 'user-agent': 'test' }, async () => {
    const secret = await prepared(userId)
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    const other = await asRequest({}, async () => ({
      before: await findSetup(userId, ''),
      result: await enableTwoFactor(userId, codeOf(secret)).catch(({ code }) => code),
      own: await prepared(userId),
    }))
    expect(other).toMatchObject({ before: null, result: 'conflict' })
    expect(other.own).not.toBe(secret)
    await expect(enableTwoFactor(userId, wrongCode(codeOf(secret)))).rejects.toMatchObject({ code: 'invalid_input' })
    expect(await enableTwoFactor(userId, codeOf(secret))).toHaveLength(10)
    expect(await findSetup(userId, '')).toBeNull()
    await expect(enableTwoFactor(userId, codeOf(secret))).rejects.toMatchObject({ code: 'conflict' })
  })
})

test('a wrong passkey as the second factor is recorded and limited, and uses up its challenge', async () => {
  const userId = await newUser()
  await db.insert(totp).values({ userId, secret: encrypt('totp', key), confirmedAt: new Date() })
  const passkey = { id: 'x', rawId: 'x', type: 'public-key', clientExtensionResults: {} } as const
  const response = { clientDataJSON: 'x', authenticatorData: 'x', signature: 'x', userHandle: undefined }
  const attempt = () => completeSignInWithPasskey({ ...passkey, authenticatorAttachment: undefined, response })
  await asRequest({ 'user-agent': 'test', 'x-forwarded-for': '192.0.2.77' }, async () => {
    await startPendingSignIn(userId, { credential: sql`true` })
    await beginPasskeySignIn({ isSecondFactor: true, isAutofill: false })
    await expect(attempt()).rejects.toMatchObject({ code: 'invalid_credentials' })
    const isChallenge = and(eq(tokens.purpose, 'passkey_sign_in'), eq(tokens.userId, userId))
    expect(await db.$count(tokens, isChallenge)).toBe(0)
    const failed = and(eq(auditEvents.kind, 'signin.failed'), eq(auditEvents.targetId, userId))
    expect(await db.select({ details: auditEvents.details }).from(auditEvents).where(failed)).toEqual([
      { details: { reason: 'wrong_passkey' } },
    ])
    let last = ''
    for (let count = 0; count < 60 && last !== 'rate_limited'; count++) last = await attempt().catch(({ code }) => code)
    expect(last).toBe('rate_limited')
  })
})

test('"Secure my account" deletes new recovery codes of an older second factor, and keeps the others', async () => {
  const weekAgo = new Date(Date.now() - 7 * 24 * 60 * 60 * 1000)
  const longAgo = new Date(weekAgo.getTime() - 60_000)
  const codesLeft = async (confirmedAt: Date, createdAt: Date) => {
    const userId = await newUser()
    await db.insert(totp).values({ userId, secret: encrypt('totp', key), confirmedAt })
    await inTransaction((tx) => replaceRecoveryCodes(tx, userId))
    await db.update(recoveryCodes).set({ createdAt }).where(eq(recoveryCodes.userId, userId))
    await inTransaction((tx) => revokeAccess(tx, userId, weekAgo))
    return db.$count(recoveryCodes, eq(recoveryCodes.userId, userId))
  }
  expect(await codesLeft(longAgo, new Date())).toBe(0)
  expect(await codesLeft(longAgo, longAgo)).toBe(10)
  // They are removed with the second factor, unless its owner uses it.
  expect(await codesLeft(new Date(), new Date())).toBe(10)
})
