import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { passwords, tokens } from '../../db/schema'
import { AppError } from '../../errors'
import { type ClientInfo, getClientInfo } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { defineLimit } from '../../limits/limit'
import { passwordChangedEmail } from '../emails'
import { rejectBreachedPassword } from '../password/breached-passwords'
import { hashPassword } from '../password/hash'
import { passwordProblem } from '../password/rules'
import { causedBy } from '../security-notice'
import { getSession } from '../session/actor'
import { setCookie } from '../session/cookies'
import { renewSession, revokeSessions, type Session } from '../session/sessions'
import { rememberTrustedDevice } from '../session/trusted-device'
import { transactionAsSelf } from '../transaction-as'
import { hasPassword, verifyOwnPassword } from './reauthenticate'
import { findSecondFactor } from './second-factor'

/** Limits hashing: each attempt costs one hash. */
const firstPasswordLimit = defineLimit('first_password', { points: 10, seconds: 60 * 60 })

/**
 * Sets a new password, ends the other sessions, invalidates reset links, pending sign-ins, those of modules too, and trusted
 * devices, and notifies the user by email. Returns when it was set, so that this browser can be remembered as a trusted device.
 */
export async function replacePassword(
  tx: Transaction,
  userId: string,
  hash: string,
  { client, except, removed = 0 }: { client: ClientInfo; except?: string; removed?: number },
): Promise<Date | undefined> {
  // Locks the password row first, so that a concurrent sign-in with the old password waits and then fails. `execute` sends
  // it before the others.
  const locking = tx
    .insert(passwords)
    .values({ userId, hash })
    .onConflictDoUpdate({ target: passwords.userId, set: { hash, failures: 0, changedAt: sql`now()` } })
    .returning({ changedAt: passwords.changedAt })
    .execute()
  const [[password]] = await Promise.all([
    locking,
    revokeSessions(tx, userId, except === undefined ? {} : { except }),
    tx.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.purpose, ['reset', 'challenge']))),
    ...modules.map((module) => module.onPasswordChange?.(tx, userId)),
    enqueue(tx, passwordChangedEmail, { userId, removed, cause: causedBy(client) }),
  ])
  return password?.changedAt
}

/**
 * Changes the password of the signed-in user. Ends every other session; this one continues with a new token.
 * @public For modules with a form for it.
 */
export async function changePassword(current: string, next: string): Promise<void> {
  const { session, hash } = await verifyOwnPassword(current, 'current')
  const { id: userId, email } = session.user
  const isSame = () => next.normalize('NFC') === current.normalize('NFC')
  const problem = (await passwordProblem(next, email)) ?? (isSame() ? 'That’s already your password' : undefined)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { next: [problem] } })
  await rejectBreachedPassword(next, 'next')
  const newHash = await hashPassword(next)
  // The password is only one factor: a user with a second factor has not reauthenticated fully.
  const isReauthenticated = (await findSecondFactor(userId)) === null
  await setPassword(session, newHash, { kind: 'change', isReauthenticated }, async (tx) => {
    const [row] = await tx
      .select({ hash: passwords.hash })
      .from(passwords)
      .where(eq(passwords.userId, userId))
      .for('update')
    if (row?.hash !== hash)
      throw new AppError('conflict', 'Your password was just changed. Try again with the new one.')
  })
}

/**
 * Sets a first password for a user who signs in with another method. Ends every other session, like any new password.
 * @public For modules with a form for it.
 */
export async function setFirstPassword(password: string): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  const { id: userId, email } = session.user
  const taken = () => new AppError('conflict', 'You already have a password.')
  if (await hasPassword(userId)) throw taken()
  const problem = await passwordProblem(password, email)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { password: [problem] } })
  await firstPasswordLimit.consume(userId)
  await rejectBreachedPassword(password, 'password')
  const hash = await hashPassword(password)
  await setPassword(session, hash, { kind: 'first', isReauthenticated: false }, async (tx) => {
    const added = await tx
      .insert(passwords)
      .values({ userId, hash })
      .onConflictDoNothing()
      .returning({ userId: passwords.userId })
    if (added.length === 0) throw taken()
  })
}

/** Replaces the password after `check`, which must lock and verify the password row. Keeps this browser signed in. */
async function setPassword(
  session: Session,
  hash: string,
  { kind, isReauthenticated }: { kind: string; isReauthenticated: boolean },
  check: (tx: Transaction) => Promise<void>,
): Promise<void> {
  const { id: userId } = session.user
  const client = getClientInfo(await headers())
  const { token, changedAt } = await transactionAsSelf(userId, async (tx) => {
    await check(tx)
    const changedAt = await replacePassword(tx, userId, hash, { client, except: session.id })
    await recordAuditEvent(tx, 'password.changed', {
      actorId: userId,
      targetId: userId,
      client,
      details: { way: kind },
    })
    return { token: await renewSession(tx, session.id, { isReauthenticated }), changedAt }
  })
  await setCookie('session', token)
  await rememberTrustedDevice(userId, changedAt)
}
