import { eq, inArray, sql } from 'drizzle-orm'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/policy'
import type { Actor } from '@/core/auth/session/actor'
import { createEmailLink } from '@/core/auth/tokens/email-link'
import { maySignUp, signUpUser } from '@/core/auth/user/sign-up'
import { db } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { tokens, users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { createInvitationLink, invitationEmail, invitationToken } from './invitation-email'
import {
  acceptInvitation,
  findInvitations,
  invite,
  inviteImported,
  listInvitations,
  resend,
  revoke,
  revokeSent,
} from './invitations'
import { invitations } from './schema'

let admin: Actor
beforeAll(async () => {
  const [row] = await db
    .insert(users)
    .values({ email: randomEmail(), name: 'Admin', role: 'admin' })
    .returning({ id: users.id, email: users.email, name: users.name, role: users.role })
  if (!row) throw new Error('no admin')
  admin = row
})

const randomEmail = () => `invited-${crypto.randomUUID()}@example.com`
const inviteAs = (role: Role, ...emails: string[]) => asRequest({}, () => invite(admin, emails.join('\n'), role))
const setAge = (email: string, interval: string) =>
  db
    .update(invitations)
    .set({ sentAt: sql`now() - ${interval}::interval` })
    .where(eq(invitations.email, email))
const signUpAs = (email: string) =>
  inTransaction((tx) => signUpUser(tx, { email, name: 'Ada', method: 'google', client: { ip: null, userAgent: null } }))
const roleOf = async (email: string) =>
  (await db.select({ role: users.role }).from(users).where(eq(users.email, email)))[0]?.role
const idOf = async (email: string) => (await findInvitations(1_000)).find((one) => one.email === email)?.id ?? ''

const findEmailJobs = async (invitationId: string) =>
  (
    await db.execute<{ data: { sentAt: string } }>(
      sql`select data from jobs.job where name = ${invitationEmail.name} and data->>'invitationId' = ${invitationId}`,
    )
  ).rows.map(({ data }) => data)
const findEmailJob = async (invitationId: string) => (await findEmailJobs(invitationId))[0]

/** Creates a token like the worker does when it renders the email. */
const createToken = async (email: string) =>
  new URL(await createEmailLink(invitationToken, { email })).searchParams.get('token') ?? ''
/** The email as the worker composes it; null if it is not sent. */
const composeEmail = async (invitationId: string) => {
  const [job] = await findEmailJobs(invitationId)
  return inTransaction((tx) => createInvitationLink(tx, invitationId, job?.sentAt))
}
const accept = (token: string) => asRequest({}, () => acceptInvitation(token, 'Ada', 'a long walk by the sea'))

afterEach(() => {
  delete process.env.AUTH_SIGNUP
})

describe('signing up with a provider', () => {
  test.each([
    ['open', [true, true]],
    ['invite', [true, false]],
    ['closed', [false, false]],
  ])('with AUTH_SIGNUP=%s, allowed for [invited, others]: %o', async (setting, expected) => {
    const email = randomEmail()
    await inviteAs('viewer', email)
    process.env.AUTH_SIGNUP = setting
    expect([await maySignUp(email), await maySignUp(randomEmail())]).toEqual(expected)
  })

  test('an invitation older than a week, or revoked, does not count', async () => {
    const [old, revoked] = [randomEmail(), randomEmail()]
    await inviteAs('admin', old, revoked)
    await setAge(old, '7 days 1 second')
    await asRequest({}, async () => revoke(admin, await idOf(revoked)))
    process.env.AUTH_SIGNUP = 'invite'
    for (const email of [old, revoked]) {
      expect(await maySignUp(email)).toBe(false)
      await signUpAs(email)
      expect(await roleOf(email)).toBe('viewer')
    }
  })
})

describe('once its sender may not invite any more, an invitation is void:', () => {
  test.each([
    ['demoted', (id: string) => db.update(users).set({ role: 'editor' }).where(eq(users.id, id))],
    ['suspended', (id: string) => db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, id))],
    ['deleted', (id: string) => db.delete(users).where(eq(users.id, id))],
  ])('%s', async (_, loseRights) => {
    const [inviter] = await db
      .insert(users)
      .values({ email: randomEmail(), name: 'Another admin', role: 'admin' })
      .returning({ id: users.id, email: users.email, name: users.name, role: users.role })
    if (!inviter) throw new Error('no admin')
    const email = randomEmail()
    await asRequest({}, () => invite(inviter, email, 'admin'))
    const token = await createToken(email)
    const id = await idOf(email)
    await loseRights(inviter.id)
    expect((await findInvitations(1_000)).find((one) => one.email === email)).toMatchObject({ isValid: false })
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' })
    expect(await composeEmail(id)).toBeNull()
    process.env.AUTH_SIGNUP = 'invite'
    expect(await maySignUp(email)).toBe(false)
    // Another admin can send it again.
    await asRequest({}, () => resend(admin, id))
    expect(await maySignUp(email)).toBe(true)
    await signUpAs(email)
    expect(await roleOf(email)).toBe('admin')
  })
})

test('"Secure my account" revokes what the user has sent in the last week', async () => {
  const [recent, older] = [randomEmail(), randomEmail()]
  await inviteAs('admin', recent, older)
  await setAge(older, '6 days')
  const token = await createToken(recent)
  await inTransaction((tx) => revokeSent(tx, admin.id, new Date(Date.now() - 5 * 24 * 60 * 60 * 1000)))
  await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' })
  expect([await idOf(recent), await idOf(older)]).toEqual(['', expect.stringMatching(/./)])
})

test('a new user gets the role of the invitation, once', async () => {
  const email = randomEmail()
  await inviteAs('editor', email)
  await signUpAs(email)
  expect(await roleOf(email)).toBe('editor')
  expect(await idOf(email)).toBe('')
  await db.delete(users).where(eq(users.email, email))
  await signUpAs(email)
  expect(await roleOf(email)).toBe('viewer')
})

describe('inviting', () => {
  test('accepts several emails with any separators and in any case, without duplicates', async () => {
    const [one, two] = [randomEmail(), randomEmail()]
    const invited = await asRequest({}, () => invite(admin, ` ${one.toUpperCase()}, ${two};\n${one} `, 'viewer'))
    expect(invited).toEqual([one, two])
  })

  test('the same email again changes the role', async () => {
    const email = randomEmail()
    await inviteAs('viewer', email)
    await inviteAs('editor', email)
    await signUpAs(email)
    expect(await roleOf(email)).toBe('editor')
  })

  test.each([
    ['nothing', () => ' ,; '],
    ['an invalid email', () => `${randomEmail()} ada`],
    ['more than 50', () => Array.from({ length: 51 }, randomEmail).join(' ')],
    ['header injection', () => 'ada@example.com%0d%0abcc:x@example.com'],
  ])('rejects %s, and invites no one', async (_, text) => {
    const before = (await findInvitations(1_000)).length
    await expect(asRequest({}, () => invite(admin, text(), 'viewer'))).rejects.toMatchObject({
      code: 'invalid_input',
      fields: { emails: [expect.any(String)] },
    })
    expect((await findInvitations(1_000)).length).toBe(before)
  })

  test('rejects an existing user', async () => {
    const email = randomEmail()
    await signUpAs(email)
    await expect(inviteAs('admin', email)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('is rejected with AUTH_SIGNUP=closed', async () => {
    process.env.AUTH_SIGNUP = 'closed'
    await expect(inviteAs('viewer', randomEmail())).rejects.toMatchObject({ code: 'forbidden' })
  })
})

test('the email is sent on behalf of the admin who invites, or who resends', async () => {
  const email = randomEmail()
  await inviteAs('editor', email)
  const id = await idOf(email)
  expect(await findEmailJob(id)).toMatchObject({ inviterId: admin.id })
  const [withName, withoutName] = invitationEmail.samples()
  expect(withName?.subject).toMatch(/^Grace Hopper invited you to /)
  expect(withName?.facts).toContainEqual({ label: 'Your role', value: 'Viewer' })
  expect(withoutName?.subject).toMatch(/^You’re invited to /)
})

describe('the link', () => {
  test('is not stored in plain text, and works once, also with ten requests at the same time', async () => {
    const email = randomEmail()
    await inviteAs('editor', email)
    const token = await createToken(email)
    const { rows } = await db.execute<{ text: string }>(sql`select t::text as text from tokens t`)
    expect(rows.map(({ text }) => text).join()).not.toContain(token)
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => accept(token)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await roleOf(email)).toBe('editor')
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('stops working once the same email is invited again, also when its email is rendered only then', async () => {
    const email = randomEmail()
    await inviteAs('viewer', email)
    const first = await createToken(email)
    const waiting = await findEmailJob(await idOf(email))
    await inviteAs('admin', email)
    await expect(accept(first)).rejects.toMatchObject({ code: 'not_found' })
    await invitationEmail.work(waiting, { id: 'test' })
    expect(await db.select({ hash: tokens.hash }).from(tokens).where(eq(tokens.email, email))).toEqual([])
    await accept(await createToken(email))
    expect(await roleOf(email)).toBe('admin')
  })

  test('is created for one of two emails that are sent in the same instant', async () => {
    const email = randomEmail()
    await inTransaction(async (tx) => {
      await inviteImported(tx, [{ email, role: 'viewer' }], admin.id)
      await inviteImported(tx, [{ email, role: 'editor' }], admin.id)
    })
    // A link is created only for the email with the invitation's own time of sending.
    const times = (await findEmailJobs(await idOf(email))).map(({ sentAt }) => sentAt)
    expect(new Set(times).size).toBe(2)
  })

  test('stops working once it is resent, revoked or expired, or sign-up is closed', async () => {
    const email = randomEmail()
    await inviteAs('admin', email)
    const first = await createToken(email)
    await asRequest({}, async () => resend(admin, await idOf(email)))
    const second = await createToken(email)
    await expect(accept(first)).rejects.toMatchObject({ code: 'not_found' })
    process.env.AUTH_SIGNUP = 'closed'
    await expect(accept(second)).rejects.toMatchObject({ code: 'forbidden' })
    delete process.env.AUTH_SIGNUP
    await db.update(tokens).set({ expiresAt: sql`now() - interval '1 minute'` }).where(eq(tokens.email, email))
    await expect(accept(second)).rejects.toMatchObject({ code: 'not_found' })
    const third = await createToken(email)
    await asRequest({}, async () => revoke(admin, await idOf(email)))
    await expect(accept(third)).rejects.toMatchObject({ code: 'not_found' })
    expect(await roleOf(email)).toBeUndefined()
  })
})

test('the list shows 50 at a time, and the next page goes on where it ended', async () => {
  const emails = Array.from({ length: 60 }, randomEmail)
  // Newer than those of other tests, and at the same time.
  const sentAt = new Date(Date.now() + 60_000)
  await db.insert(invitations).values(emails.map((email) => ({ email, role: 'viewer' as const, sentAt })))
  const first = await listInvitations()
  const second = await listInvitations(first.older)
  await db.delete(invitations).where(inArray(invitations.email, emails))
  const listed = [...first.invitations, ...second.invitations].slice(0, emails.length).map(({ email }) => email)
  expect(first.invitations).toHaveLength(50)
  expect(listed.toSorted()).toEqual(emails.toSorted())
})
