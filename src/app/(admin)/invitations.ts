import 'server-only'
import { and, desc, eq, inArray, isNotNull, lt, type SQL, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { addressGroup, clientAddress, originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { startSession } from '@/core/auth/browser-session'
import { startChallenge } from '@/core/auth/challenge'
import { normalizeEmail } from '@/core/auth/email'
import { join } from '@/core/auth/joining'
import { isLive, type LinkPurpose, makeLink } from '@/core/auth/link'
import { hashPassword } from '@/core/auth/password'
import { passwordProblem, requireName } from '@/core/auth/people'
import type { Role } from '@/core/auth/policy'
import { db, type Transaction } from '@/core/db/client'
import { passwords, tokens, users } from '@/core/db/schema'
import { env } from '@/core/env'
import { AppError } from '@/core/errors'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { log } from '@/core/log'
import { defineMail } from '@/core/mail/mail'
import type { Challenge } from '@/core/module'
import { invitations } from './schema'

const days = 7
export const invitationLink: LinkPurpose = { name: 'admin.invitation', path: '/join', lifetime: days * 24 * 60 * 60 }
const mostAtOnce = 50

const ofAdmin = defineLimit('admin_invite', { points: 60, seconds: 60 * 60 })
const ofJoining = defineLimit('admin_join', { points: 30, seconds: 60 * 60 })

export const isOpenToInvited = () => env.AUTH_SIGNUP !== 'closed'

function requireOpen(): void {
  if (!isOpenToInvited()) throw new AppError('forbidden', 'Nobody new can join here (AUTH_SIGNUP is closed)')
}

const isFresh = sql`${invitations.sentAt} > now() - make_interval(days => ${sql.raw(String(days))})`

export const invitationMail = defineMail('admin.invitation', {
  data: z.object({ invitationId: z.uuid() }),
  compose: async ({ invitationId }) => {
    const [invitation] = await db
      .select({ email: invitations.email })
      .from(invitations)
      .where(eq(invitations.id, invitationId))
    if (!invitation) return null
    const { email } = invitation
    return {
      to: { name: email, address: email },
      subject: 'You are invited',
      paragraphs: [
        `You are invited to join ${new URL(env.AUTH_URL).host}. Choose a name and a password, and you are in.`,
      ],
      action: { label: 'Join', url: await makeLink(invitationLink, { email }) },
      notes: [`The link works once, for ${days} days.`, 'If you do not know what this is about, ignore this mail.'],
    }
  },
})

/** The addresses that somebody typed, apart by commas, spaces or lines. What is no address, or belongs to somebody, is refused. */
async function readAddresses(text: string): Promise<string[]> {
  const typed = text.split(/[\s,;]+/).filter(Boolean)
  const refuse = (message: string) => new AppError('invalid_input', undefined, { fields: { emails: [message] } })
  if (typed.length === 0) throw refuse('Enter at least one e-mail address')
  const wrong = typed.find((one) => !normalizeEmail(one))
  if (wrong) throw refuse(`This is no e-mail address: ${wrong.slice(0, 100)}`)
  const emails = [...new Set(typed.map((one) => normalizeEmail(one) ?? ''))]
  if (emails.length > mostAtOnce) throw refuse(`Invite at most ${mostAtOnce} at once`)
  const [known] = await db
    .select({ email: users.email })
    .from(users)
    .where(and(inArray(sql`lower(${users.email})`, emails), isNotNull(users.emailVerifiedAt)))
    .limit(1)
  if (known) throw refuse(`This person is here already: ${known.email}`)
  return emails
}

/** Invites everybody at these addresses; whoever was invited before gets another mail, and this role. */
export async function invite(actorId: string, text: string, role: Role): Promise<string[]> {
  requireOpen()
  const emails = await readAddresses(text)
  await ofAdmin.consume(actorId)
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    const made = await tx
      .insert(invitations)
      .values(emails.map((email) => ({ email, role })))
      .onConflictDoUpdate({ target: invitations.email, set: { role, sentAt: sql`now()` } })
      .returning({ id: invitations.id })
    for (const { id } of made) await enqueue(tx, invitationMail, { invitationId: id })
    await record(tx, 'invitation.sent', { actorId, from, details: { count: made.length, role } })
  })
  return emails
}

/** Those who have not come yet, the last invited first. */
export function findInvitations(limit = 200) {
  return db
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      sentAt: invitations.sentAt,
      isFresh: sql<boolean>`${isFresh}`,
    })
    .from(invitations)
    .orderBy(desc(invitations.sentAt), desc(invitations.id))
    .limit(limit)
}

const gone = () => new AppError('not_found', 'There is no such invitation any more')

/** Sends the mail once more. The links before stop working. */
export async function resend(actorId: string, invitationId: string): Promise<void> {
  requireOpen()
  await ofAdmin.consume(actorId)
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    const [invitation] = await tx
      .update(invitations)
      .set({ sentAt: sql`now()` })
      .where(eq(invitations.id, invitationId))
      .returning({ email: invitations.email, role: invitations.role })
    if (!invitation) throw gone()
    await killLinks(tx, eq(tokens.email, invitation.email))
    await enqueue(tx, invitationMail, { invitationId })
    await record(tx, 'invitation.sent', { actorId, from, details: { count: 1, role: invitation.role } })
  })
}

export async function revoke(actorId: string, invitationId: string): Promise<void> {
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    const [invitation] = await tx
      .delete(invitations)
      .where(eq(invitations.id, invitationId))
      .returning({ email: invitations.email })
    if (!invitation) throw gone()
    await killLinks(tx, eq(tokens.email, invitation.email))
    await record(tx, 'invitation.revoked', { actorId, from })
  })
}

async function killLinks(tx: Transaction, which: SQL): Promise<void> {
  await tx.delete(tokens).where(and(eq(tokens.purpose, invitationLink.name), which))
}

export async function isInvited(email: string): Promise<boolean> {
  const found = await db
    .select({ id: invitations.id })
    .from(invitations)
    .where(and(eq(invitations.email, email), isFresh))
  return found.length > 0
}

/** Whoever joins with this address has accepted: by the link, or in any other way that shows that the address is theirs. */
export async function takeInvitation(tx: Transaction, email: string): Promise<Role | null> {
  const [taken] = await tx
    .delete(invitations)
    .where(eq(invitations.email, email))
    .returning({ role: invitations.role, isFresh: sql<boolean>`${isFresh}` })
  if (taken) await killLinks(tx, eq(tokens.email, email))
  return taken?.isFresh ? taken.role : null
}

/** Whom a link invites, while it works. Looking changes nothing: mail programs open links by themselves. */
export async function lookAtInvitation(token: string): Promise<{ email: string; role: Role } | null> {
  const [found] = await db
    .select({ email: invitations.email, role: invitations.role })
    .from(tokens)
    .innerJoin(invitations, eq(invitations.email, tokens.email))
    .where(isLive(invitationLink.name, token))
  return found ?? null
}

/** Makes a person of somebody who was invited, and signs them in. */
export async function acceptInvitation(
  token: string,
  nameAsTyped: string,
  password: string,
): Promise<Challenge | null> {
  requireOpen()
  const head = await headers()
  await ofJoining.consume(addressGroup(clientAddress(head)))
  const used = new AppError('not_found', 'This link was used already, or is too old. Ask for another invitation')
  const invitation = await lookAtInvitation(token)
  if (!invitation) throw used
  const name = requireName(nameAsTyped)
  const problem = await passwordProblem(password, invitation.email)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { password: [problem] } })
  const passwordHash = await hashPassword(password)
  const from = originOf(head)
  const userId = await db.transaction(async (tx) => {
    const [taken] = await tx.delete(tokens).where(isLive(invitationLink.name, token)).returning({ email: tokens.email })
    if (taken?.email !== invitation.email) throw used
    const person = await join(tx, { email: invitation.email, name, way: 'invitation', from })
    if (!person) throw new AppError('conflict', 'You already have an account. Sign in')
    await tx.insert(passwords).values({ userId: person.id, hash: passwordHash })
    return person.id
  })
  const challenge = await startChallenge(userId)
  if (!challenge) await startSession(userId, passwordHash, from)
  return challenge
}

/** Nothing of somebody who is deleted stays here, either. */
export async function eraseInvitation(tx: Transaction, userId: string): Promise<void> {
  const email = tx
    .select({ email: sql`lower(${users.email})` })
    .from(users)
    .where(eq(users.id, userId))
  await tx.delete(invitations).where(inArray(invitations.email, email))
}

/** An invitation that nobody took goes after a month. */
export const pruneInvitations = defineJob('admin.prune', {
  data: z.object({}),
  cron: '37 * * * *',
  run: async () => {
    const { rowCount: oldInvitations } = await db
      .delete(invitations)
      .where(lt(invitations.sentAt, sql`now() - interval '30 days'`))
    log.info({ oldInvitations }, 'swept what has run out')
  },
})
