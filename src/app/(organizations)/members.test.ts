import { eq, sql } from 'drizzle-orm'
import pg from 'pg'
import { beforeEach, describe, expect, test } from 'vitest'
import type { Role } from '@/core/auth/roles'
import { db } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { acrossScopes } from '@/core/db/tenant-check'
import { asRequest } from '../../../tests/app/support/next-headers'
import { appointAdmin } from './appoint-admin'
import {
  changeMemberRole,
  findMember,
  leaveOrganization,
  listMembers,
  removeMember,
  transferOrganization,
} from './members'
import { findOrganization } from './organizations'
import { members } from './schema'
import {
  actIn,
  addMember,
  deleteAccount,
  newOrganization,
  newUser,
  outcome,
  rolesIn,
  type TestOrganization,
  type TestUser,
} from './test-organizations'
import { exportUserData, findDeletionBlockers, findDeletionNotices } from './user-data'

let ada: TestUser
let grace: TestUser
let acme: TestOrganization
beforeEach(async () => {
  ;[ada, grace] = await Promise.all([newUser(), newUser()])
  acme = await newOrganization(ada)
  await addMember(acme, grace, 'editor')
})
const as = <T>(work: () => Promise<T>) => asRequest({}, work)
const asAda = () => actIn(ada, acme, 'admin')
const asGrace = (role: Role = 'editor') => actIn(grace, acme, role)

const suspend = (user: TestUser) => db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, user.id))

/** Starts work that waits for the row of the user, and changes something before it goes on. */
async function whileLocked<Data>(
  user: TestUser,
  work: () => Promise<Data>,
  change: (client: pg.Client) => Promise<unknown>,
): Promise<Data> {
  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  await client.connect()
  try {
    await client.query('begin')
    await client.query('select 1 from users where id = $1 for no key update', [user.id])
    const waiting = work()
    await new Promise((resolve) => setTimeout(resolve, 200))
    await change(client)
    await client.query('commit')
    return await waiting
  } finally {
    await client.end()
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the dialog of a module that may not be installed
const dialogs = import.meta.glob<any>('/src/app/*/_components/user-dialog.tsx')
const isAdminInstalled = '/src/app/(admin)/_components/user-dialog.tsx' in dialogs
const loadUserDialog = () => dialogs['/src/app/(admin)/_components/user-dialog.tsx']?.()

describe('members', () => {
  test('are listed for members, the newest first', async () => {
    const { members: listed } = await listMembers(asGrace(), {})
    expect(listed.map(({ id, role, isLastAdmin }) => ({ id, role, isLastAdmin }))).toEqual([
      { id: grace.id, role: 'editor', isLastAdmin: false },
      { id: ada.id, role: 'admin', isLastAdmin: true },
    ])
    expect((await listMembers(asGrace(), { role: 'admin' })).members).toHaveLength(1)
    expect((await listMembers(asGrace(), { search: grace.email })).members).toHaveLength(1)
  })

  test('are not found for outsiders, whatever their role in the app and whatever scope they claim', async () => {
    const outsider = await newUser('admin')
    expect(await outcome(() => listMembers(actIn(outsider, acme, 'admin'), {}))).toBe('not_found')
    expect(await outcome(() => removeMember(actIn(outsider, acme, 'admin'), grace.id))).toBe('not_found')
  })

  test('get another role from an admin, at once, with an audit event in the organization', async () => {
    expect(await as(() => changeMemberRole(asAda(), grace.id, 'viewer'))).toBe(true)
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin', [grace.id]: 'viewer' })
    const events = await db
      .select({ kind: auditEvents.kind, scopeId: auditEvents.scopeId, details: auditEvents.details })
      .from(auditEvents)
      .where(eq(auditEvents.targetId, grace.id))
    expect(events).toContainEqual({
      kind: 'member.role_changed',
      scopeId: acme.id,
      details: { from: 'editor', to: 'viewer' },
    })
  })

  test('cannot change roles with a role that they no longer have', async () => {
    // Grace's page was rendered while she was an admin.
    expect(await outcome(() => changeMemberRole(asGrace('admin'), ada.id, 'viewer'))).toBe('forbidden')
    expect(await outcome(() => removeMember(asGrace('admin'), ada.id))).toBe('forbidden')
  })

  test('of another organization cannot be changed by naming their id', async () => {
    const stranger = await newUser()
    const other = await newOrganization(stranger)
    expect(await outcome(() => changeMemberRole(asAda(), stranger.id, 'viewer'))).toBe('not_found')
    expect(await outcome(() => removeMember(asAda(), stranger.id))).toBe('not_found')
    expect(await rolesIn(other)).toEqual({ [stranger.id]: 'admin' })
  })

  test('lose access when they are removed or leave', async () => {
    await as(() => leaveOrganization(asGrace()))
    expect(await outcome(() => listMembers(asGrace(), {}))).toBe('not_found')
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin' })
  })
})

describe('the last admin', () => {
  test('cannot leave, be demoted or be removed', async () => {
    expect(await outcome(() => leaveOrganization(asAda()))).toBe('last_admin')
    expect(await outcome(() => changeMemberRole(asAda(), ada.id, 'viewer'))).toBe('last_admin')
    expect(await outcome(() => removeMember(asAda(), ada.id))).toBe('last_admin')
  })

  test('cannot be removed by SQL either', async () => {
    const remove = () => acrossScopes('a test', () => db.delete(members).where(eq(members.userId, ada.id)))
    expect(await outcome(remove)).toBe('23001')
  })

  test('can transfer the organization, and is an editor then', async () => {
    await as(() => transferOrganization(asAda(), grace.id))
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'editor', [grace.id]: 'admin' })
  })

  test('is told what to do before their account can be deleted', async () => {
    expect(await findDeletionBlockers(ada.id)).toEqual([
      { text: `${acme.name} needs another admin.`, label: 'Go to members', href: `/o/${acme.slug}/members` },
    ])
    expect(await outcome(() => deleteAccount(ada))).toBe('last_admin')
    await as(() => changeMemberRole(asAda(), grace.id, 'admin'))
    expect(await findDeletionBlockers(ada.id)).toEqual([])
    expect(await outcome(() => deleteAccount(ada))).toBe('done')
    expect(await rolesIn(acme)).toEqual({ [grace.id]: 'admin' })
  })

  test('takes an organization along that has no other members, and is told so', async () => {
    await as(() => removeMember(asAda(), grace.id))
    expect(await findDeletionNotices(ada.id)).toEqual([
      `${acme.name} will be deleted too, because you’re its only member.`,
    ])
    expect(await outcome(() => deleteAccount(ada))).toBe('done')
    const { rows } = await db.execute(
      sql`select deleted_at is not null as gone from organizations_organizations where id = ${acme.id}`,
    )
    expect(rows).toEqual([{ gone: true }])
  })

  test('is the last one although another admin is suspended', async () => {
    await as(() => changeMemberRole(asAda(), grace.id, 'admin'))
    await suspend(grace)
    const { members: listed } = await listMembers(asAda(), {})
    expect(listed.filter(({ isLastAdmin }) => isLastAdmin).map(({ id }) => id)).toEqual([ada.id])
    expect(await findMember(asAda(), ada.id)).toMatchObject({ isLastAdmin: true })
    expect(await findMember(asAda(), grace.id)).toMatchObject({ isLastAdmin: false })
    expect(await outcome(() => leaveOrganization(asAda()))).toBe('last_admin')
    expect(await findDeletionBlockers(ada.id)).toHaveLength(1)
    expect(await outcome(() => deleteAccount(ada))).toBe('last_admin')
    // The other one can go.
    expect(await findDeletionBlockers(grace.id)).toEqual([])
    expect(await outcome(() => removeMember(asAda(), grace.id))).toBe('done')
  })

  test('cannot pass the role on to a suspended member', async () => {
    await suspend(grace)
    expect(await outcome(() => transferOrganization(asAda(), grace.id))).toBe('conflict')
    expect(await outcome(() => changeMemberRole(asAda(), grace.id, 'admin'))).toBe('conflict')
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin', [grace.id]: 'editor' })
    // Taking rights away stays possible.
    expect(await outcome(() => changeMemberRole(asAda(), grace.id, 'viewer'))).toBe('done')
  })

  test('is not replaced by a member who is suspended at that moment', async () => {
    const root = await newUser('admin')
    await suspend(ada)
    expect(
      await whileLocked(
        grace,
        () => outcome(() => appointAdmin(root, acme.id, grace.email)),
        (client) => client.query('update users set suspended_at = now() where id = $1', [grace.id]),
      ),
    ).toBe('invalid_input')
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin', [grace.id]: 'editor' })
  })

  test.runIf(isAdminInstalled)('is shown to the admin who deletes them', async () => {
    const root = await newUser('admin')
    const dialogFor = async (user: TestUser) => {
      const { UserDialog } = await loadUserDialog()
      const props = { act: 'delete', frame: 'page', actor: root, id: user.id, query: {} }
      // biome-ignore lint/suspicious/noExplicitAny: an element whose component is called here
      const { type, props: ownProps } = await as<any>(() => UserDialog(props))
      // biome-ignore lint/suspicious/noExplicitAny: the component that the element renders
      return (await as<any>(() => type(ownProps))).props
    }
    expect(await dialogFor(ada)).toMatchObject({ reason: `First: ${acme.name} needs another admin.` })
    await as(() => removeMember(asAda(), grace.id))
    const { reason, consequences } = await dialogFor(ada)
    expect(reason).toBeUndefined()
    expect(consequences).toContain(`${acme.name} will be deleted too, because they’re its only member.`)
  })

  test('can be replaced by an admin of the app only when they cannot act themselves, and only by a member', async () => {
    const root = await newUser('admin')
    const appoint = (email: string) => outcome(() => appointAdmin(root, acme.id, email))
    expect(await appoint(grace.email)).toBe('conflict')
    await db.update(users).set({ suspendedAt: sql`now()` }).where(eq(users.id, ada.id))
    expect(await appoint(root.email)).toBe('invalid_input')
    expect(await appoint(grace.email)).toBe('done')
    expect(await rolesIn(acme)).toEqual({ [ada.id]: 'admin', [grace.id]: 'admin' })
  })
})

describe('two admins at the same moment', () => {
  const acts: Record<string, (self: ReturnType<typeof asAda>, other: TestUser) => Promise<unknown>> = {
    leave: (self) => leaveOrganization(self),
    demote: (self, other) => changeMemberRole(self, other.id, 'viewer'),
    remove: (self, other) => removeMember(self, other.id),
    transfer: (self, other) => transferOrganization(self, other.id),
    'delete account': (self) => deleteAccount(self),
  }
  const pairs = Object.keys(acts).flatMap((one) => Object.keys(acts).map((other) => [one, other] as const))

  test.each(pairs)('%s and %s leave at least one', async (one, other) => {
    for (let round = 0; round < (process.env.QUICK ? 3 : 12); round++) {
      const [first, second] = await Promise.all([newUser(), newUser()])
      const organization = await newOrganization(first)
      await addMember(organization, second, 'admin')
      const outcomes = await Promise.all([
        outcome(async () => acts[one]?.(actIn(first, organization, 'admin'), second)),
        outcome(async () => acts[other]?.(actIn(second, organization, 'admin'), first)),
      ])
      const admins = Object.values(await rolesIn(organization)).filter((role) => role === 'admin')
      // A user who is left alone and deletes their account takes the organization along.
      if (await findOrganization(organization.id)) expect(admins.length, outcomes.join()).toBeGreaterThan(0)
      for (const code of outcomes)
        expect(['done', 'last_admin', 'forbidden', 'not_found', 'unauthenticated']).toContain(code)
    }
  })
})

test('the export of a user has their memberships and invitations, and no token', async () => {
  const files = await exportUserData(ada.id)
  expect(files).toMatchObject({
    'memberships.json': [{ organization: acme.name, role: 'admin' }],
    'created.json': [{ name: acme.name, slug: acme.slug }],
    'invitations.json': { received: [], sent: [] },
  })
  expect(JSON.stringify(files)).not.toMatch(/token|hash/i)
})

test('a role that is lost while a transaction waits for the user counts no more', async () => {
  await addMember(acme, await newUser(), 'admin')
  const remove = () => outcome(() => removeMember(asAda(), grace.id))
  const demote = (client: pg.Client) =>
    client.query(`update organizations_members set role = 'viewer' where scope_id = $1 and user_id = $2`, [
      acme.id,
      ada.id,
    ])
  expect(await whileLocked(ada, remove, demote)).toBe('forbidden')
})
