import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { db } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { passwords, users } from '../../db/schema'
import { AppError } from '../../errors'
import { type ClientInfo, clientIp, getClientInfo, ipGroup } from '../../http/client-ip'
import { consumeAll, defineLimit, forgiveAll } from '../../limits/limit'
import type { SecondFactor } from '../../module'
import { hashPassword, isPossiblePassword, verifyPassword } from '../password/hash'
import { countWrongPassword, isPasswordLocked } from '../password/wrong-password'
import { startPasswordSession } from '../session/browser-session'
import { rememberSignInMethod } from '../session/last-method'
import type { Session } from '../session/sessions'
import { ownsPassword } from '../session/start-session'
import { findTrustedDevice, trustedSince } from '../session/trusted-device'
import { normalizeEmail } from '../user/email'
import { startPendingSignIn } from './second-factor'

// The first limit stops password guessing across many users; the next three stop guessing against one user, each with a
// longer wait. Successful sign-ins hardly count by IP: a whole office may sign in behind one.
const ipLimit = defineLimit('signin_ip', { points: 60, seconds: 10 * 60, successes: 600 })
const emailAndIpLimit = defineLimit('signin_pair', { points: 5, seconds: 60 })
const emailLimit = defineLimit('signin_account', { points: 10, seconds: 15 * 60 })
const dailyEmailLimit = defineLimit('signin_account_day', { points: 50, seconds: 24 * 60 * 60 })
// A trusted device has its own limits instead, which third parties cannot use up.
const trustedDeviceLimit = defineLimit('signin_device', { points: 5, seconds: 60, successes: 50 })
const dailyTrustedDeviceLimit = defineLimit('signin_device_day', { points: 30, seconds: 24 * 60 * 60, successes: 300 })

/** A session in this browser, or the second factor that is required first. */
type SignInResult = { session: Session; secondFactor?: never } | { secondFactor: SecondFactor; session?: never }

/**
 * Checks the password and starts a session in this browser. Every failure looks the same to the caller and costs one
 * hash.
 */
export async function signInWithPassword(emailAsTyped: string, password: string): Promise<SignInResult> {
  const email = normalizeEmail(emailAsTyped)
  if (!email || !isPossiblePassword(password)) throw new AppError('invalid_credentials')

  const head = await headers()
  const client = getClientInfo(head)
  const user = await findForSignIn(email)
  const trustedDeviceId = await findTrustedDevice(user?.id, user?.trustedSince)
  const isTrusted = trustedDeviceId !== undefined
  const undoCount = await countAttempt(email, clientIp(head), trustedDeviceId)

  const { isCorrect, isOutdated } = await verifyPassword(user?.hash, password)
  const reason = failureReason(user, isCorrect, isTrusted)
  if (reason || !user?.hash) return rejectSignIn(user?.id, reason ?? 'unknown', isTrusted, client)

  const hash = isOutdated ? await rehashPassword(user.id, user.hash, password) : user.hash
  await rememberSignInMethod(null)
  const [secondFactor] = await Promise.all([
    startPendingSignIn(user.id, { credential: ownsPassword(user.id, hash) }),
    undoCount(),
  ])
  if (secondFactor) return { secondFactor }
  return { session: await startPasswordSession(user.id, hash, { trustedSince: user.trustedSince, client }) }
}

async function findForSignIn(email: string) {
  const [user] = await db
    .select({
      id: users.id,
      hash: passwords.hash,
      isSuspended: sql<boolean>`${users.suspendedAt} is not null`,
      isUnverified: sql<boolean>`${users.emailVerifiedAt} is null`,
      failures: passwords.failures,
      trustedSince,
    })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(sql`lower(${users.email})`, email))
  return user
}

type FoundUser = Awaited<ReturnType<typeof findForSignIn>>

/** The reason for a failure, for the audit log only; the caller never sees it. */
function failureReason(user: FoundUser, isCorrect: boolean, isTrusted: boolean): string | undefined {
  if (!user) return 'unknown'
  if (!user.hash) return 'no_password'
  if (!isCorrect) return 'wrong_password'
  if (user.isSuspended) return 'suspended'
  if (user.isUnverified) return 'unproved'
  if (isPasswordLocked(user.failures ?? 0, isTrusted)) return 'locked'
}

const unknownUserId = '00000000-0000-0000-0000-000000000000'

/** Runs the same statements for unknown users, so that the response time does not reveal whether a user exists. */
async function rejectSignIn(
  userId: string | undefined,
  reason: string,
  isTrusted: boolean,
  client: ClientInfo,
): Promise<never> {
  await inTransaction(async (tx) => {
    const countedId = reason === 'wrong_password' && userId ? userId : unknownUserId
    await Promise.all([
      recordAuditEvent(tx, 'signin.failed', { targetId: userId, client, details: { reason } }),
      countWrongPassword(tx, countedId, isTrusted, client),
    ])
  })
  throw new AppError('invalid_credentials')
}

/**
 * Counts an attempt before hashing, so that concurrent attempts cannot exceed the limit. Returns a function to undo it.
 */
async function countAttempt(
  email: string,
  ip: string,
  trustedDeviceId: string | undefined,
): Promise<() => Promise<void>> {
  const group = ipGroup(ip)
  const counts = trustedDeviceId
    ? [trustedDeviceLimit.of(trustedDeviceId), dailyTrustedDeviceLimit.of(trustedDeviceId)]
    : [ipLimit.of(group), emailAndIpLimit.of(`${email} ${group}`), ...accountCounts(email)]
  await consumeAll(...counts)
  return () => forgiveAll(...counts)
}

/**
 * The limits of the account, to forgive after its owner has authenticated: failed attempts by third parties must not
 * block them.
 */
export const accountCounts = (email: string) => [emailLimit.of(email), dailyEmailLimit.of(email)]

/** Hashes the password again with the current parameters. */
async function rehashPassword(userId: string, old: string, password: string): Promise<string> {
  const hash = await hashPassword(password)
  const replaced = await db
    .update(passwords)
    .set({ hash })
    .where(and(eq(passwords.userId, userId), eq(passwords.hash, old)))
    .returning({ hash: passwords.hash })
  if (replaced[0]) return replaced[0].hash
  // A concurrent sign-in was first, or the password has changed.
  const [current] = await db.select({ hash: passwords.hash }).from(passwords).where(eq(passwords.userId, userId))
  return current && (await verifyPassword(current.hash, password)).isCorrect ? current.hash : old
}
