import 'server-only'
import { and, eq } from 'drizzle-orm'
import type { Route } from 'next'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import type { Transaction } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { passwords, tokens } from '../../db/schema'
import { AppError } from '../../errors'
import { getClientInfo } from '../../http/client-ip'
import type { SecondFactor } from '../../module'
import { activateSession, signOut } from '../session/browser-session'
import { consumeBrowserToken, issuePendingToken, peekBrowserToken } from '../session/browser-token'
import type { Session } from '../session/sessions'
import { type Credential, insertSession } from '../session/start-session'
import { rememberTrustedDevice, selectTrustedSince } from '../session/trusted-device'
import { lockUsers } from '../transaction-as'

const purpose = 'challenge'
const minutes = 60

/** The second factor that this user must provide to sign in, or null. */
export async function findSecondFactor(userId: string): Promise<SecondFactor | null> {
  for (const module of modules) {
    const secondFactor = await module.secondFactor?.(userId)
    if (secondFactor) return secondFactor
  }
  return null
}

/**
 * Call it after the first factor was correct; `credential` is what was checked. Returns the second factor that the user must
 * provide, or null. If there is one, the browser gets a token for the pending sign-in, which is not a session.
 * `reauthenticatedAt` is that of the session to come, by default now: a code does not make a reauthentication out of a first
 * factor that an unattended browser gave.
 */
export async function startPendingSignIn(
  userId: string,
  first: { credential: Credential; reauthenticatedAt?: Date | undefined },
): Promise<SecondFactor | null> {
  const secondFactor = await findSecondFactor(userId)
  if (!secondFactor) return null
  await issuePendingToken(purpose, userId, 10 * minutes, first)
  await signOut()
  return secondFactor
}

/**
 * The path of the page that asks for the second factor, with the page to go to afterwards.
 * @public For modules that sign a user in.
 */
export const secondFactorPath = ({ page }: SecondFactor, next: string) =>
  `${page}?callbackUrl=${encodeURIComponent(next)}` as Route

/** The id of the user whose sign-in is pending in this browser, or null. */
export async function findPendingUserId(): Promise<string | null> {
  return (await peekBrowserToken(purpose))?.userId ?? null
}

/**
 * Ends the pending sign-ins of a user, in a transaction that removes what they may have begun with.
 * @public For modules that remove a sign-in method.
 */
export async function endPendingSignIns(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.userId, userId), eq(tokens.purpose, purpose)))
}

const expiredError = () => new AppError('unauthenticated', 'Your sign-in timed out. Sign in again.')

/**
 * The id of the user whose sign-in is pending in this browser. Throws if there is none.
 * @public For modules that ask for a second factor.
 */
export async function requirePendingUserId(): Promise<string> {
  const userId = await findPendingUserId()
  if (!userId) throw expiredError()
  return userId
}

/**
 * Completes the pending sign-in if `check` accepts the second factor. `check` returns the sign-in method, or null to
 * reject. It runs in the transaction that starts the session, so that a one-time code is used up only if the sign-in
 * succeeds. `isWholeSignIn`: the method would have been enough without the first factor, like a passkey.
 * @public For modules that ask for a second factor.
 */
export async function completePendingSignIn(
  check: (tx: Transaction, userId: string) => Promise<string | null>,
  { isWholeSignIn = false } = {},
): Promise<Session> {
  const client = getClientInfo(await headers())
  const pendingUserId = await requirePendingUserId()
  const { token, trustedSince } = await inTransaction(async (tx) => {
    // Waits for a concurrent password change, which deletes the pending sign-in.
    const locking = lockUsers(tx, [pendingUserId])
    const [, [user]] = await Promise.all([locking, selectTrustedSince(tx, pendingUserId)])
    const method = await check(tx, pendingUserId)
    if (!method) throw new AppError('invalid_credentials', 'Incorrect code')
    const browserToken = await consumeBrowserToken(tx, purpose)
    if (browserToken?.userId !== pendingUserId) throw expiredError()
    if (user?.failures) await tx.update(passwords).set({ failures: 0 }).where(eq(passwords.userId, pendingUserId))
    const reauthenticatedAt = (!isWholeSignIn && browserToken.reauthenticatedAt) || undefined
    const token = await insertSession(tx, { userId: pendingUserId, method, client, reauthenticatedAt })
    return { token, trustedSince: user?.trustedSince }
  })
  const session = await activateSession(token)
  await rememberTrustedDevice(pendingUserId, trustedSince)
  return session
}
