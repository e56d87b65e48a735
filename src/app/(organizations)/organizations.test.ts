import { eq, sql } from 'drizzle-orm'
import { beforeEach, describe, expect, test } from 'vitest'
import { findMembership } from '@/core/auth/session/sessions'
import { db } from '@/core/db/client'
import { scopes } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb } from '../../../tests/app/support/unchecked-db'
import { deleteAnyOrganization, deleteOrganizationRows, deleteOwnOrganization } from './delete-organization'
import { listMembers } from './members'
import {
  createOrganization,
  findOwnOrganizations,
  listOrganizations,
  listOwnOrganizations,
  maxInSwitcher,
  updateOrganization,
} from './organizations'
import { slugs } from './schema'
import { slugFromName } from './slug'
import {
  actIn,
  addMember,
  newOrganization,
  newUser,
  outcome,
  type TestOrganization,
  type TestUser,
} from './test-organizations'

let ada: TestUser
let acme: TestOrganization
beforeEach(async () => {
  ada = await newUser()
  acme = await newOrganization(ada)
})
const as = <T>(work: () => Promise<T>) => asRequest({}, work)
const asAda = () => actIn(ada, acme, 'admin')

describe('a slug', () => {
  test('is made from the name', () => {
    expect(slugFromName('Ærø & Søn, Ltd.', '12345678-')).toBe('r-s-n-ltd')
    expect(slugFromName('Café Müller', '12345678-')).toBe('cafe-muller')
    expect(slugFromName('日本', '12345678-')).toBe('org-12345678')
  })

  test('leads to the organization, and so do its id and its former slugs', async () => {
    const slug = `new-${acme.slug}`.slice(0, 39)
    expect(await as(() => updateOrganization(asAda(), { name: acme.name, slug }))).toBe(slug)
    for (const name of [slug, acme.slug, acme.id, acme.id.toUpperCase()])
      expect(await findMembership(ada.id, name), name).toMatchObject({ id: acme.id, slug, role: 'admin' })
    expect(await findMembership(ada.id, 'nothing')).toBeNull()
    expect(await findMembership((await newUser('admin')).id, slug)).toBeNull()
  })

  test('can be changed 10 times a day; the name more often', async () => {
    const rename = (slug: string, name: string) => outcome(() => updateOrganization(asAda(), { name, slug }))
    for (let number = 0; number < 12; number++) expect(await rename(acme.slug, `Name ${number}`)).toBe('done')
    for (let number = 0; number < 10; number++) expect(await rename(`${acme.slug}-${number}`, 'Name')).toBe('done')
    expect(await rename(`${acme.slug}-10`, 'Name')).toBe('rate_limited')
  })

  test('that was given up leads on as one of the last 20; older ones stay reserved for a while', async () => {
    const freedAt = sql`now() - interval '100 days'`
    const former = Array.from({ length: 21 }, (_, number) => `${acme.slug}-old-${number}`)
    await db.insert(slugs).values(former.map((slug) => ({ slug, organizationId: acme.id, freedAt })))
    await as(() => updateOrganization(asAda(), { name: acme.name, slug: `${acme.slug}-new` }))
    const rows = await db.select({ slug: slugs.slug, organizationId: slugs.organizationId }).from(slugs)
    const own = rows.filter(({ organizationId }) => organizationId === acme.id).map(({ slug }) => slug)
    // The last 20, the current one and the id.
    expect(own).toHaveLength(22)
    expect(own).toEqual(expect.arrayContaining([acme.slug, `${acme.slug}-new`, acme.id]))
    const [dropped = ''] = former.filter((slug) => !own.includes(slug))
    expect(await findMembership(ada.id, dropped)).toBeNull()
    expect(await outcome(() => createOrganization(ada, { name: 'Mine', slug: dropped }))).toBe('invalid_input')
    // A former slug can be taken again.
    await as(() => updateOrganization(asAda(), { name: acme.name, slug: acme.slug }))
    expect(await findMembership(ada.id, `${acme.slug}-new`)).toMatchObject({ slug: acme.slug })
  })

  test('of another organization, current or former, cannot be taken', async () => {
    const grace = await newUser()
    await as(() => updateOrganization(asAda(), { name: acme.name, slug: `${acme.slug}-2` }))
    for (const slug of [acme.slug, `${acme.slug}-2`, acme.id])
      expect(await outcome(() => createOrganization(grace, { name: 'Mine', slug })), slug).toBe('invalid_input')
  })

  test('stays reserved for 90 days after the organization was deleted', async () => {
    const grace = await newUser()
    await as(() => deleteOwnOrganization(asAda(), acme.name))
    await deleteOrganizationRows.work({ organizationId: acme.id }, { id: crypto.randomUUID() })
    const create = () => outcome(() => createOrganization(grace, { name: 'Mine', slug: acme.slug }))
    expect(await create()).toBe('invalid_input')
    await db.update(slugs).set({ freedAt: sql`now() - interval '91 days'` }).where(eq(slugs.slug, acme.slug))
    expect(await create()).toBe('done')
  })

  test.each(['A', '-a-', 'a_b', 'x'.repeat(40), crypto.randomUUID()])('cannot be %s', async (slug) => {
    expect(await outcome(() => createOrganization(ada, { name: 'Mine', slug }))).toBe('invalid_input')
  })
})

test.each([
  '',
  ' ',
  'evil.com',
  'see www.evil',
  'https://x',
  'a/b',
  'пример.рф',
  'उदाहरण.भारत',
  '例え。テスト',
  '💩.la',
  'x'.repeat(61),
])('an organization cannot be named %j', async (name) => {
  expect(await outcome(() => createOrganization(ada, { name }))).toBe('invalid_input')
})

test.each(['Acme Ltd.', 'Wait... what', 'Dr. No', 'No. 5'])('an organization can be named %j', async (name) => {
  expect(await outcome(() => createOrganization(ada, { name }))).toBe('done')
})

// biome-ignore lint/suspicious/noExplicitAny: the audit log of a module that may not be installed
const audits = import.meta.glob<any>('/src/app/*/audit.ts')
const loadAudit = () => audits['/src/app/(admin)/audit.ts']?.()

test.runIf('/src/app/(admin)/audit.ts' in audits)(
  'the audit log of the app names the organization of an event',
  async () => {
    const { findEvents, scopeOf } = await loadAudit()
    const find = async () => (await findEvents({ actor: ada.id, kind: 'organization.created' })).events[0]
    expect(scopeOf(await find())).toEqual({ label: 'Organization', value: acme.name })
    await as(() => deleteOwnOrganization(asAda(), acme.name))
    await deleteOrganizationRows.work({ organizationId: acme.id }, { id: crypto.randomUUID() })
    expect(scopeOf(await find())).toEqual({ label: 'Organization', value: 'Deleted organization' })
    expect(scopeOf({ scopeId: null, scopeName: null })).toBeNull()
  },
)

test('the switcher lists the organizations that a user joined last, by name', async () => {
  await uncheckedDb.execute(sql`
    with made as (
      insert into scopes (id) select gen_random_uuid() from generate_series(1, 30) returning id
    ), numbered as (select id, row_number() over () as number from made), named as (
      insert into organizations_organizations (id, name, slug)
      select id, 'Number ' || lpad((100 - number)::text, 3, '0'), id::text from numbered
    )
    insert into organizations_members (scope_id, user_id, role, created_at)
    select id, ${ada.id}, 'viewer', now() + number * interval '1 minute' from numbered`)
  const expected = Array.from({ length: maxInSwitcher + 1 }, (_, index) => `Number 0${70 + index}`)
  expect((await findOwnOrganizations(ada.id)).map(({ name }) => name)).toEqual(expected)
  const page = await listOwnOrganizations(ada.id)
  expect(page.map(({ name }) => name)).toEqual(page.map(({ name }) => name).toSorted())
  expect(page).toHaveLength(31)
})

test('a user sees their own organizations, and an admin of the app the names of all, but nothing in them', async () => {
  const root = await newUser('admin')
  await addMember(acme, root, 'viewer')
  const other = await newOrganization(await newUser())
  expect((await findOwnOrganizations(root.id)).map(({ id }) => id)).toEqual([acme.id])
  expect(await listOwnOrganizations(root.id)).toMatchObject([{ id: acme.id, role: 'viewer', memberCount: 2 }])
  const all = await listOrganizations({})
  expect(all.organizations.map(({ id }) => id)).toEqual(expect.arrayContaining([acme.id, other.id]))
  expect((await listOrganizations({ search: other.slug })).organizations.map(({ id }) => id)).toEqual([other.id])
  expect(await outcome(() => listMembers(actIn(root, other, 'admin'), {}))).toBe('not_found')
})

describe('deleting an organization', () => {
  test('requires its name, ends access at once, and deletes its rows later', async () => {
    const root = await newUser('admin')
    expect(await outcome(() => deleteOwnOrganization(asAda(), 'another name'))).toBe('invalid_input')
    expect(await outcome(() => deleteAnyOrganization(root, acme.id, acme.name))).toBe('done')
    expect(await findMembership(ada.id, acme.slug)).toBeNull()
    expect(await outcome(() => listMembers(asAda(), {}))).toBe('not_found')
    expect(await findOwnOrganizations(ada.id)).toEqual([])
    await deleteOrganizationRows.work({ organizationId: acme.id }, { id: crypto.randomUUID() })
    expect(await db.select({ id: scopes.id }).from(scopes).where(eq(scopes.id, acme.id))).toEqual([])
  })

  test('does nothing for one that is not marked as deleted', async () => {
    await deleteOrganizationRows.work({ organizationId: acme.id }, { id: crypto.randomUUID() })
    expect(await findOwnOrganizations(ada.id)).toHaveLength(1)
  })

  test('is not possible for members below admin, and for users of the app', async () => {
    const grace = await newUser()
    await addMember(acme, grace, 'editor')
    expect(await outcome(() => deleteOwnOrganization(actIn(grace, acme, 'admin'), acme.name))).toBe('forbidden')
    expect(await outcome(() => deleteAnyOrganization(grace, acme.id, acme.name))).toBe('forbidden')
  })
})
