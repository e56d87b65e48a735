import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Role } from '@/core/auth/roles'
import { findMembership } from '@/core/auth/session/sessions'
import { tenantTables } from '@/tenant-tables'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb } from '../../../tests/app/support/unchecked-db'
import { findEvents } from './audit'
import { inviteMembers, listInvitations, revokeInvitation } from './invitations'
import { changeMemberRole, listMembers, removeMember, transferOrganization } from './members'
import { updateOrganization } from './organizations'
import {
  type actIn,
  addMember,
  newOrganization,
  newUser,
  type TestOrganization,
  type TestUser,
} from './test-organizations'

/** Which of the two layers is off: the conditions of the queries and the check of the caller, or row-level security. */
const off = vi.hoisted(() => ({ conditions: false }))
vi.mock('@/core/db/scoped', async (load) => {
  const original = await load<typeof import('@/core/db/scoped')>()
  return {
    ...original,
    ofScope: (column: Parameters<typeof original.ofScope>[0]) =>
      off.conditions ? sql`${column} is not null /* scope_id */` : original.ofScope(column),
  }
})

// The posts of the content module, if it is installed: neither module imports the other.
const contentFiles = import.meta.glob<Record<string, unknown>>('/src/app/*/{posts,drafts,bulk-posts}.ts')
const content = contentFiles['/src/app/(content)/posts.ts'] && {
  posts: () => contentFiles['/src/app/(content)/posts.ts']?.(),
  drafts: () => contentFiles['/src/app/(content)/drafts.ts']?.(),
  bulk: () => contentFiles['/src/app/(content)/bulk-posts.ts']?.(),
}

const [organizationCount, userCount] = [10, 50]
const requestCount = process.env.QUICK ? 250 : 2_000

interface Row {
  id: string
  scopeId: string
}
let users: TestUser[] = []
let organizations: TestOrganization[] = []
let posts: Row[] = []
let invitations: Row[] = []

/** The same numbers each time. */
function makeRandom(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

type Caller = ReturnType<typeof actIn>
type Call = (caller: Caller, pick: <Item>(items: Item[]) => Item) => Promise<unknown>

// biome-ignore lint/suspicious/noExplicitAny: the functions of a module that may not be installed
const from = async (load: (() => Promise<any> | undefined) | undefined, name: string) => (await load?.())?.[name]
const postText = { slug: '', summary: '', tags: [], body: 'changed' }
const contentCalls: Call[] = content
  ? [
      async (caller) => (await from(content.drafts, 'findDrafts'))(caller, {}),
      async (caller, pick) => (await from(content.drafts, 'findDraft'))(caller, pick(posts).id),
      async (caller, pick) => (await from(content.drafts, 'findRevisions'))(caller, pick(posts).id),
      async (caller, pick) => (await from(content.drafts, 'findTexts'))(caller, pick(posts).id, 1, 1),
      async (caller) => (await from(content.posts, 'createPost'))(caller, `made in ${caller.scope.slug}`),
      async (caller, pick) =>
        (await from(content.posts, 'savePost'))(caller, {
          id: pick(posts).id,
          version: 1,
          resolve: 'mine',
          text: { ...postText, title: 'changed' },
        }),
      async (caller, pick) => (await from(content.posts, 'deletePost'))(caller, pick(posts).id),
      async (caller, pick) => (await from(content.bulk, 'publishPosts'))(caller, [pick(posts).id, pick(posts).id]),
      async (caller, pick) =>
        (await from(content.bulk, 'findSelectedPosts'))(
          caller,
          posts.slice(0, 50).map(({ id }) => id),
          pick,
        ),
      async (caller, pick) => (await from(content.bulk, 'duplicatePost'))(caller, pick(posts).id),
    ]
  : []
const calls: Call[] = [
  (caller) => listMembers(caller, {}),
  (caller) => listInvitations(caller),
  (caller) => findEvents(caller, {}),
  (caller, pick) => changeMemberRole(caller, pick(users).id, pick<Role>(['viewer', 'editor', 'admin'])),
  (caller, pick) => removeMember(caller, pick(users).id),
  (caller, pick) => transferOrganization(caller, pick(users).id),
  (caller, pick) => revokeInvitation(caller, pick(invitations).id),
  (caller) => inviteMembers(caller, `${crypto.randomUUID()}@${caller.scope.slug}.example.com`, 'viewer'),
  (caller) =>
    updateOrganization(caller, { name: `Renamed ${crypto.randomUUID().slice(0, 6)}`, slug: caller.scope.slug }),
  ...contentCalls,
]

/** What each organization has, in all tenant tables. */
async function checksums(): Promise<Map<string, string>> {
  const ofTables = [...tenantTables, 'organizations_organizations'].map(
    (table) =>
      `select ${table === 'organizations_organizations' ? 'id' : 'scope_id'} as scope, one::text as content from ${table} as one`,
  )
  const { rows } = await uncheckedDb.execute<{ scope: string; sum: string }>(
    sql.raw(
      `select scope, md5(string_agg(content, '|' order by content)) as sum from (${ofTables.join(' union all ')}) as all_rows group by 1`,
    ),
  )
  return new Map(rows.map(({ scope, sum }) => [scope, sum]))
}

const memberships = async (userId: string): Promise<Set<string>> => {
  const { rows } = await uncheckedDb.execute<{ id: string }>(
    sql`select scope_id as id from organizations_members where user_id = ${userId}`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Runs generated requests. Returns what was read or changed of organizations that the caller is no member of. */
async function findLeaks(seed: number, isCallerChecked: boolean): Promise<string[]> {
  const random = makeRandom(seed)
  const pick = <Item>(items: Item[]): Item => items[random(items.length)] as Item
  const leaks: string[] = []
  let done = 0
  let before = await checksums()
  for (let request = 0; request < requestCount; request++) {
    const user = pick(users)
    const organization = pick(organizations)
    const own = await memberships(user.id)
    const scope = isCallerChecked
      ? await findMembership(user.id, organization.slug)
      : { ...organization, role: 'admin' as const }
    const index = random(calls.length)
    const call = calls[index]
    if (!scope || !call) continue
    const caller = { ...user, role: scope.role, scope }
    const result = await asRequest({}, () => call(caller, pick)).then(
      (data) => {
        done++
        return JSON.stringify(data ?? null)
      },
      () => '',
    )
    const after = await checksums()
    for (const { id, slug } of organizations) {
      if (own.has(id)) continue
      if (before.get(id) !== after.get(id)) leaks.push(`request ${request}: call ${index} changed ${slug}`)
      if (result.includes(`secret of ${slug}.`)) leaks.push(`request ${request}: call ${index} read ${slug}`)
    }
    before = after
  }
  // A test in which every request is rejected would prove nothing.
  expect(done).toBeGreaterThan(requestCount / 50)
  return leaks
}

beforeAll(async () => {
  users = await Promise.all(Array.from({ length: userCount }, (_, index) => newUser(index === 0 ? 'admin' : 'viewer')))
  const random = makeRandom(1)
  for (let index = 0; index < organizationCount; index++) {
    const organization = await newOrganization(users[index] as TestUser, `Organization ${index}`)
    organizations.push(organization)
    for (const user of users.filter((_, position) => position !== index && random(6) === 0))
      await addMember(organization, user, (['viewer', 'editor', 'admin'] as const)[random(3)] ?? 'viewer')
    const secret = `secret of ${organization.slug}.`
    const { rows } = await uncheckedDb.execute<{ id: string }>(
      sql`insert into organizations_invitations (scope_id, email, role) select ${organization.id}, ${secret} || n, 'viewer'
        from generate_series(1, 5) as n returning id`,
    )
    invitations.push(...rows.map(({ id }) => ({ id, scopeId: organization.id })))
    if (!content) continue
    const made = await uncheckedDb.execute<{ id: string }>(
      sql`insert into content_posts (scope_id, title) select ${organization.id}, ${secret} from generate_series(1, 5) returning id`,
    )
    posts.push(...made.rows.map(({ id }) => ({ id, scopeId: organization.id })))
    await uncheckedDb.execute(
      sql`insert into content_revisions (scope_id, post_id, number, title, slug, summary, body, tags)
        select scope_id, id, 1, title, '', '', ${secret}, '{}' from content_posts where scope_id = ${organization.id}`,
    )
  }
}, 60_000)
afterAll(() => {
  users = []
  organizations = []
  posts = []
  invitations = []
})

async function setWall(state: 'enable' | 'disable'): Promise<void> {
  for (const table of tenantTables)
    await uncheckedDb.execute(sql.raw(`alter table ${table} ${state} row level security`))
}

describe('nobody reads or changes anything of an organization they are not in', { timeout: 300_000 }, () => {
  test('as built', async () => {
    expect(await findLeaks(11, true)).toEqual([])
  })

  test('with row-level security alone: callers are not checked, and queries have no conditions', async () => {
    off.conditions = true
    expect(await findLeaks(12, false)).toEqual([])
    off.conditions = false
  })

  test('with the conditions alone: row-level security is off', async () => {
    await setWall('disable')
    expect(await findLeaks(13, true)).toEqual([])
    expect(await findLeaks(14, false)).toEqual([])
  })

  test('and this test notices it when both are off', async () => {
    off.conditions = true
    expect((await findLeaks(15, true)).length).toBeGreaterThan(0)
    off.conditions = false
    await setWall('enable')
  })
})
