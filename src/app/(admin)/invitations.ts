import 'server-only'
import { and, desc, eq, gt, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { startPendingSignIn } from '@/core/auth/flows/second-factor'
import { rejectBreachedPassword } from '@/core/auth/password/breached-passwords'
import { hashPassword } from '@/core/auth/password/hash'
import { passwordProblem } from '@/core/auth/password/rules'
import type { Role } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import { startPasswordSession } from '@/core/auth/session/browser-session'
import { ownsPassword } from '@/core/auth/session/start-session'
import { isValidToken } from '@/core/auth/tokens/email-link'
import { transactionAs } from '@/core/auth/transaction-as'
import { normalizeEmail } from '@/core/auth/user/email'
import { requireName } from '@/core/auth/user/name'
import { rejectHigherRole } from '@/core/auth/user/rights'
import { signUpUser } from '@/core/auth/user/sign-up'
import { saveUserFields } from '@/core/auth/user-fields'
import { db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { passwords, tokens, users } from '@/core/db/schema'
import { env } from '@/core/env'
import { AppError } from '@/core/errors'
import { clientIp, getClientInfo, ipGroup } from '@/core/http/client-ip'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { log } from '@/core/log'
import type { SecondFactor } from '@/core/module'
import { deleteInvitationTokens, invitationEmail, invitationToken } from './invitation-email'
import { isFromInviter, isValid } from './invitation-validity'
import { can } from './policy'
import { invitations } from './schema'

const maxAtOnce = 50

const inviteLimit = defineLimit('admin_invite', { points: 60, seconds: 60 * 60 })
const joinLimit = defineLimit('admin_join_ip', { points: 30, seconds: 60 * 60, successes: 300 })

export const isOpenToInvited = () => env.AUTH_SIGNUP !== 'closed'

function requireOpen(): void {
  if (!isOpenToInvited()) throw new AppError('forbidden', 'Sign-up is closed.')
}

/** A new time of sending, later than the last by at least the millisecond that tells two emails apart. */
const sentLater = sql`greatest(now(), ${invitations.sentAt} + interval '1 millisecond')`

const enqueueEmail = (tx: Transaction, inviterId: string | undefined, invitationId: string, sentAt: Date) =>
  enqueue(tx, invitationEmail, { invitationId, sentAt: sentAt.toISOString(), inviterId })

/** Parses emails separated by commas, semicolons or whitespace. Rejects invalid emails and those of existing users. */
async function parseEmails(text: string): Promise<string[]> {
  const typed = text.split(/[\s,;]+/).filter(Boolean)
  const invalid = (message: string) => new AppError('invalid_input', undefined, { fields: { emails: [message] } })
  if (typed.length === 0) throw invalid('Enter at least one email')
  const invalidEmail = typed.find((one) => !normalizeEmail(one))
  if (invalidEmail) throw invalid(`Not a valid email: ${invalidEmail.slice(0, 100)}`)
  const emails = [...new Set(typed.map((one) => normalizeEmail(one) ?? ''))]
  if (emails.length > maxAtOnce) throw invalid(`Enter up to ${maxAtOnce} emails at a time`)
  const [existingUser] = await db
    .select({ email: users.email })
    .from(users)
    .where(and(inArray(sql`lower(${users.email})`, emails), isNotNull(users.emailVerifiedAt)))
    .limit(1)
  if (existingUser) throw invalid(`Already a user: ${existingUser.email}`)
  return emails
}

/** Invites these emails. An email that was invited before gets the new role and a new link; old links stop working. */
export async function invite(actor: Actor, text: string, role: Role): Promise<string[]> {
  requireOpen()
  const emails = await parseEmails(text)
  await inviteLimit.consume(actor.id)
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('users.invite'), async (tx, locked) => {
    rejectHigherRole(locked, role)
    const created = await tx
      .insert(invitations)
      .values(emails.map((email) => ({ email, role, invitedBy: actor.id })))
      .onConflictDoUpdate({ target: invitations.email, set: { role, invitedBy: actor.id, sentAt: sentLater } })
      .returning({ id: invitations.id, sentAt: invitations.sentAt })
    await deleteInvitationTokens(tx, emails)
    for (const { id, sentAt } of created) await enqueueEmail(tx, actor.id, id, sentAt)
    await recordAuditEvent(tx, 'invitation.sent', {
      actorId: actor.id,
      client,
      details: { count: created.length, role },
    })
  })
  return emails
}

/** Invites users of an import. The import records the audit event. */
export async function inviteImported(
  tx: Transaction,
  rows: { email: string; role: Role }[],
  inviterId: string | undefined,
): Promise<void> {
  if (rows.length === 0) return
  const created = await tx
    .insert(invitations)
    .values(rows.map(({ email, role }) => ({ email, role, invitedBy: inviterId ?? null })))
    .onConflictDoUpdate({
      target: invitations.email,
      set: { role: sql`excluded.role`, invitedBy: sql`excluded.invited_by`, sentAt: sentLater },
    })
    .returning({ id: invitations.id, sentAt: invitations.sentAt })
  const emails = rows.map(({ email }) => email)
  await deleteInvitationTokens(tx, emails)
  for (const { id, sentAt } of created) await enqueueEmail(tx, inviterId, id, sentAt)
}

/** Deletes the invitations of users who exist now. */
export async function deleteInvitations(tx: Transaction, emails: string[]): Promise<void> {
  await tx.delete(invitations).where(inArray(invitations.email, emails))
  await deleteInvitationTokens(tx, emails)
}

/** Invitations that are not accepted yet, newest first. */
export function findInvitations(limit: number, before?: string) {
  const [at, beforeId] = before?.split('_') ?? []
  const isOlder =
    at && beforeId
      ? sql`(${invitations.sentAt}, ${invitations.id}) < (${at}::timestamptz, ${beforeId}::uuid)`
      : undefined
  return db
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      sentAt: invitations.sentAt,
      isValid,
    })
    .from(invitations)
    .where(isOlder)
    .orderBy(desc(invitations.sentAt), desc(invitations.id))
    .limit(limit)
}

const pageSize = 50

/** One page of them. `older` is the `before` of the next one. */
export async function listInvitations(before?: string) {
  const rows = await findInvitations(pageSize + 1, before)
  const last = rows.length > pageSize ? rows[pageSize - 1] : undefined
  return { invitations: rows.slice(0, pageSize), older: last && `${last.sentAt.toISOString()}_${last.id}` }
}

/** The email of an invitation that is not accepted yet. */
export async function findInvitedEmail(invitationId: string): Promise<string | undefined> {
  const [found] = await db
    .select({ email: invitations.email })
    .from(invitations)
    .where(eq(invitations.id, invitationId))
  return found?.email
}

const notFound = () => new AppError('not_found', 'This invitation no longer exists.')

/** Sends the email again with a new link. Earlier links stop working. */
export async function resend(actor: Actor, invitationId: string): Promise<void> {
  requireOpen()
  await inviteLimit.consume(actor.id)
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('users.invite'), async (tx, locked) => {
    const [invitation] = await tx
      .update(invitations)
      .set({ invitedBy: actor.id, sentAt: sentLater })
      .where(eq(invitations.id, invitationId))
      .returning({ email: invitations.email, role: invitations.role, sentAt: invitations.sentAt })
    if (!invitation) throw notFound()
    rejectHigherRole(locked, invitation.role)
    await deleteInvitationTokens(tx, [invitation.email])
    await enqueueEmail(tx, actor.id, invitationId, invitation.sentAt)
    await recordAuditEvent(tx, 'invitation.sent', {
      actorId: actor.id,
      client,
      details: { count: 1, role: invitation.role },
    })
  })
}

export async function revoke(actor: Actor, invitationId: string): Promise<void> {
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('users.invite'), async (tx) => {
    const [invitation] = await tx
      .delete(invitations)
      .where(eq(invitations.id, invitationId))
      .returning({ email: invitations.email })
    if (!invitation) throw notFound()
    await deleteInvitationTokens(tx, [invitation.email])
    await recordAuditEvent(tx, 'invitation.revoked', { actorId: actor.id, client })
  })
}

export async function isInvited(email: string): Promise<boolean> {
  const found = await db
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(eq(invitations.email, email), isValid))
  return found.length > 0
}

/**
 * Uses up the invitation when a user with this email is created, by the link or by any other sign-up that verifies the
 * email. Returns the invited role, or null.
 */
export async function consumeInvitation(tx: Transaction, email: string): Promise<Role | null> {
  const [consumed] = await tx
    .delete(invitations)
    .where(eq(invitations.email, email))
    .returning({ role: invitations.role, isValid })
  if (consumed) await deleteInvitationTokens(tx, [email])
  return consumed?.isValid ? consumed.role : null
}

/** The invitation of a token, while it is valid. Read-only, because mail scanners open links. */
export async function findInvitationByToken(token: string): Promise<{ email: string; role: Role } | null> {
  const [found] = await db
    .select({ email: invitations.email, role: invitations.role })
    .from(tokens)
    .innerJoin(invitations, eq(invitations.email, tokens.email))
    .where(and(isValidToken(invitationToken.name, token), isFromInviter))
  return found ?? null
}

/** Creates the invited user and signs them in. Returns the second factor that is still needed, or null. */
export async function acceptInvitation(
  token: string,
  nameAsTyped: string,
  password: string,
  fields: object = {},
): Promise<SecondFactor | null> {
  requireOpen()
  const requestHeaders = await headers()
  const ip = ipGroup(clientIp(requestHeaders))
  await joinLimit.consume(ip)
  const usedError = new AppError('not_found', 'This link has expired or was already used. Ask for a new invitation.')
  const invitation = await findInvitationByToken(token)
  if (!invitation) throw usedError
  const name = requireName(nameAsTyped)
  const problem = await passwordProblem(password, invitation.email)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { password: [problem] } })
  await rejectBreachedPassword(password, 'password')
  const passwordHash = await hashPassword(password)
  const client = getClientInfo(requestHeaders)
  const { userId, trustedSince } = await inTransaction(async (tx) => {
    const [consumed] = await tx
      .delete(tokens)
      .where(isValidToken(invitationToken.name, token))
      .returning({ email: tokens.email })
    if (consumed?.email !== invitation.email) throw usedError
    const user = await signUpUser(tx, { email: invitation.email, name, method: 'invitation', client })
    if (!user) throw new AppError('conflict', 'You already have an account. Sign in instead.')
    const saving = tx.insert(passwords).values({ userId: user.id, hash: passwordHash })
    const [saved] = await saving.returning({ trustedSince: passwords.changedAt })
    await saveUserFields(tx, user.id, 'signup', fields)
    return { userId: user.id, ...saved }
  })
  await joinLimit.forgive(ip)
  const secondFactor = await startPendingSignIn(userId, { credential: ownsPassword(userId, passwordHash) })
  if (!secondFactor) await startPasswordSession(userId, passwordHash, { trustedSince, client })
  return secondFactor
}

/** Deletes what a user has sent since then: their account was compromised. */
export async function revokeSent(tx: Transaction, userId: string, since: Date): Promise<void> {
  const revoked = await tx
    .delete(invitations)
    .where(and(eq(invitations.invitedBy, userId), gt(invitations.sentAt, since)))
    .returning({ email: invitations.email })
  const emails = revoked.map(({ email }) => email)
  if (emails.length > 0) await deleteInvitationTokens(tx, emails)
}

/** Deletes invitations for the email of a user who is being deleted. */
export async function deleteInvitation(tx: Transaction, userId: string): Promise<void> {
  const email = tx
    .select({ email: sql`lower(${users.email})` })
    .from(users)
    .where(eq(users.id, userId))
  await tx.delete(invitations).where(inArray(invitations.email, email))
}

/** Deletes invitations that were not accepted within 30 days. */
export const pruneInvitations = defineJob('admin.prune', {
  data: z.object({}),
  cron: '37 * * * *',
  run: async () => {
    const { rowCount: oldInvitations } = await db
      .delete(invitations)
      .where(lt(invitations.sentAt, sql`now() - interval '30 days'`))
    log.info({ oldInvitations }, 'expired rows deleted')
  },
})
