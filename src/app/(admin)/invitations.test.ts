import { eq, sql } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { join, mayJoin } from '@/core/auth/joining'
import { makeLink } from '@/core/auth/link'
import type { Role } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { tokens, users } from '@/core/db/schema'
import { asRequest } from '../../../tests/support/next-headers'
import { acceptInvitation, findInvitations, invitationLink, invite, resend, revoke } from './invitations'
import { invitations } from './schema'

const admin = crypto.randomUUID()
const someEmail = () => `invited-${crypto.randomUUID()}@example.com`
const inviteAs = (role: Role, ...emails: string[]) => asRequest({}, () => invite(admin, emails.join('\n'), role))
const age = (email: string, interval: string) =>
  db
    .update(invitations)
    .set({ sentAt: sql`now() - ${interval}::interval` })
    .where(eq(invitations.email, email))
const joinAs = (email: string) =>
  db.transaction((tx) => join(tx, { email, name: 'Ada', way: 'google', from: { ip: null, userAgent: null } }))
const roleOf = async (email: string) =>
  (await db.select({ role: users.role }).from(users).where(eq(users.email, email)))[0]?.role
const idOf = async (email: string) => (await findInvitations()).find((one) => one.email === email)?.id ?? ''

/** As the worker makes it while it writes the mail. */
const tokenFor = async (email: string) =>
  new URL(await makeLink(invitationLink, { email })).searchParams.get('token') ?? ''
const accept = (token: string) => asRequest({}, () => acceptInvitation(token, 'Ada', 'a long walk by the sea'))

afterEach(() => {
  delete process.env.AUTH_SIGNUP
})

describe('who may join with a provider', () => {
  test.each([
    ['open', [true, true]],
    ['invite', [true, false]],
    ['closed', [false, false]],
  ])('with AUTH_SIGNUP=%s: the invited and the others %o', async (setting, expected) => {
    const email = someEmail()
    await inviteAs('viewer', email)
    process.env.AUTH_SIGNUP = setting
    expect([await mayJoin(email), await mayJoin(someEmail())]).toEqual(expected)
  })

  test('an invitation of more than a week ago counts no more, and one that was taken back neither', async () => {
    const [old, revoked] = [someEmail(), someEmail()]
    await inviteAs('admin', old, revoked)
    await age(old, '7 days 1 second')
    await asRequest({}, async () => revoke(admin, await idOf(revoked)))
    process.env.AUTH_SIGNUP = 'invite'
    for (const email of [old, revoked]) {
      expect(await mayJoin(email)).toBe(false)
      await joinAs(email)
      expect(await roleOf(email)).toBe('viewer')
    }
  })
})

test('whoever joins has the role of their invitation, once', async () => {
  const email = someEmail()
  await inviteAs('editor', email)
  await joinAs(email)
  expect(await roleOf(email)).toBe('editor')
  expect(await idOf(email)).toBe('')
  await db.delete(users).where(eq(users.email, email))
  await joinAs(email)
  expect(await roleOf(email)).toBe('viewer')
})

describe('inviting', () => {
  test('takes several addresses, however they are apart and written, each once', async () => {
    const [one, two] = [someEmail(), someEmail()]
    const invited = await asRequest({}, () => invite(admin, ` ${one.toUpperCase()}, ${two};\n${one} `, 'viewer'))
    expect(invited).toEqual([one, two])
  })

  test('somebody once more changes the role that they will have', async () => {
    const email = someEmail()
    await inviteAs('viewer', email)
    await inviteAs('editor', email)
    await joinAs(email)
    expect(await roleOf(email)).toBe('editor')
  })

  test.each([
    ['nothing', () => ' ,; '],
    ['what is no address', () => `${someEmail()} ada`],
    ['more than 50', () => Array.from({ length: 51 }, someEmail).join(' ')],
    ['a mail to two', () => 'ada@example.com%0d%0abcc:x@example.com'],
  ])('refuses %s, and invites nobody', async (_, text) => {
    const before = (await findInvitations()).length
    await expect(asRequest({}, () => invite(admin, text(), 'viewer'))).rejects.toMatchObject({
      code: 'invalid_input',
      fields: { emails: [expect.any(String)] },
    })
    expect((await findInvitations()).length).toBe(before)
  })

  test('refuses somebody who is here already', async () => {
    const email = someEmail()
    await joinAs(email)
    await expect(inviteAs('admin', email)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('is refused where nobody joins', async () => {
    process.env.AUTH_SIGNUP = 'closed'
    await expect(inviteAs('viewer', someEmail())).rejects.toMatchObject({ code: 'forbidden' })
  })
})

describe('the link', () => {
  test('is stored nowhere, and works once, also for ten at the same time', async () => {
    const email = someEmail()
    await inviteAs('editor', email)
    const token = await tokenFor(email)
    const { rows } = await db.execute<{ text: string }>(sql`select t::text as text from tokens t`)
    expect(rows.map(({ text }) => text).join()).not.toContain(token)
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => accept(token)))
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await roleOf(email)).toBe('editor')
    await expect(accept(token)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('is worth nothing once another was sent, it was taken back, its time is over, or nobody joins any more', async () => {
    const email = someEmail()
    await inviteAs('admin', email)
    const first = await tokenFor(email)
    await asRequest({}, async () => resend(admin, await idOf(email)))
    const second = await tokenFor(email)
    await expect(accept(first)).rejects.toMatchObject({ code: 'not_found' })
    process.env.AUTH_SIGNUP = 'closed'
    await expect(accept(second)).rejects.toMatchObject({ code: 'forbidden' })
    delete process.env.AUTH_SIGNUP
    await db.update(tokens).set({ expiresAt: sql`now()` }).where(eq(tokens.email, email))
    await expect(accept(second)).rejects.toMatchObject({ code: 'not_found' })
    const third = await tokenFor(email)
    await asRequest({}, async () => revoke(admin, await idOf(email)))
    await expect(accept(third)).rejects.toMatchObject({ code: 'not_found' })
    expect(await roleOf(email)).toBeUndefined()
  })
})
