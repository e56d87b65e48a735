import 'server-only'
import { and, desc, eq, inArray, isNull, lt, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { signedIn } from '@/core/auth/policy'
import type { Role } from '@/core/auth/roles'
import type { Actor } from '@/core/auth/session/actor'
import { hashToken, isToken } from '@/core/auth/tokens/token'
import { type Member, transactionAs } from '@/core/auth/transaction-as'
import { normalizeEmail } from '@/core/auth/user/email'
import { rejectHigherRole } from '@/core/auth/user/rights'
import { db, preparedName, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { ofScope, readInScope } from '@/core/db/scoped'
import { acrossScopes } from '@/core/db/tenant-check'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { consumeAll, defineLimit } from '@/core/limits/limit'
import { log } from '@/core/log'
import type { ScopeMember } from '@/core/scope'
import { invitationEmail, validDays } from './invitation-email'
import { isFromAdmin } from './is-from-admin'
import { can } from './policy'
import { invitations, members, organizations } from './schema'

const maxAtOnce = 50

// In emails, per user and per organization: emails to recipients who did not ask for them must not become spam.
const userLimit = defineLimit('organizations_invite', { points: 60, seconds: 60 * 60 })
const organizationLimit = defineLimit('organizations_invite_all', { points: 200, seconds: 24 * 60 * 60 })

const countEmails = ({ id, scope }: Member, count: number) =>
  consumeAll(userLimit.of(id, count), organizationLimit.of(scope.id, count))

const isFresh = sql`${invitations.sentAt} > now() - make_interval(days => ${sql.raw(String(validDays))})`
const isPending = isNull(invitations.acceptedAt)

function parseEmails(text: string): string[] {
  const typed = text.split(/[\s,;]+/).filter(Boolean)
  const invalid = (message: string) => new AppError('invalid_input', undefined, { fields: { emails: [message] } })
  if (typed.length === 0) throw invalid('Enter at least one email')
  const invalidEmail = typed.find((one) => !normalizeEmail(one))
  if (invalidEmail) throw invalid(`Not a valid email: ${invalidEmail.slice(0, 100)}`)
  const emails = [...new Set(typed.map((one) => normalizeEmail(one) ?? ''))]
  if (emails.length > maxAtOnce) throw invalid(`Enter up to ${maxAtOnce} emails at a time`)
  return emails
}

/** Invites these emails. An email that was invited before gets the new role and a new link; old links stop working. */
export async function inviteMembers(actor: Member, text: string, role: Role): Promise<number> {
  const emails = parseEmails(text)
  await countEmails(actor, emails.length)
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('members.invite'), async (tx, locked) => {
    const { id } = locked
    rejectHigherRole(locked, role)
    const [member] = await tx
      .select({ email: users.email })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(ofScope(members.scopeId), inArray(sql`lower(${users.email})`, emails)))
      .limit(1)
    if (member)
      throw new AppError('invalid_input', undefined, { fields: { emails: [`Already a member: ${member.email}`] } })
    const renewed = { role, invitedBy: id, sentAt: sql`now()`, acceptedAt: null, tokenHash: null }
    const sent = await tx
      .insert(invitations)
      .values(emails.map((email) => ({ email, role, invitedBy: id })))
      .onConflictDoUpdate({ target: [invitations.scopeId, invitations.email], set: renewed })
      .returning({ id: invitations.id, sentAt: invitations.sentAt })
    for (const one of sent) await enqueueEmail(tx, one)
    await recordAuditEvent(tx, 'member.invited', { actorId: id, client, details: { count: sent.length, role } })
  })
  return emails.length
}

const enqueueEmail = (tx: Transaction, { id, sentAt }: { id: string; sentAt: Date }) =>
  enqueue(tx, invitationEmail, { invitationId: id, sentAt: sentAt.toISOString() })

/** Invitations that are not accepted yet, newest first. One that is not fresh, or not from an admin, cannot be accepted. */
export async function listInvitations(reader: ScopeMember, limit = 200) {
  const [rows] = await readInScope(reader, (source) => [
    source
      .select({
        id: invitations.id,
        email: invitations.email,
        role: invitations.role,
        sentAt: invitations.sentAt,
        isFresh: sql<boolean>`${isFresh}`,
        isFromAdmin,
      })
      .from(invitations)
      .where(and(ofScope(invitations.scopeId), isPending))
      .orderBy(desc(invitations.sentAt), desc(invitations.id))
      .limit(limit),
  ])
  return rows
}

/** The email of an invitation that is not accepted yet. */
export async function findInvitedEmail(reader: ScopeMember, id: string): Promise<string | undefined> {
  const [[found]] = await readInScope(reader, (source) => [
    source
      .select({ email: invitations.email })
      .from(invitations)
      .where(and(ofScope(invitations.scopeId), eq(invitations.id, id), isPending)),
  ])
  return found?.email
}

const missing = () => new AppError('not_found', 'This invitation no longer exists.')

/** Sends a new link; earlier ones stop working. */
export async function resendInvitation(actor: Member, id: string): Promise<void> {
  await countEmails(actor, 1)
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('members.invite'), async (tx, locked) => {
    const actorId = locked.id
    const [sent] = await tx
      .update(invitations)
      .set({ sentAt: sql`now()`, tokenHash: null, invitedBy: actorId })
      .where(and(ofScope(invitations.scopeId), eq(invitations.id, id), isPending))
      .returning({ id: invitations.id, sentAt: invitations.sentAt, role: invitations.role })
    if (!sent) throw missing()
    rejectHigherRole(locked, sent.role)
    await enqueueEmail(tx, sent)
    await recordAuditEvent(tx, 'member.invited', { actorId, client, details: { count: 1, role: sent.role } })
  })
}

export async function revokeInvitation(actor: Member, id: string): Promise<void> {
  const client = getClientInfo(await headers())
  await transactionAs(actor, can('members.invite'), async (tx, { id: actorId }) => {
    const { rowCount } = await tx
      .delete(invitations)
      .where(and(ofScope(invitations.scopeId), eq(invitations.id, id), isPending))
    if (!rowCount) throw missing()
    await recordAuditEvent(tx, 'member.invitation_revoked', { actorId, client })
  })
}

/** Whether an invitation of an admin who still may invite is waiting for this email: for sign-up by invitation. */
export async function isInvited(email: string): Promise<boolean> {
  const found = await acrossScopes('invitations of one email', () => selectInvitations(eq(invitations.email, email)))
  return found.some(({ acceptedAt }) => acceptedAt === null)
}

/** An invitation counts while the organization exists and its inviter is an active admin there. */
const selectInvitations = (which: SQL | undefined, source: Pick<Transaction, 'select'> = db) =>
  source
    .select({
      id: invitations.id,
      scopeId: invitations.scopeId,
      email: invitations.email,
      role: invitations.role,
      acceptedAt: invitations.acceptedAt,
      organization: organizations.name,
      slug: organizations.slug,
      inviter: users.name,
    })
    .from(invitations)
    .innerJoin(organizations, eq(organizations.id, invitations.scopeId))
    .innerJoin(users, eq(users.id, invitations.invitedBy))
    .where(and(which, isNull(organizations.deletedAt), isFromAdmin, isFresh))

/** The emails that a user may accept invitations for: their own, once it is verified. */
const verifiedEmailOf = (userId: string | Placeholder) =>
  db
    .select({ email: sql`lower(${users.email})` })
    .from(users)
    .where(and(eq(users.id, userId), sql`${users.emailVerifiedAt} is not null`))

/** Prepared, because it is part of every page: planning it takes longer than running it. */
const findPending = selectInvitations(
  and(isPending, inArray(invitations.email, verifiedEmailOf(sql.placeholder('userId')))),
)
  .limit(10)
  .prepare(preparedName('organizations_pending'))

/** Invitations that a user has not answered yet. */
export const findPendingInvitations = (userId: string) =>
  acrossScopes('the user’s own invitations', () => findPending.execute({ userId }))

/** Which invitation a link means: that of its token, or one of the user's own by its id. */
function keyCondition(key: string, userId: string | null): SQL | undefined {
  if (isToken(key)) return eq(invitations.tokenHash, hashToken(key))
  if (userId && z.uuid().safeParse(key).success)
    return and(eq(invitations.id, key), inArray(invitations.email, verifiedEmailOf(userId)))
  return sql`false`
}

/** The invitation of a link, for its page. `isForUser` says whether this user can accept it. Changes nothing: mail scanners open links. */
export async function findInvitation(key: string, userId: string | null) {
  const isForUser = userId
    ? sql<boolean>`exists (${db
        .select({ one: sql`1` })
        .from(users)
        .where(
          and(
            eq(users.id, userId),
            sql`${users.emailVerifiedAt} is not null`,
            sql`lower(${users.email}) = ${invitations.email}`,
          ),
        )})`
    : sql<boolean>`false`
  const [[found], [own]] = await acrossScopes('the invitation of a link', () =>
    Promise.all([
      selectInvitations(keyCondition(key, userId)),
      db.select({ isForUser }).from(invitations).where(keyCondition(key, userId)),
    ]),
  )
  return found && { ...found, isForUser: own?.isForUser ?? false }
}

const expired = () => new AppError('not_found', 'This invitation has expired or was revoked. Ask for a new one.')

/** Makes the user a member. Returns the slug of the organization. Accepting twice is no error. */
export async function acceptInvitation(actor: Actor, key: string): Promise<string> {
  const client = getClientInfo(await headers())
  return transactionAs(actor, signedIn, (tx) =>
    acrossScopes('the user is not a member yet', async () => {
      const [invitation] = await selectInvitations(
        and(keyCondition(key, actor.id), inArray(invitations.email, verifiedEmailOf(actor.id))),
        tx,
      ).for('update', { of: invitations })
      if (!invitation) throw expired()
      const { id, scopeId, role, slug, acceptedAt } = invitation
      if (acceptedAt) {
        const isMember = and(eq(members.scopeId, scopeId), eq(members.userId, actor.id))
        const found = await tx.select({ role: members.role }).from(members).where(isMember)
        // Removed since: the invitation does not bring them back.
        if (found.length === 0) throw expired()
        return slug
      }
      const { rowCount } = await tx.insert(members).values({ scopeId, userId: actor.id, role }).onConflictDoNothing()
      await tx.update(invitations).set({ acceptedAt: sql`now()` }).where(eq(invitations.id, id))
      if (rowCount)
        await recordAuditEvent(tx, 'member.joined', {
          actorId: actor.id,
          targetId: actor.id,
          client,
          details: { role },
          scopeId,
        })
      return slug
    }),
  )
}

export async function declineInvitation(actor: Actor, key: string): Promise<void> {
  await transactionAs(actor, signedIn, (tx) =>
    acrossScopes('the user’s own invitation', () =>
      tx
        .delete(invitations)
        .where(and(keyCondition(key, actor.id), isPending, inArray(invitations.email, verifiedEmailOf(actor.id)))),
    ),
  )
}

/** Deletes invitations that were sent more than 30 days ago. */
export const pruneInvitations = defineJob('organizations.prune', {
  data: z.object({}),
  cron: '47 * * * *',
  run: async () => {
    const { rowCount: oldInvitations } = await acrossScopes('a clean-up', () =>
      db.delete(invitations).where(lt(invitations.sentAt, sql`now() - interval '30 days'`)),
    )
    log.info({ oldInvitations }, 'expired rows deleted')
  },
})
