import { sql } from 'drizzle-orm'
import { beforeAll, describe, expect, test } from 'vitest'
import { roles } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { countUsers, findUsers, type ListQuery, sorts, UserQuery } from './list'

// Many share a name, a day and a moment of being seen: what the order leaves open is where pages go wrong.
const people = Array.from({ length: 120 }, (_, index) => ({
  email: `${String.fromCharCode(97 + (index % 7))}${index}@example.com`,
  name: ['Ada Lovelace', 'ada lovelace', 'Émilie du Châtelet', 'Grace  Brewster Hopper'][index % 4] ?? '',
  role: roles[index % 3] ?? 'viewer',
  suspendedAt: index % 5 === 0 ? new Date() : null,
  createdAt: new Date(Date.UTC(2026, 0, 1 + (index % 9))),
  lastSeenAt: index % 3 === 0 ? null : new Date(Date.UTC(2026, 5, 1 + (index % 4))),
}))

beforeAll(() => db.insert(users).values(people))

async function walk(query: ListQuery, side: 'nextCursor' | 'previousCursor' = 'nextCursor') {
  const pages = [await findUsers(query)]
  for (let cursor = pages[0]?.[side]; cursor; cursor = pages.at(-1)?.[side]) {
    const page = await findUsers({ ...query, cursor })
    if (side === 'nextCursor') expect(page.previousCursor).not.toBeNull()
    pages.push(page)
  }
  return pages
}
const ids = (pages: Awaited<ReturnType<typeof walk>>) => pages.flatMap((page) => page.users.map(({ id }) => id))

/** The whole list in that order, from one plain query. */
async function expected({ role, status, sort = 'created', order = 'desc' }: ListQuery) {
  const keys = {
    created: 'created_at',
    name: 'lower(name) collate "C"',
    email: 'lower(email) collate "C"',
    role: 'role collate "C"',
    seen: `coalesce(last_seen_at, 'epoch')`,
  }
  const then = sort === 'role' ? `created_at ${order}, ` : ''
  const { rows } = await db.execute<{ id: string }>(
    sql`select id from users where (${role ?? null}::text is null or role = ${role ?? null})`
      .append(sql.raw(status ? ` and suspended_at is ${status === 'active' ? '' : 'not '}null` : ''))
      .append(sql.raw(` order by ${keys[sort]} ${order}, ${then}id ${order}`)),
  )
  return rows.map(({ id }) => id)
}

describe.each(sorts)('in the order of %s', (sort) => {
  test.each(['asc', 'desc'] as const)('%s, its pages are the list, forwards and back', async (order) => {
    const query: ListQuery = { sort, order, limit: 7 }
    const forwards = await walk(query)
    expect(ids(forwards)).toEqual(await expected(query))
    const last = forwards.at(-1)?.previousCursor ?? ''
    const back = await walk({ ...query, cursor: last }, 'previousCursor')
    expect(ids(back.toReversed())).toEqual(ids(forwards.slice(0, -1)))
    expect(back.at(-1)?.nextCursor).not.toBeNull()
  })

  test.each([{ role: 'admin' }, { status: 'suspended' }, { role: 'editor', status: 'active' }] as const)(
    'narrowed to %o, too',
    async (filter) => {
      const query: ListQuery = { ...filter, sort, order: 'asc', limit: 5 }
      const pages = await walk(query)
      expect(ids(pages)).toEqual(await expected(query))
      expect(await countUsers(filter)).toEqual({ count: ids(pages).length, is: 'exact' })
    },
  )
})

describe('a search', () => {
  const find = async (search: string, query: ListQuery = {}) => {
    const pages = await walk({ limit: 10, search, ...query })
    const names = pages.flatMap((page) => page.users)
    expect(new Set(names.map(({ id }) => id)).size, 'each of them once').toBe(names.length)
    expect((await countUsers({ search, ...query })).count).toBe(names.length)
    const back = await walk({ limit: 10, search, order: 'desc', ...query })
    expect(ids(back), 'the other way round').toEqual(ids(pages).toReversed())
    return names
  }
  const countOf = (isOne: (person: (typeof people)[number]) => boolean) => people.filter(isOne).length

  test('finds by the beginning of the address and of every word of the name, however it is written', async () => {
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

  test('shows whoever it finds by their address and by several words once', async () => {
    const names = ['Zo Zoe', 'Zoe Zo', 'Zoe Zoe', 'Zo', 'Grace Zoellner']
    const some = names.flatMap((name, index) =>
      ['zo', 'zoe', 'zoe.zoe', 'zozo', 'grace'].map((start) => ({ name, email: `${start}-${index}@example.com` })),
    )
    await db.insert(users).values(some)
    const matches = (begin: string) =>
      some.filter(({ name, email }) =>
        [email, name, name.split(' ')[1] ?? ''].some((term) => term.toLowerCase().startsWith(begin)),
      )
    for (const begin of ['z', 'zo', 'zoe', 'zoe z', 'zoe zoe', 'zoe.', 'zoel', 'zo-', 'zozo-3@', 'grace-']) {
      const emails = (await find(begin)).map(({ email }) => email)
      expect(emails.toSorted(), begin).toEqual(
        matches(begin)
          .map(({ email }) => email)
          .toSorted(),
      )
    }
    await db.delete(users).where(sql`${users.name} ~ '^(Zo|Grace Zo)'`)
  })

  test('is narrowed to a role and a status', async () => {
    const found = await find('ada', { role: 'viewer', status: 'suspended' })
    expect(found).toHaveLength(
      countOf(({ name, role, suspendedAt }) => /^ada/i.test(name) && role === 'viewer' && suspendedAt !== null),
    )
    expect(found.every(({ role, status }) => role === 'viewer' && status === 'suspended')).toBe(true)
  })

  test('takes signs for themselves', async () => {
    for (const search of ['%', '_', '\\', "' or 1=1 --", '(', '*', '\u{10ffff}'])
      expect(await find(search), search).toEqual([])
  })

  test('for nothing but spaces is none', async () => {
    const query = UserQuery.parse({ search: '  ', sort: 'name' })
    expect((await findUsers(query)).users).toEqual((await findUsers({ sort: 'name' })).users)
  })

  test('knows a whole id', async () => {
    const { users: some } = await findUsers({ limit: 1 })
    expect((await find(some[0]?.id ?? '')).map(({ id }) => id)).toEqual(some.map(({ id }) => id))
    expect(await find(crypto.randomUUID())).toEqual([])
  })

  test('follows a change of name, of role and of status at once', async () => {
    const email = 'changing@example.com'
    const [person] = await db.insert(users).values({ email, name: 'Before' }).returning({ id: users.id })
    const change = (values: Partial<typeof users.$inferInsert>) =>
      db.update(users).set(values).where(sql`${users.id} = ${person?.id}`)
    expect(await find('before')).toHaveLength(1)
    await change({ name: 'Quite After' })
    expect([(await find('before')).length, (await find('after')).length]).toEqual([0, 1])
    await change({ role: 'editor', suspendedAt: new Date() })
    expect((await find('after', { role: 'editor', status: 'suspended' })).length).toBe(1)
    expect((await find('after', { status: 'active' })).length).toBe(0)
    await change({ email: 'changed@example.com' })
    expect([(await find('changing@')).length, (await find('changed@')).length]).toEqual([0, 1])
    await db.delete(users).where(sql`${users.id} = ${person?.id}`)
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
  ] as const)('that is %s is refused', async (_, how) => {
    const cursor = (await findUsers({ limit: 1 })).nextCursor ?? ''
    const query = typeof how === 'object' ? { ...how, cursor } : { cursor: typeof how === 'string' ? how : how(cursor) }
    await expect(findUsers(query as ListQuery)).rejects.toMatchObject({ code: 'invalid_input' })
  })

  test('tells nothing of the person beside it', async () => {
    const page = await findUsers({ limit: 1, sort: 'email', order: 'asc' })
    const text = Buffer.from(page.nextCursor ?? '', 'base64url').toString('latin1')
    for (const part of [page.users[0]?.email ?? '', page.users[0]?.id ?? '']) expect(text).not.toContain(part)
  })
})

test('a walk while people come, go and are seen shows each of the others exactly once', async () => {
  const stay = new Set(people.map(({ email }) => email))
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
      const coming = extra.slice(30 + page * 2, 32 + page * 2)
      if (coming.length > 0) await db.insert(users).values(coming)
      await db.delete(users).where(sql`${users.email} = ${extra[page * 3]?.email ?? ''}`)
      await db.update(users).set({ lastSeenAt: sql`now()` }).where(sql`${users.email} = ${seen[0]}`)
    }
    expect(seen.filter((email) => stay.has(email)).toSorted()).toEqual([...stay].toSorted())
    await db.delete(users).where(sql`${users.email} like 'zz-%'`)
  }
})
