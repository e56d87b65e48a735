import 'server-only'
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { db, type Transaction } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { identities, tokens, users } from '../../db/schema'
import { AppError } from '../../errors'
import { clientIp, getClientInfo, ipGroup } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { consumeAll, defineLimit, forgiveAll, silent } from '../../limits/limit'
import { resetEmail } from '../emails'
import { rejectBreachedPassword } from '../password/breached-passwords'
import { hashPassword } from '../password/hash'
import { passwordProblem } from '../password/rules'
import { rememberTrustedDevice } from '../session/trusted-device'
import { isValidToken, resetLink } from '../tokens/email-link'
import { lockUsers } from '../transaction-as'
import { normalizeEmail } from '../user/email'
import { replacePassword } from './change-password'
import { hideDuration } from './hide-duration'
import { accountCounts } from './sign-in'

// A successful reset gives its points back: a whole office may reset passwords behind one IP.
const ipLimit = defineLimit('reset_ip', { points: 60, seconds: 60 * 60, successes: 600 })
const emailAndIpLimit = defineLimit('reset_pair', { points: 3, seconds: 60 * 60 })
const resetUseLimit = defineLimit('reset_use_ip', { points: 30, seconds: 60 * 60, successes: 300 })

/**
 * Sends a reset link to the user with this email. Does the same work for an unknown email, so that the response does
 * not reveal it: a job is enqueued, and the worker sends nothing if there is no user. Over the limit it sends nothing
 * either.
 */
export async function requestPasswordReset(emailAsTyped: string): Promise<void> {
  const email = normalizeEmail(emailAsTyped)
  if (!email) {
    const fields = { email: ['Enter a valid email, like ada@example.com'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  const ip = ipGroup(clientIp(await headers()))
  const isWithinLimit = await consumeAll(ipLimit.of(ip), silent(emailAndIpLimit.of(`${email} ${ip}`)))
  await hideDuration(async () => {
    const [user] = await db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(sql`lower(${users.email})`, email), isNull(users.suspendedAt)))
    await enqueue(db, resetEmail, { userId: (isWithinLimit && user?.id) || null })
  })
}

async function findReset(token: string) {
  const [found] = await db
    .select({ userId: users.id, email: users.email, emailVerifiedAt: users.emailVerifiedAt })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(and(isValidToken(resetLink.name, token), isNull(users.suspendedAt)))
  return found
}

/** The user's email while the link is valid, else null. Does not use the link up, because email clients open links. */
export async function peekReset(token: string): Promise<{ email: string } | null> {
  const found = await findReset(token)
  return found ? { email: found.email } : null
}

/**
 * Removes sign-in methods from before the account had this email: they may belong to a third party. Returns how many.
 */
async function revokeOlderSignInMethods(tx: Transaction, userId: string, before: Date): Promise<number> {
  const [{ rowCount }, ...counts] = await Promise.all([
    tx.delete(identities).where(and(eq(identities.userId, userId), lt(identities.createdAt, before))),
    ...modules.map((module) => module.revokeOlderSignInMethods?.(tx, userId, before)),
  ])
  return counts.reduce<number>((sum, count) => sum + (count ?? 0), rowCount ?? 0)
}

/**
 * Sets the password with an email link. Ends every session and starts none: the user signs in with the new password.
 */
export async function resetPassword(token: string, password: string): Promise<void> {
  const head = await headers()
  const ip = ipGroup(clientIp(head))
  await resetUseLimit.consume(ip)
  const found = await findReset(token)
  const invalidLinkError = new AppError('not_found', 'This link has expired or was already used. Request a new one.')
  if (!found) throw invalidLinkError
  const problem = await passwordProblem(password, found.email)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { password: [problem] } })
  await rejectBreachedPassword(password, 'password')
  const hash = await hashPassword(password)
  const client = getClientInfo(head)
  const changedAt = await inTransaction(async (tx) => {
    const taking = tx.delete(tokens).where(isValidToken(resetLink.name, token)).returning({ userId: tokens.userId })
    // A sign-in that is under way waits for the lock, and then finds its credential gone.
    const [, [taken]] = await Promise.all([lockUsers(tx, [found.userId]), taking])
    if (taken?.userId !== found.userId) throw invalidLinkError
    const removed = await revokeOlderSignInMethods(tx, found.userId, found.emailVerifiedAt ?? new Date())
    const details = { way: 'reset', ...(removed > 0 && { removed }) }
    const [changedAt] = await Promise.all([
      replacePassword(tx, found.userId, hash, { client, removed }),
      // The link arrived by email, so the email is verified.
      tx
        .update(users)
        .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, now())` })
        .where(eq(users.id, found.userId)),
      recordAuditEvent(tx, 'password.changed', { targetId: found.userId, client, details }),
    ])
    return changedAt
  })
  // The link proves ownership, so failed attempts by third parties must not block the user any longer.
  await forgiveAll(...accountCounts(normalizeEmail(found.email) ?? found.email), ipLimit.of(ip), resetUseLimit.of(ip))
  await rememberTrustedDevice(found.userId, changedAt)
}
