import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { db } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { identities, passwords } from '../../db/schema'
import { AppError } from '../../errors'
import { getClientInfo } from '../../http/client-ip'
import { currentRequest } from '../../http/request'
import { enqueue } from '../../jobs/queue'
import { consumeAll, defineLimit, forgiveAll } from '../../limits/limit'
import type { SecondFactor } from '../../module'
import { sessionEndedEmail } from '../emails'
import { findConfiguredProvider } from '../oauth/providers'
import { isPossiblePassword, verifyPassword } from '../password/hash'
import { countWrongPassword, isPasswordLocked } from '../password/wrong-password'
import { causedBy } from '../security-notice'
import { getSession, rejectImpersonation, rememberSession } from '../session/actor'
import { signOut } from '../session/browser-session'
import { setCookie } from '../session/cookies'
import { renewSession, type Session } from '../session/sessions'
import { ownsPassword } from '../session/start-session'
import { findSecondFactor, startPendingSignIn } from './second-factor'

// A session may be stolen, so its password guesses count like any other. Correct ones count less, but each
// costs a hash.
const userLimit = defineLimit('confirm', { points: 5, seconds: 60, successes: 50 })
const dailyUserLimit = defineLimit('confirm_day', { points: 50, seconds: 24 * 60 * 60, successes: 500 })
/** Wrong passwords allowed per session; the next one ends it. */
const sessionLimit = defineLimit('confirm_session', { points: 9, seconds: 24 * 60 * 60 })

/** Checks the password of the signed-in user and counts every wrong one. Returns the session and the stored hash. */
export async function verifyOwnPassword(password: string, field: string): Promise<{ session: Session; hash: string }> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  await rejectImpersonation()
  const { id: userId } = session.user
  await consumeAll(userLimit.of(userId), dailyUserLimit.of(userId))
  const [stored] = await db
    .select({ hash: passwords.hash, failures: passwords.failures })
    .from(passwords)
    .where(eq(passwords.userId, userId))
  if (stored && isPasswordLocked(stored.failures, true))
    throw wrongPasswordError(field, 'Too many failed attempts. Sign out and reset your password.')
  const isCorrect = isPossiblePassword(password) && (await verifyPassword(stored?.hash, password)).isCorrect
  if (!stored || !isCorrect) return rejectWrongPassword(session, field)
  await forgiveAll(userLimit.of(userId), dailyUserLimit.of(userId), sessionLimit.of(session.id))
  if (stored.failures > 0) await db.update(passwords).set({ failures: 0 }).where(eq(passwords.userId, userId))
  return { session, hash: stored.hash }
}

const wrongPasswordError = (field: string, message: string) =>
  new AppError('invalid_credentials', message, { fields: { [field]: [message] } })

/** Repeated wrong passwords mean an unattended browser or a stolen cookie: ends the session and notifies the user. */
async function rejectWrongPassword(session: Session, field: string): Promise<never> {
  const { id: userId } = session.user
  const client = getClientInfo(await headers())
  const isLast = !(await sessionLimit.tryConsume(session.id))
  await inTransaction(async (tx) => {
    await countWrongPassword(tx, userId, true, client)
    await recordAuditEvent(tx, 'confirmation.failed', { actorId: userId, client })
    if (isLast) await enqueue(tx, sessionEndedEmail, { userId, cause: causedBy(client) })
  })
  if (!isLast) throw wrongPasswordError(field, 'Incorrect password')
  await signOut()
  throw new AppError('unauthenticated', 'Too many wrong passwords. You’ve been signed out.')
}

/**
 * Reauthenticates the user with their password; sensitive actions do not ask again for an hour. For a user with a
 * second factor it ends the session and returns that factor; a new session starts once the factor is verified.
 */
export async function reauthenticateWithPassword(password: string): Promise<SecondFactor | null> {
  const { session, hash } = await verifyOwnPassword(password, 'password')
  const { id: userId } = session.user
  const secondFactor = await startPendingSignIn(userId, { credential: ownsPassword(userId, hash) })
  if (secondFactor) return secondFactor
  await markReauthenticated(session)
  return null
}

async function markReauthenticated(session: Session): Promise<void> {
  const token = await renewSession(db, session.id, { isReauthenticated: true })
  await setCookie('session', token)
  rememberSession({ ...session, isReauthenticated: true })
  await recordAuditEvent(db, 'session.confirmed', { actorId: session.user.id, client: getClientInfo(await headers()) })
}

/** The fields in which the form of a sensitive action sends the password along, and the code of the second factor. */
export const ownPasswordField = 'ownPassword'
export const ownCodeField = 'ownCode'

/**
 * Reauthenticates with what a form sent along with a sensitive action: the password, and the code of users who have a second
 * factor. If that cannot be checked here, the page /confirm asks for both; the password is not tested then.
 */
export async function reauthenticateInline(password: unknown, code: unknown): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  await rejectImpersonation()
  const secondFactor = await findSecondFactor(session.user.id)
  if (secondFactor && !secondFactor.verifyCode) throw new AppError('reauth_required')
  const isCodeMissing = secondFactor !== null && !isFilled(code)
  if (!isFilled(password) || isCodeMissing) {
    const fields = {
      ...(!isFilled(password) && { [ownPasswordField]: ['Enter your password'] }),
      ...(isCodeMissing && { [ownCodeField]: ['Enter the code'] }),
    }
    throw new AppError('reauth_required', undefined, { fields })
  }
  const { session: verified } = await verifyOwnPassword(password, ownPasswordField)
  await secondFactor?.verifyCode?.(String(code)).catch(moveToCodeField)
  await markReauthenticated(verified)
}

const isFilled = (value: unknown): value is string => typeof value === 'string' && value !== ''

function moveToCodeField(error: unknown): never {
  if (!(error instanceof AppError) || error.code !== 'invalid_credentials') throw error
  throw new AppError(error.code, error.message, { fields: { [ownCodeField]: [error.message] } })
}

export interface Reauthentication {
  email: string
  /** Whether they did within the last hour. */
  isReauthenticated: boolean
  /** Whether a form may ask for the password itself, instead of a detour to the page /confirm. */
  isInline: boolean
  /** Whether it must ask for the code of the second factor, too. */
  needsCode: boolean
}

/** How a form asks the signed-in user to reauthenticate. Only for display: the action checks it. */
export async function findReauthentication(): Promise<Reauthentication | null> {
  const session = await getSession()
  if (!session) return null
  const { id, email } = session.user
  const [isWithPassword, secondFactor] = await Promise.all([hasPassword(id), findSecondFactor(id)])
  const isInline = isWithPassword && (!secondFactor || secondFactor.verifyCode !== undefined) && !session.impersonatedBy
  return { email, isReauthenticated: session.isReauthenticated, isInline, needsCode: secondFactor !== null }
}

/** Whether the user has a password to reauthenticate with. */
export async function hasPassword(userId: string): Promise<boolean> {
  const found = await db.select({ userId: passwords.userId }).from(passwords).where(eq(passwords.userId, userId))
  return found.length > 0
}

/** Whether the user can reauthenticate without an OAuth provider: with a password, or a method that a module adds. */
export async function canReauthenticate(userId: string): Promise<boolean> {
  const ways = await Promise.all([hasPassword(userId), ...modules.map((module) => module.canReauthenticate?.(userId))])
  return ways.includes(true)
}

/**
 * The reauthentication that a sign-in with a provider counts as; undefined if it is now. A provider may sign in without any prompt,
 * in an unattended browser. So it does not count if the user can reauthenticate without it.
 */
export async function findReauthenticationAtProvider(userId: string): Promise<Date | undefined> {
  return (await canReauthenticate(userId)) ? new Date(0) : currentRequest()?.authenticatedAt
}

/**
 * Whether the user can reauthenticate in any way that is stronger than an inbox: with a password, with a method that a module
 * adds, or at a provider that asks the user to authenticate again and says when that was.
 * @public For modules that add a weaker sign-in method.
 */
export async function hasStrongerReauthentication(userId: string): Promise<boolean> {
  const [isPossible, found] = await Promise.all([
    canReauthenticate(userId),
    db.select({ provider: identities.provider }).from(identities).where(eq(identities.userId, userId)),
  ])
  return isPossible || found.some(({ provider }) => findConfiguredProvider(provider)?.reauthentication !== undefined)
}
