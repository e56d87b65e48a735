import 'server-only'
import { hash } from 'node:crypto'
import { eq, isNull, sql } from 'drizzle-orm'
import { Secret } from 'otpauth'
import { completePendingSignIn, requirePendingUserId } from '@/core/auth/flows/second-factor'
import { consumeBrowserToken, issueBrowserToken, peekBrowserToken } from '@/core/auth/session/browser-token'
import { encrypt } from '@/core/auth/tokens/encrypt'
import { transactionAsSelf } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { replaceRecoveryCodes } from './recovery-codes'
import { totp } from './schema'
import { countCodeAttempt, findStep, generator, hasTwoFactor, recordTwoFactorChange } from './second-factor'

const setupPurpose = 'totp_setup'
const setupSeconds = 15 * 60

const alreadyOn = () => new AppError('conflict', 'Two-factor authentication is already on.')

/**
 * The secret for an authenticator app follows from a browser token. So until a first code is entered, only this browser has it, for
 * a short time: no one else can read it, or have the user confirm a secret of theirs.
 */
const keyOf = (token: string) => Secret.fromHex(hash('sha256', `totp ${token}`).slice(0, 40)).base32

/** Begins the setup of an authenticator app in this browser. Another call replaces the secret. */
export async function prepareTwoFactor(userId: string): Promise<void> {
  if (await hasTwoFactor(userId)) throw alreadyOn()
  await issueBrowserToken(setupPurpose, userId, setupSeconds)
}

/** Begins the setup of a required second factor during a pending sign-in. */
export const prepareTwoFactorAtSignIn = async () => prepareTwoFactor(await requirePendingUserId())

/** The key and URI for the authenticator app, while this browser sets it up; null otherwise. */
export async function findSetup(userId: string, email: string): Promise<{ totpKey: string; uri: string } | null> {
  const [browserToken, isOn] = await Promise.all([peekBrowserToken(setupPurpose), hasTwoFactor(userId)])
  if (isOn || browserToken?.userId !== userId) return null
  const key = keyOf(browserToken.token)
  return { totpKey: key, uri: generator(key, email).toString() }
}

/** The key and URI for the authenticator app of a user who is not signed in yet. */
export async function findSetupByUserId(userId: string): ReturnType<typeof findSetup> {
  const [user] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  return user ? findSetup(userId, user.email) : null
}

const wrongCode = () =>
  new AppError('invalid_input', undefined, {
    fields: { code: ['Incorrect code. Wait for the next one and try again.'] },
  })

/** Counts an attempt to enter the first code, apart from those of a second factor that is on. */
const countSetupAttempt = (userId: string) => countCodeAttempt(`${userId} setup`)

/** Turns TOTP on after a first correct code. Returns the recovery codes, which are shown only once. */
export async function enableTwoFactor(userId: string, code: string): Promise<string[]> {
  const resetAttempts = await countSetupAttempt(userId)
  const codes = await transactionAsSelf(userId, (tx) => enableTotp(tx, userId, code))
  await resetAttempts()
  return codes
}

/** Turns TOTP on during a pending sign-in, and completes that sign-in. */
export async function enableTwoFactorAtSignIn(code: string): Promise<string[]> {
  const resetAttempts = await countSetupAttempt(await requirePendingUserId())
  let codes: string[] = []
  await completePendingSignIn(async (tx, pendingUserId) => {
    codes = await enableTotp(tx, pendingUserId, code)
    return 'totp'
  })
  await resetAttempts()
  return codes
}

async function enableTotp(tx: Transaction, userId: string, code: string): Promise<string[]> {
  // A wrong code rolls this back, so the token stays for the next try.
  const browserToken = await consumeBrowserToken(tx, setupPurpose)
  if (browserToken?.userId !== userId) throw new AppError('conflict', 'Your setup timed out. Start again.')
  const key = keyOf(browserToken.token)
  const lastStep = findStep(key, code.replaceAll(/\s/g, ''))
  if (lastStep === null) throw wrongCode()
  const secret = encrypt('totp', key)
  const on = await tx
    .insert(totp)
    .values({ userId, secret, lastStep, confirmedAt: sql`now()` })
    // Earlier versions stored secrets that were not confirmed yet.
    .onConflictDoUpdate({
      target: totp.userId,
      set: { secret, lastStep, confirmedAt: sql`now()`, failures: 0 },
      setWhere: isNull(totp.confirmedAt),
    })
    .returning({ userId: totp.userId })
  if (on.length === 0) throw alreadyOn()
  await recordTwoFactorChange(tx, userId, 'on')
  return replaceRecoveryCodes(tx, userId)
}
