import 'server-only'
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { endPendingSignIns } from '@/core/auth/flows/second-factor'
import { causedBy, encryptRecipient } from '@/core/auth/security-notice'
import type { Actor } from '@/core/auth/session/actor'
import { type EmailLinkPurpose, isValidToken, reportCompromiseLink, resetLink } from '@/core/auth/tokens/email-link'
import { transactionAsSelf } from '@/core/auth/transaction-as'
import { deleteUnverifiedUser } from '@/core/auth/user/create'
import { normalizeEmail } from '@/core/auth/user/email'
import { type Database, db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { tokens, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { emailChangedEmail, emailChangeEmail, emailChangeToken } from './emails'
import { emailChanges } from './schema'

const emailChangeLimit = defineLimit('email_change', { points: 5, seconds: 60 * 60 })

/**
 * Requests a change of email and sends a link to the new one. Responds the same when another user has that email, so
 * that it cannot be used to find out who has an account; only the email itself says so.
 */
export async function requestEmailChange(actor: Actor, emailAsTyped: string): Promise<string> {
  const email = normalizeEmail(emailAsTyped)
  const fields = { email: [email ? 'That’s already your email' : 'Enter a valid email, like ada@example.com'] }
  if (!email || email === actor.email.toLowerCase()) throw new AppError('invalid_input', undefined, { fields })
  await emailChangeLimit.consume(actor.id)
  await transactionAsSelf(actor.id, async (tx) => {
    await tx
      .insert(emailChanges)
      .values({ userId: actor.id, email })
      .onConflictDoUpdate({ target: emailChanges.userId, set: { email, createdAt: sql`now()` } })
    await deleteEmailTokens(tx, actor.id, emailChangeToken)
    await enqueue(tx, emailChangeEmail, { userId: actor.id })
    const client = getClientInfo(await headers())
    await recordAuditEvent(tx, 'email.change_requested', { actorId: actor.id, targetId: actor.id, client })
  })
  return email
}

export async function isEmailVerified(userId: string): Promise<boolean> {
  const [user] = await db.select({ verifiedAt: users.emailVerifiedAt }).from(users).where(eq(users.id, userId))
  return Boolean(user?.verifiedAt)
}

/** The new email that is not verified yet. */
export async function findPendingEmail(userId: string): Promise<string | null> {
  const [pending] = await db
    .select({ email: emailChanges.email })
    .from(emailChanges)
    .where(and(eq(emailChanges.userId, userId), sql`${emailChanges.createdAt} > now() - interval '1 day'`))
  return pending?.email ?? null
}

export async function cancelEmailChange(userId: string): Promise<void> {
  await inTransaction(async (tx) => {
    await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
    await deleteEmailTokens(tx, userId, emailChangeToken)
  })
}

async function deleteEmailTokens(tx: Transaction, userId: string, ...purposes: EmailLinkPurpose[]): Promise<void> {
  const names = purposes.map(({ name }) => name)
  await tx.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.purpose, names)))
}

/** The email change of a token. The token stops working once its user requests another email or cancels. */
const findChangeByToken = (tx: Pick<Database, 'select'>, token: string) =>
  tx
    .select({
      userId: users.id,
      name: users.name,
      former: users.email,
      email: emailChanges.email,
      timeZone: users.timeZone,
      locale: users.locale,
    })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .innerJoin(emailChanges, and(eq(emailChanges.userId, users.id), eq(emailChanges.email, tokens.email)))
    .where(isValidToken(emailChangeToken.name, token))

/** For the page that the link opens. Read-only: does not use up the token. */
export async function findEmailChange(
  token: string,
): Promise<{ userId: string; former: string; email: string } | null> {
  const [change] = await findChangeByToken(db, token)
  return change ?? null
}

/**
 * Sets the new email. The token alone is not enough: an attacker could send it to a victim, who would confirm in good
 * faith and then use an account that the attacker has prepared. So the session must belong to the user who requested
 * the change. Tokens sent to the former email stop working, except the one in the notice that is sent there now.
 */
export async function verifyEmailChange(actor: Actor, token: string): Promise<{ email: string }> {
  const client = getClientInfo(await headers())
  // Of two concurrent requests, the second waits until it has the lock, and then finds no change.
  const work = async (tx: Transaction) => {
    const [change] = await findChangeByToken(tx, token)
    if (change && change.userId !== actor.id) throw new AppError('forbidden', 'This link is for another account.')
    const [usedToken] = await tx
      .delete(tokens)
      .where(isValidToken(emailChangeToken.name, token))
      .returning({ email: tokens.email })
    if (!change || usedToken?.email !== change.email)
      throw new AppError('not_found', 'This link has expired or was already used. Request a new one.')
    const { userId, email, name, former, timeZone, locale } = change
    await deleteUnverifiedUser(tx, email)
    const [existingUser] = await tx
      .select({ id: users.id })
      .from(users)
      .where(eq(sql`lower(${users.email})`, email))
    if (existingUser) throw new AppError('conflict', 'That email is already in use.')
    await tx
      .update(users)
      .set({ email, emailVerifiedAt: sql`now()`, updatedAt: sql`now()` })
      .where(eq(users.id, userId))
    await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
    await deleteEmailTokens(tx, userId, resetLink, emailChangeToken)
    // One may have begun with a code that was sent to the former email.
    await endPendingSignIns(tx, userId)
    // "Secure my account" tokens sent to the former email stop working, except those that restore an earlier email.
    await tx
      .delete(tokens)
      .where(and(eq(tokens.userId, userId), eq(tokens.purpose, reportCompromiseLink.name), isNull(tokens.email)))
    const formerTo = encryptRecipient({ name, address: former, preferences: { timeZone, locale } })
    await enqueue(tx, emailChangedEmail, { userId, formerTo, cause: causedBy(client) })
    await recordAuditEvent(tx, 'email.changed', { actorId: userId, targetId: userId, client })
    return { email }
  }
  // A sign-up or another user may take the email between the check and the update: the second run then reports it.
  return transactionAsSelf(actor.id, work, { retry: 'unique_violation' })
}
