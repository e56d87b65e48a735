import { and, eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { roles } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { auditEvents, users } from '@/core/db/schema'
import { asRequest } from '../../../tests/app/support/next-headers'
import { countUsers, filterForAuditLog, findNeighbors, findUsers } from './list-users'
import { type Activity, activities, type Filter, type ListQuery, sorts, UserQuery } from './user-query'

// Many users share a name, a day and a last-seen time, because pagination bugs show with equal sort keys.
const testUsers = Array.from({ length: 120 }, (_, index) => ({
  email: `${String.fromCharCode(97 + (index % 7))}${index}@example.com`,
  name: ['Ada Lovelace', 'ada lovelace', 'Émilie du Châtelet', 'Grace  Brewster Hopper'][index % 4] ?? '',
  role: roles[index % 3] ?? 'viewer',
  suspendedAt: index % 5 === 0 ? new Date() : null,
  createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 9))),
  lastSeenAt: index % 3 === 0 ? null : new Date(Date.UTC(2026, 5, 1 + (index % 4))),
}))

beforeAll(() => db.insert(users).values(testUsers))

async function findAllPages(query: ListQuery, side: 'nextCursor' | 'previousCursor' = 'nextCursor') {
  const pages = [await findUsers(query)]
  for (let cursor = pages[0]?.[side]; cursor; cursor = pages.at(-1)?.[side]) {
    const page = await findUsers({ ...query, cursor })
    if (side === 'nextCursor') expect(page.previousCursor).not.toBeNull()
    pages.push(page)
  }
  return pages
}
const ids = (pages: Awaited<ReturnType<typeof findAllPages>>) => pages.flatMap((page) => page.users.map(({ id }) => id))

/** The ids of the whole list in that order, from one plain query. */
async function expected({ role, status, sort = 'created', order = 'desc' }: ListQuery, condition = 'true') {
  const allowed = role ? [role].flat() : roles
  const keys = {
    created: 'created_at',
    name: 'lower(name) collate "C"',
    email: 'lower(email) collate "C"',
    role: 'role collate "C"',
    seen: `coalesce(last_seen_at, 'epoch')`,
  }
  const then = sort === 'role' ? `created_at ${order}, ` : ''
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from users`
      .append(sql.raw(` where role in (${allowed.map((each) => `'${each}'`).join(', ')}) and (${condition})`))
      .append(sql.raw(status ? ` and suspended_at is ${status === 'active' ? '' : 'not '}null` : ''))
      .append(sql.raw(` order by ${keys[sort]} ${order}, ${then}id ${order}`)),
  )
  return rows.map(({ id }) => id)
}

describe.each(sorts)('sorted by %s', (sort) => {
  test.each(['asc', 'desc'] as const)('%s, the pages cover the whole list, forward and back', async (order) => {
    const query: ListQuery = { sort, order, limit: 7 }
    const forwards = await findAllPages(query)
    expect(ids(forwards)).toEqual(await expected(query))
    const last = forwards.at(-1)?.previousCursor ?? ''
    const back = await findAllPages({ ...query, cursor: last }, 'previousCursor')
    expect(ids(back.toReversed())).toEqual(ids(forwards.slice(0, -1)))
    expect(back.at(-1)?.nextCursor).not.toBeNull()
  })

  test.each<Filter>([
    { role: 'admin' },
    { role: ['viewer', 'admin'] },
    { role: ['editor', 'editor'], status: 'suspended' },
    { status: 'suspended' },
    { role: 'editor', status: 'active' },
  ])('filtered by %o, too', async (filter) => {
    const query: ListQuery = { ...filter, sort, order: 'asc', limit: 5 }
    const pages = await findAllPages(query)
    expect(ids(pages)).toEqual(await expected(query))
    expect(await countUsers(filter)).toEqual({ count: ids(pages).length, precision: 'exact' })
  })
})

describe('a list filtered by last activity', () => {
  const conditions: Record<Activity, string> = {
    day: `now() - last_seen_at < interval '24 hours'`,
    week: `now() - last_seen_at < interval '7 days'`,
    month: `now() - last_seen_at < interval '30 days'`,
    earlier: `now() - last_seen_at >= interval '30 days'`,
    never: 'last_seen_at is null',
  }
  const hoursAgo = [1, 2, 30, 31, 24 * 8, 24 * 9, 24 * 29, 24 * 31, 24 * 300, 24 * 301]

  beforeAll(() =>
    db.insert(users).values(
      hoursAgo.map((hours, index) => ({
        email: `seen-${hours}@example.com`,
        name: 'Seen',
        role: roles[index % 2] ?? 'viewer',
        lastSeenAt: new Date(Date.now() - hours * 60 * 60 * 1000),
      })),
    ),
  )
  afterAll(() => db.delete(users).where(sql`${users.email} like 'seen-%'`))

  test.each(activities)('%s is in the order of activity, complete and counted', async (seen) => {
    for (const role of [undefined, 'viewer', ['viewer', 'editor']] satisfies Filter['role'][])
      for (const order of ['asc', 'desc'] as const) {
        const pages = await findAllPages({ seen, role, order, limit: 3 })
        expect(ids(pages)).toEqual(await expected({ role, sort: 'seen', order }, conditions[seen]))
        expect(ids(pages).length).toBeGreaterThan(0)
        expect(await countUsers({ seen, role })).toEqual({ count: ids(pages).length, precision: 'exact' })
      }
  })

  test('ignores another sort: only this order finds them without reading all users', async () => {
    const byName = await findUsers({ seen: 'month', sort: 'name', limit: 100 })
    expect(byName.users).toEqual((await findUsers({ seen: 'month', limit: 100 })).users)
  })
})

describe('the neighbors of a user', () => {
  const neighborsOf = (query: ListQuery, id: string, actorId: string = crypto.randomUUID()) =>
    asRequest({}, () => findNeighbors(actorId, query, id))

  test.each<ListQuery>([
    {},
    { sort: 'name', order: 'desc' },
    { sort: 'role', role: ['editor', 'viewer'] },
    { sort: 'seen', status: 'suspended' },
    { seen: 'earlier' },
    { search: 'ada' },
    { search: 'love', role: 'viewer' },
  ])('are those before and after in the list %j', async (query) => {
    const list = ids(await findAllPages({ ...query, limit: 50 }))
    const last = list.length - 1
    expect(last).toBeGreaterThan(2)
    for (const index of [0, 1, Math.floor(last / 2), last])
      expect(await neighborsOf(query, list[index] ?? '')).toEqual({
        previous: list[index - 1] ?? null,
        next: list[index + 1] ?? null,
      })
  })

  test('are none for a user who is not in the list', async () => {
    const [editor] = (await findUsers({ role: 'editor', limit: 1 })).users
    expect(await neighborsOf({ role: 'viewer' }, editor?.id ?? '')).toEqual({ previous: null, next: null })
    expect(await neighborsOf({}, crypto.randomUUID())).toEqual({ previous: null, next: null })
  })

  test('of one user after another are one audit event', async () => {
    const actorId = crypto.randomUUID()
    for (const { id } of (await findUsers({ role: 'viewer', limit: 4 })).users)
      await neighborsOf({ role: 'viewer' }, id, actorId)
    const events = await db
      .select({ details: auditEvents.details })
      .from(auditEvents)
      .where(and(eq(auditEvents.kind, 'users.listed'), eq(auditEvents.actorId, actorId)))
    expect(events).toEqual([{ details: { count: 1, role: 'viewer' } }])
  })
})

test('the fields for the page are not in the API', async () => {
  const { users: rows } = await findUsers({ limit: 1 })
  expect(Object.keys(rows[0] ?? {}).sort()).toEqual([
    'createdAt',
    'email',
    'id',
    'lastSeenAt',
    'name',
    'role',
    'status',
  ])
})

test('the audit log gets the filter, but not the search text', () => {
  expect(filterForAuditLog({ role: 'viewer', search: 'ada' })).toEqual({ role: 'viewer', isSearch: true })
  expect(filterForAuditLog({ role: ['viewer', 'editor'], seen: 'week', status: 'active' })).toEqual({
    role: 'viewer, editor',
    seen: 'week',
    status: 'active',
  })
})

describe('a search', () => {
  const find = async (search: string, query: ListQuery = {}) => {
    const pages = await findAllPages({ limit: 10, search, ...query })
    const names = pages.flatMap((page) => page.users)
    expect(new Set(names.map(({ id }) => id)).size, 'no duplicates').toBe(names.length)
    expect((await countUsers({ search, ...query })).count).toBe(names.length)
    const back = await findAllPages({ limit: 10, search, order: 'desc', ...query })
    expect(ids(back), 'reverse order').toEqual(ids(pages).toReversed())
    return names
  }
  const countOf = (matches: (user: (typeof testUsers)[number]) => boolean) => testUsers.filter(matches).length

  test('matches prefixes of the email and of every word of the name, in any case', async () => {
    expect(await find('LOVE')).toHaveLength(60)
    expect(await find('ada  love')).toHaveLength(60)
    expect(await find('émilie')).toHaveLength(30)
    expect(await find('b')).toHaveLength(
      countOf(({ email, name }) => email.startsWith('b') || name.includes('Brewster')),
    )
    expect(await find('brewster hop')).toHaveLength(30)
    expect((await find('a118@')).length + (await find('opper')).length).toBe(0)
    expect((await find('a7@example.com')).map(({ email }) => email)).toEqual(['a7@example.com'])
  })

  test('lists a user once who matches by email and by several words', async () => {
    const names = ['Zo Zoe', 'Zoe Zo', 'Zoe Zoe', 'Zo', 'Grace Zoellner']
    const some = names.flatMap((name, index) =>
      ['zo', 'zoe', 'zoe.zoe', 'zozo', 'grace'].map((start) => ({ name, email: `${start}-${index}@example.com` })),
    )
    await db.insert(users).values(some)
    const matches = (prefix: string) =>
      some.filter(({ name, email }) =>
        [email, name, name.split(' ')[1] ?? ''].some((term) => term.toLowerCase().startsWith(prefix)),
      )
    for (const prefix of ['z', 'zo', 'zoe', 'zoe z', 'zoe zoe', 'zoe.', 'zoel', 'zo-', 'zozo-3@', 'grace-']) {
      const emails = (await find(prefix)).map(({ email }) => email)
      expect(emails.toSorted(), prefix).toEqual(
        matches(prefix)
          .map(({ email }) => email)
          .toSorted(),
      )
    }
    await db.delete(users).where(sql`${users.name} ~ '^(Zo|Grace Zo)'`)
  })

  test('can be filtered by role and status', async () => {
    const found = await find('ada', { role: 'viewer', status: 'suspended' })
    expect(found).toHaveLength(
      countOf(({ name, role, suspendedAt }) => /^ada/i.test(name) && role === 'viewer' && suspendedAt !== null),
    )
    expect(found.every(({ role, status }) => role === 'viewer' && status === 'suspended')).toBe(true)
  })

  test('treats wildcards and quotes as literal characters', async () => {
    for (const search of ['%', '_', '\\', "' or 1=1 --", '(', '*', '\u{10ffff}'])
      expect(await find(search), search).toEqual([])
  })

  test('for spaces only is no search', async () => {
    const query = UserQuery.parse({ search: '  ', sort: 'name' })
    expect((await findUsers(query)).users).toEqual((await findUsers({ sort: 'name' })).users)
  })

  test('finds a full id', async () => {
    const { users: some } = await findUsers({ limit: 1 })
    expect((await find(some[0]?.id ?? '')).map(({ id }) => id)).toEqual(some.map(({ id }) => id))
    expect(await find(crypto.randomUUID())).toEqual([])
  })

  test('reflects changes of name, role, status and email immediately', async () => {
    const email = 'changing@example.com'
    const [user] = await db.insert(users).values({ email, name: 'Before' }).returning({ id: users.id })
    const change = (values: Partial<typeof users.$inferInsert>) =>
      db.update(users).set(values).where(sql`${users.id} = ${user?.id}`)
    expect(await find('before')).toHaveLength(1)
    await change({ name: 'Quite After' })
    expect([(await find('before')).length, (await find('after')).length]).toEqual([0, 1])
    await change({ role: 'editor', suspendedAt: new Date() })
    expect((await find('after', { role: 'editor', status: 'suspended' })).length).toBe(1)
    expect((await find('after', { status: 'active' })).length).toBe(0)
    await change({ email: 'changed@example.com' })
    expect([(await find('changing@')).length, (await find('changed@')).length]).toEqual([0, 1])
    await db.delete(users).where(sql`${users.id} = ${user?.id}`)
    expect(await find('changed@')).toHaveLength(0)
  })
})

describe('a cursor', () => {
  test.each([
    ['made up', 'x'],
    ['changed', (cursor: string) => `${cursor[0] === 'A' ? 'B' : 'A'}${cursor.slice(1)}`],
    ['of another order', { order: 'asc' }],
    ['of another sort', { sort: 'name' }],
    ['of a list, in a search', { search: 'ada' }],
  ] as const)('that is %s is rejected', async (_, how) => {
    const cursor = (await findUsers({ limit: 1 })).nextCursor ?? ''
    const query = typeof how === 'object' ? { ...how, cursor } : { cursor: typeof how === 'string' ? how : how(cursor) }
    await expect(findUsers(query as ListQuery)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('reveals nothing about the user it points to', async () => {
    const page = await findUsers({ limit: 1, sort: 'email', order: 'asc' })
    const text = Buffer.from(page.nextCursor ?? '', 'base64url').toString('latin1')
    for (const part of [page.users[0]?.email ?? '', page.users[0]?.id ?? '']) expect(text).not.toContain(part)
  })
})

test('paging while users are added, deleted and seen lists all other users exactly once', async () => {
  const stay = new Set(testUsers.map(({ email }) => email))
  for (const sort of ['created', 'name', 'email', 'role'] as const) {
    const extra = Array.from({ length: 60 }, (_, index) => ({
      email: `zz-${sort}-${index}@example.com`,
      name: 'Ada Passing',
      createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 9))),
    }))
    await db.insert(users).values(extra.slice(0, 30))
    const seen: string[] = []
    let cursor: string | null | undefined
    for (let page = 0; cursor !== null; page++) {
      const found = await findUsers({ sort, order: 'asc', limit: 9, cursor: cursor ?? undefined })
      seen.push(...found.users.map(({ email }) => email))
      cursor = found.nextCursor
      const added = extra.slice(30 + page * 2, 32 + page * 2)
      if (added.length > 0) await db.insert(users).values(added)
      await db.delete(users).where(sql`${users.email} = ${extra[page * 3]?.email ?? ''}`)
      await db.update(users).set({ lastSeenAt: sql`now()` }).where(sql`${users.email} = ${seen[0]}`)
    }
    expect(seen.filter((email) => stay.has(email)).toSorted()).toEqual([...stay].toSorted())
    await db.delete(users).where(sql`${users.email} like 'zz-%'`)
  }
})
