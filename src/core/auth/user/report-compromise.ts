import 'server-only'
import { and, eq, gt, isNotNull, lt, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { db, type Transaction } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { identities, passwords, tokens, users } from '../../db/schema'
import { AppError } from '../../errors'
import { clientIp, getClientInfo, ipGroup } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { defineLimit } from '../../limits/limit'
import { emailRevertedEmail } from '../emails'
import { causedBy, encryptRecipient } from '../security-notice'
import { revokeSessions } from '../session/sessions'
import { isValidToken, reportCompromiseLink } from '../tokens/email-link'
import { lockUsers } from '../transaction-as'

const ipLimit = defineLimit('alarm_address', { points: 30, seconds: 60 * 60 })

/** The current and the former email of the account while the link is valid, else null. Does not use the link up. */
export async function peekCompromiseReport(
  token: string,
): Promise<{ email: string; formerEmail: string | null } | null> {
  const [found] = await db
    .select({ email: users.email, formerEmail: tokens.email })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(isValidToken(reportCompromiseLink.name, token))
  return found ?? null
}

/**
 * "Secure my account": locks an attacker out of the account. Ends every session, deletes the password and later email
 * tokens, and removes the sign-in methods added within the lifetime of the link. Restores the former email if it is
 * still free. Returns the email to request a new password with.
 */
export async function reportCompromise(token: string): Promise<{ email: string }> {
  const head = await headers()
  await ipLimit.consume(ipGroup(clientIp(head)))
  const since = new Date(Date.now() - reportCompromiseLink.lifetimeSeconds * 1000)
  const work = async (tx: Transaction) => {
    const [report] = await tx
      .delete(tokens)
      .where(isValidToken(reportCompromiseLink.name, token))
      .returning({ userId: tokens.userId, formerEmail: tokens.email, expiresAt: tokens.expiresAt })
    if (!report?.userId) throw new AppError('not_found', 'This link has expired or was already used.')
    const { userId, formerEmail, expiresAt } = report
    // First, as everywhere: a request of the attacker either ends before this, or finds its session gone.
    await lockUsers(tx, [userId])
    await tx.delete(passwords).where(eq(passwords.userId, userId))
    await revokeSessions(tx, userId)
    // Keep links that restore an email which the user had before: an attacker who changed the email gets links, too, but theirs
    // restore a later email or none.
    const isEarlierReport = and(
      eq(tokens.purpose, reportCompromiseLink.name),
      isNotNull(tokens.email),
      formerEmail === null ? undefined : lt(tokens.expiresAt, expiresAt),
    )
    await tx.delete(tokens).where(and(eq(tokens.userId, userId), sql`not (${isEarlierReport})`))
    await tx.delete(identities).where(and(eq(identities.userId, userId), gt(identities.createdAt, since)))
    for (const module of modules) await module.revoke?.(tx, userId, since)
    // A user who has this email by now has verified it, so it is the same owner.
    const taken = formerEmail
      ? await tx
          .select({ id: users.id })
          .from(users)
          .where(eq(sql`lower(${users.email})`, formerEmail.toLowerCase()))
      : []
    const restored = taken.length === 0 ? formerEmail : null
    const [current] = await tx
      .select({ name: users.name, address: users.email })
      .from(users)
      .where(eq(users.id, userId))
    // The current email loses the account. Notify it, but without a link: it may be the attacker's inbox.
    if (restored && current)
      await enqueue(tx, emailRevertedEmail, { to: encryptRecipient(current), cause: causedBy('app') })
    const [user] = await tx
      .update(users)
      .set({
        updatedAt: sql`now()`,
        devicesForgottenAt: sql`now()`,
        ...(restored && { email: restored, emailVerifiedAt: sql`now()` }),
      })
      .where(eq(users.id, userId))
      .returning({ email: users.email })
    if (!user) throw new AppError('not_found')
    const details = { isAddressRestored: restored !== null }
    await recordAuditEvent(tx, 'alarm.raised', { targetId: userId, client: getClientInfo(head), details })
    return user
  }
  // A sign-up may take the former email between the check and the update: the second run then leaves the email as it is.
  return inTransaction(work, { retry: 'unique_violation' })
}
