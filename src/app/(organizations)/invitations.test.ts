import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { asRequest } from '../../../tests/app/support/next-headers'
import { deleteOwnOrganization } from './delete-organization'
import { invitationEmail } from './invitation-email'
import {
  acceptInvitation,
  declineInvitation,
  findInvitation,
  findPendingInvitations,
  inviteMembers,
  isInvited,
  listInvitations,
  resendInvitation,
  revokeInvitation,
} from './invitations'
import { changeMemberRole, removeMember } from './members'
import { invitations } from './schema'
import {
  actIn,
  addMember,
  newOrganization,
  newUser,
  outcome,
  rolesIn,
  type TestOrganization,
  type TestUser,
} from './test-organizations'
import { revokeSent } from './user-data'

let ada: TestUser
let grace: TestUser
let acme: TestOrganization
beforeEach(async () => {
  ;[ada, grace] = await Promise.all([newUser(), newUser()])
  acme = await newOrganization(ada)
})
const as = <T>(work: () => Promise<T>) => asRequest({}, work)
const asAda = () => actIn(ada, acme, 'admin')
const invite = (email = grace.email) => as(() => inviteMembers(asAda(), email, 'editor'))
const idOf = async (email = grace.email) =>
  (await listInvitations(asAda())).find((one) => one.email === email)?.id ?? ''

/** The link in the email, as the worker composes it. */
async function tokenOf(email = grace.email): Promise<string> {
  const [row] = await acrossScopes('a test', () =>
    db.select({ id: invitations.id, sentAt: invitations.sentAt }).from(invitations).where(eq(invitations.email, email)),
  )
  if (!row) throw new Error('no invitation')
  const { createToken } = await import('./invitation-email')
  const found = await acrossScopes('a test', () => createToken(row.id, row.sentAt.toISOString()))
  return found?.token ?? ''
}
const accept = (user: TestUser, key: string) => outcome(() => acceptInvitation(user, key))

describe('an invitation', () => {
  test('makes the user with this verified email a member, by its link or by its id', async () => {
    await invite()
    expect(await accept(grace, await tokenOf())).toBe('done')
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin', [grace.id]: 'editor' })
    const other = await newUser()
    await invite(other.email)
    expect((await findPendingInvitations(other.id)).map(({ organization }) => organization)).toEqual([acme.name])
    expect(await accept(other, await idOf(other.email))).toBe('done')
    expect(await findPendingInvitations(other.id)).toEqual([])
  })

  test('accepted twice, also at the same moment, is no error', async () => {
    await invite()
    const token = await tokenOf()
    expect(await Promise.all([accept(grace, token), accept(grace, token)])).toEqual(['done', 'done'])
    expect(await accept(grace, token)).toBe('done')
  })

  test('is not for another user, even with the link', async () => {
    const mallory = await newUser()
    await invite()
    const token = await tokenOf()
    expect(await accept(mallory, token)).toBe('not_found')
    expect(await findInvitation(token, mallory.id)).toMatchObject({ isForUser: false, organization: acme.name })
    expect(await findInvitation(token, grace.id)).toMatchObject({ isForUser: true })
    expect(await findInvitation(await idOf(), mallory.id)).toBeUndefined()
  })

  test('is not for an email that was not verified', async () => {
    await db.update(users).set({ emailVerifiedAt: null }).where(eq(users.id, grace.id))
    await invite()
    expect(await accept(grace, await tokenOf())).toBe('not_found')
    expect(await findPendingInvitations(grace.id)).toEqual([])
  })

  test('does not bring back a member who was removed', async () => {
    await invite()
    const token = await tokenOf()
    await accept(grace, token)
    await as(() => removeMember(asAda(), grace.id))
    expect(await accept(grace, token)).toBe('not_found')
    await invite()
    expect(await accept(grace, token)).toBe('not_found')
    expect(await accept(grace, await tokenOf())).toBe('done')
  })

  test('that waits for a member does not bring them back either', async () => {
    await addMember(acme, grace, 'editor')
    const email = `${crypto.randomUUID()}@example.com`
    await invite(email)
    const token = await tokenOf(email)
    await db.update(users).set({ email }).where(eq(users.id, grace.id))
    await as(() => removeMember(asAda(), grace.id))
    expect(await accept(grace, token)).toBe('not_found')
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin' })
  })

  test('is void after it was revoked or declined, or sent again with another link', async () => {
    await invite()
    const first = await tokenOf()
    await as(async () => resendInvitation(asAda(), await idOf()))
    expect(await accept(grace, first)).toBe('not_found')
    const second = await tokenOf()
    await as(async () => revokeInvitation(asAda(), await idOf()))
    expect(await accept(grace, second)).toBe('not_found')
    await invite()
    const third = await tokenOf()
    await as(() => declineInvitation(grace, third))
    expect(await accept(grace, third)).toBe('not_found')
    expect(await listInvitations(asAda())).toEqual([])
  })

  test('is void once its inviter is no admin, or suspended, and when the organization is deleted', async () => {
    const boss = await newUser()
    await addMember(acme, boss, 'admin')
    await invite()
    const token = await tokenOf()
    await as(() => changeMemberRole(actIn(boss, acme, 'admin'), ada.id, 'viewer'))
    expect(await accept(grace, token)).toBe('not_found')
    await as(() => changeMemberRole(actIn(boss, acme, 'admin'), ada.id, 'admin'))
    await db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, ada.id))
    expect(await accept(grace, token)).toBe('not_found')
    await db.update(users).set({ suspendedAt: null }).where(eq(users.id, ada.id))
    expect(await isInvited(grace.email)).toBe(true)
    await as(() => deleteOwnOrganization(asAda(), acme.name))
    expect(await accept(grace, token)).toBe('not_found')
    expect(await isInvited(grace.email)).toBe(false)
  })

  test('expires after a week', async () => {
    await invite()
    const token = await tokenOf()
    await acrossScopes('a test', () => db.update(invitations).set({ sentAt: sql`now() - interval '8 days'` }))
    expect(await accept(grace, token)).toBe('not_found')
  })

  test('can be sent only by an admin, to those who are not members', async () => {
    await addMember(acme, grace, 'editor')
    expect(await outcome(() => inviteMembers(actIn(grace, acme, 'admin'), 'x@example.com', 'viewer'))).toBe('forbidden')
    expect(await outcome(() => inviteMembers(asAda(), grace.email, 'viewer'))).toBe('invalid_input')
    expect(await outcome(() => inviteMembers(asAda(), 'not an email', 'viewer'))).toBe('invalid_input')
  })

  test('counts once for each email, and so does sending it again, for the user and for the organization', async () => {
    const emails = (count: number) =>
      Array.from({ length: count }, () => `${crypto.randomUUID()}@example.com`).join(' ')
    const send = (sender: TestUser, count: number) =>
      outcome(() => inviteMembers(actIn(sender, acme, 'admin'), emails(count), 'viewer'))
    await invite()
    expect(await send(ada, 50)).toBe('done')
    expect(await send(ada, 10)).toBe('rate_limited')
    // 149 of the 200 of the organization are left.
    for (const count of [50, 50, 48]) {
      const admin = await newUser()
      await addMember(acme, admin, 'admin')
      expect(await send(admin, count)).toBe('done')
    }
    const last = await newUser()
    await addMember(acme, last, 'admin')
    const resend = async () => outcome(async () => resendInvitation(actIn(last, acme, 'admin'), await idOf()))
    expect(await resend()).toBe('done')
    expect(await resend()).toBe('rate_limited')
  })

  test('is shown as void, and not sent, once its inviter is no active admin', async () => {
    const boss = await newUser()
    await addMember(acme, boss, 'admin')
    await invite()
    expect(await listInvitations(asAda())).toMatchObject([{ isFresh: true, isFromAdmin: true }])
    await as(() => changeMemberRole(actIn(boss, acme, 'admin'), ada.id, 'viewer'))
    expect(await listInvitations(actIn(boss, acme, 'admin'))).toMatchObject([{ isFresh: true, isFromAdmin: false }])
    expect(await tokenOf()).toBe('')
    await as(() => changeMemberRole(actIn(boss, acme, 'admin'), ada.id, 'admin'))
    expect(await tokenOf()).not.toBe('')
    await db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, ada.id))
    expect(await listInvitations(actIn(boss, acme, 'admin'))).toMatchObject([{ isFromAdmin: false }])
    expect(await tokenOf()).toBe('')
  })

  test('is deleted with "Secure my account" of its inviter, if it was sent in the last week', async () => {
    await invite()
    const token = await tokenOf()
    await inTransaction((tx) => revokeSent(tx, ada.id, new Date(Date.now() + 60_000)))
    expect(await listInvitations(asAda())).toHaveLength(1)
    await inTransaction((tx) => revokeSent(tx, ada.id, new Date(Date.now() - 60_000)))
    expect(await listInvitations(asAda())).toEqual([])
    expect(await accept(grace, token)).toBe('not_found')
  })

  test('does not name an inviter whose name is a link', async () => {
    await invite()
    const inviterOf = async (name: string) => {
      await db.update(users).set({ name }).where(eq(users.id, ada.id))
      const { createToken } = await import('./invitation-email')
      const [row] = await acrossScopes('a test', () =>
        db
          .select({ id: invitations.id, sentAt: invitations.sentAt })
          .from(invitations)
          .where(eq(invitations.email, grace.email)),
      )
      return (await acrossScopes('a test', () => createToken(row?.id ?? '', row?.sentAt.toISOString() ?? '')))?.inviter
    }
    expect(await inviterOf('Ada Lovelace')).toBe('Ada Lovelace')
    for (const name of ['Claim at evil.example', 'https://evil', 'пример.рф'])
      expect(await inviterOf(name)).toBe('A user')
  })

  test('of another organization can be neither seen nor changed', async () => {
    const mallory = await newUser()
    const other = await newOrganization(mallory)
    await invite()
    const id = await idOf()
    const asMallory = actIn(mallory, other, 'admin')
    expect(await listInvitations(asMallory)).toEqual([])
    expect(await outcome(() => revokeInvitation(asMallory, id))).toBe('not_found')
    expect(await outcome(() => resendInvitation(asMallory, id))).toBe('not_found')
  })

  test('is an email that is not sent once it was revoked', async () => {
    await invite()
    const [row] = await acrossScopes('a test', () => db.select({ id: invitations.id }).from(invitations))
    await as(async () => revokeInvitation(asAda(), await idOf()))
    await invitationEmail.work({ invitationId: row?.id, sentAt: new Date().toISOString() }, { id: crypto.randomUUID() })
  })
})
