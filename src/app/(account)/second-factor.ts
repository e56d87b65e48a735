import 'server-only'
import { and, count, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { Secret, TOTP } from 'otpauth'
import { appName } from '@/brand'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { findRole } from '@/core/auth/roles'
import { causedBy } from '@/core/auth/security-notice'
import { findTrustedDeviceOfUser } from '@/core/auth/session/trusted-device'
import { decrypt, encrypt } from '@/core/auth/tokens/encrypt'
import { hashToken } from '@/core/auth/tokens/token'
import { transactionAsSelf } from '@/core/auth/transaction-as'
import { db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { clientIp, getClientInfo, ipGroup } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { consumeAll, defineLimit } from '@/core/limits/limit'
import type { SecondFactor } from '@/core/module'
import { recoveryCodeUsedEmail, twoFactorEmail, wrongCodesEmail } from './emails'
import { env } from './env'
import { replaceRecoveryCodes } from './recovery-codes'
import { recoveryCodes, totp } from './schema'
import { cancelRemoval } from './two-factor-removal'

const periodSeconds = 30

// A caller at this point has passed the first factor, so guessing six digits must take far too long. A trusted device
// has its own counters, so that an attacker with the password cannot use up the user's tries.
const codeLimit = defineLimit('second_factor', { points: 5, seconds: 5 * 60 })
const dailyCodeLimit = defineLimit('second_factor_day', { points: 50, seconds: 24 * 60 * 60 })
/** Recovery codes are too long to guess. Counted by user and IP, so that an attacker cannot use up the user's tries. */
const recoveryCodeLimit = defineLimit('recovery_code', { points: 10, seconds: 5 * 60 })

/** After this many wrong TOTP codes in a row, an email tells the user that an attacker may know the password. */
const notifyAtFailures = 10
/**
 * After this many wrong codes in a row, TOTP is locked until a recovery code or a passkey is used. Trusted devices have
 * a higher limit, so that an attacker on another device cannot lock the user out; passwords work the same way.
 */
const maxFailures = { untrusted: 100, trusted: 120 }

export const generator = (secret: string, email = '') =>
  new TOTP({ issuer: appName, label: email, digits: 6, period: periodSeconds, secret: Secret.fromBase32(secret) })

/** Since when TOTP is on for the user (null if off), and how many recovery codes are left. */
export async function findTwoFactor(userId: string) {
  const [[row], [left]] = await Promise.all([
    db.select({ confirmedAt: totp.confirmedAt }).from(totp).where(eq(totp.userId, userId)),
    db.select({ codes: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
  ])
  return { since: row?.confirmedAt ?? null, codesLeft: left?.codes ?? 0 }
}

export async function hasTwoFactor(userId: string): Promise<boolean> {
  const found = await db
    .select({ userId: totp.userId })
    .from(totp)
    .where(and(eq(totp.userId, userId), isNotNull(totp.confirmedAt)))
  return found.length > 0
}

/** Those of these users who have a second factor. */
export async function findUsersWithTwoFactor(userIds: string[]): Promise<Set<string>> {
  const found = await db
    .select({ userId: totp.userId })
    .from(totp)
    .where(and(inArray(totp.userId, userIds), isNotNull(totp.confirmedAt)))
  return new Set(found.map(({ userId }) => userId))
}

/** Whether ACCOUNT_TWO_STEP requires a second factor for this user. */
async function isTwoFactorRequired(userId: string): Promise<boolean> {
  if (env.ACCOUNT_TWO_STEP !== 'admins') return env.ACCOUNT_TWO_STEP === 'everybody'
  const [user] = await db.select({ role: users.role }).from(users).where(eq(users.id, userId))
  return user !== undefined && (findRole(user.role)?.needsTwoFactor ?? true)
}

/** What a sign-in needs after the first factor: a code, or the setup of TOTP where it is required. Null if nothing. */
export async function findSecondFactor(userId: string): Promise<SecondFactor | null> {
  if (await hasTwoFactor(userId))
    return { kind: 'totp', page: '/signin/second', verifyCode: (code) => verifyCode(userId, code) }
  return (await isTwoFactorRequired(userId)) ? { kind: 'totp_setup', page: '/signin/set-up', needsSetup: true } : null
}

/** Counts an attempt with a TOTP code. Returns a function that resets the counter after a correct code. */
export async function countCodeAttempt(limitKey: string): Promise<() => Promise<void>> {
  await consumeAll(codeLimit.of(limitKey), dailyCodeLimit.of(limitKey))
  return () => codeLimit.forgive(limitKey)
}

/** Counts an attempt at sign-in or reauthentication. A trusted device has its own counter. */
async function countAttempt(
  userId: string,
  typed: string,
  trustedDeviceId: string | undefined,
): Promise<() => Promise<void>> {
  if (parseTotpCode(typed)) return countCodeAttempt(trustedDeviceId ?? userId)
  const limitKey = `${userId} ${ipGroup(clientIp(await headers()))}`
  await recoveryCodeLimit.consume(limitKey)
  return () => recoveryCodeLimit.forgive(limitKey)
}

/** Records a wrong code. Returns whether TOTP is locked now. */
async function recordWrongCode(
  userId: string,
  typed: string,
  { isTrusted, isSignedIn }: { isTrusted: boolean; isSignedIn: boolean },
): Promise<{ isLocked: boolean }> {
  const client = getClientInfo(await headers())
  const details = { reason: 'wrong_code' }
  return inTransaction(async (tx) => {
    if (isSignedIn) await recordAuditEvent(tx, 'confirmation.failed', { actorId: userId, client, details })
    else await recordAuditEvent(tx, 'signin.failed', { targetId: userId, client, details })
    if (!parseTotpCode(typed)) return { isLocked: false }
    const [count] = await tx
      .update(totp)
      .set({ failures: sql`${totp.failures} + 1` })
      .where(and(eq(totp.userId, userId), lt(totp.failures, maxFailuresFor(isTrusted))))
      .returning({ failures: totp.failures })
    const failures = count?.failures ?? 0
    if ([notifyAtFailures, maxFailures.untrusted, maxFailures.trusted].includes(failures))
      await enqueue(tx, wrongCodesEmail, { userId, failures, cause: causedBy(client) })
    return { isLocked: !count }
  })
}

const maxFailuresFor = (isTrusted: boolean) => (isTrusted ? maxFailures.trusted : maxFailures.untrusted)

/** Unlocks TOTP after the user has passed the second factor with a recovery code or a passkey. */
export async function resetWrongCodes(tx: Transaction, userId: string): Promise<void> {
  await tx.update(totp).set({ failures: 0 }).where(eq(totp.userId, userId))
}

/** The time step of a code: the current one, or one before or after, because clocks differ. Null if the code is wrong. */
export function findStep(key: string, code: string): number | null {
  const now = Date.now()
  const drift = generator(key).validate({ token: code, timestamp: now, window: 1 })
  return drift === null ? null : Math.floor(now / 1000 / periodSeconds) + drift
}

/** Rejects codes of the last accepted step and of earlier ones, so that an observed code cannot be replayed. */
async function consumeTotpCode(tx: Transaction, userId: string, code: string, isTrusted: boolean): Promise<boolean> {
  const [row] = await tx
    .select({ secret: totp.secret, lastStep: totp.lastStep, failures: totp.failures })
    .from(totp)
    .where(and(eq(totp.userId, userId), isNotNull(totp.confirmedAt)))
    .for('update')
  const key = row && decrypt('totp', row.secret)
  if (!key || row.failures >= maxFailuresFor(isTrusted)) return false
  const step = findStep(key, code)
  if (step === null || step <= row.lastStep) return false
  // Encrypts the secret again, so that after a rotation of AUTH_SECRET the next code moves the user to the new key.
  await tx
    .update(totp)
    .set({ lastStep: step, secret: encrypt('totp', key), failures: 0 })
    .where(eq(totp.userId, userId))
  return true
}

const normalized = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

async function consumeRecoveryCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const used = await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.hash, hashToken(normalized(code))), eq(recoveryCodes.userId, userId)))
    .returning({ userId: recoveryCodes.userId })
  if (used.length === 0) return false
  await resetWrongCodes(tx, userId)
  const [left] = await tx.select({ codes: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  const cause = causedBy(getClientInfo(await headers()))
  await enqueue(tx, recoveryCodeUsedEmail, { userId, left: left?.codes ?? 0, cause })
  return true
}

/** The six digits of a TOTP code; null for anything else, which can only be a recovery code. */
function parseTotpCode(typed: string): string | null {
  const digits = typed.replaceAll(/\s/g, '')
  return /^\d{6}$/.test(digits) ? digits : null
}

/** Checks and uses up a TOTP code or a recovery code. Returns which kind it was, or null if it is wrong. */
async function consumeCode(tx: Transaction, userId: string, typed: string, isTrusted: boolean): Promise<string | null> {
  const code = parseTotpCode(typed)
  const isCorrect = code
    ? await consumeTotpCode(tx, userId, code, isTrusted)
    : await consumeRecoveryCode(tx, userId, typed)
  if (!isCorrect) return null
  await cancelRemoval(tx, userId)
  return code ? 'totp' : 'recovery_code'
}

/**
 * Runs `work`, which checks a code in its transaction with the function that it gets, and throws `invalid_credentials` for a wrong
 * one. Counts the attempt, and records a wrong code.
 */
export async function attemptCode<T>(
  userId: string,
  typed: string,
  work: (check: (tx: Transaction, userId: string) => Promise<string | null>) => Promise<T>,
  { isSignedIn = false } = {},
): Promise<T> {
  const trustedDeviceId = await findTrustedDeviceOfUser(userId)
  const isTrusted = trustedDeviceId !== undefined
  const resetAttempts = await countAttempt(userId, typed, trustedDeviceId)
  try {
    const result = await work((tx, id) => consumeCode(tx, id, typed, isTrusted))
    await resetAttempts()
    return result
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_credentials') throw error
    const { isLocked } = await recordWrongCode(userId, typed, { isTrusted, isSignedIn })
    throw new AppError(
      'invalid_credentials',
      isLocked ? 'Too many incorrect codes. Use a recovery code.' : 'Incorrect or already used code.',
    )
  }
}

/** Checks and uses up a code of a signed-in user. */
async function verifyCode(userId: string, typed: string): Promise<void> {
  const work = (check: (tx: Transaction, userId: string) => Promise<string | null>) =>
    inTransaction(async (tx) => {
      if (!(await check(tx, userId))) throw new AppError('invalid_credentials')
    })
  await attemptCode(userId, typed, work, { isSignedIn: true })
}

export async function recordTwoFactorChange(
  tx: Transaction,
  userId: string,
  event: 'on' | 'off' | 'codes',
  actorId = userId,
): Promise<void> {
  const client = getClientInfo(await headers())
  await recordAuditEvent(tx, `two_step.${event}`, { actorId, targetId: userId, client })
  await enqueue(tx, twoFactorEmail, { userId, event, cause: causedBy(actorId === userId ? client : 'admin') })
}

/** Replaces the recovery codes; the old ones stop working. */
export async function renewRecoveryCodes(userId: string): Promise<string[]> {
  return transactionAsSelf(userId, async (tx) => {
    const [on] = await tx
      .select({ userId: totp.userId })
      .from(totp)
      .where(and(eq(totp.userId, userId), isNotNull(totp.confirmedAt)))
      .for('update')
    if (!on) throw new AppError('conflict', 'Two-factor authentication is off.')
    await recordTwoFactorChange(tx, userId, 'codes')
    return replaceRecoveryCodes(tx, userId)
  })
}

export async function disableTwoFactor(userId: string): Promise<void> {
  if (await isTwoFactorRequired(userId))
    throw new AppError('forbidden', 'Two-factor authentication is required here and can’t be turned off.')
  await transactionAsSelf(userId, (tx) => removeTwoFactor(tx, userId))
}

export async function removeTwoFactor(tx: Transaction, userId: string, actorId = userId): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  const [gone] = await tx.delete(totp).where(eq(totp.userId, userId)).returning({ confirmedAt: totp.confirmedAt })
  if (gone?.confirmedAt) await recordTwoFactorChange(tx, userId, 'off', actorId)
}
