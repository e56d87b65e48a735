// N. The list of people: what it shows, how it is walked, and what it costs when there are many.
import assert from 'node:assert/strict'
import { verdict } from './actions.ts'
import { type Apart, apart, type Member } from './apart.ts'
import { assertSoon, checkModule } from './checks.ts'
import { type Answer, type Call, call, Jar } from './client.ts'
import { percentile } from './statistics.ts'
import { submit, type World } from './world.ts'

const path = '/api/demo/admin/users'
const sorts = ['created', 'name', 'email', 'role', 'seen']

type Query = Record<string, string | number | undefined>

const addressOf = (query: Query) =>
  `${path}?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))}`

interface Place extends Apart {
  admin: Member
  ask(query: Query, how?: Call): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  rows(text: string, values?: unknown[]): Promise<any[]>
}

/** A database of its own, with one admin in it: the lists are long, and nobody else should wait for them. */
async function alone(world: World): Promise<Place> {
  const place = await apart(world)
  await place.pool.query('truncate users cascade')
  const admin = await place.add('admin')
  return {
    ...place,
    admin,
    ask: (query, how = {}) => call(place.nodes[0].url, addressOf(query), { jar: admin.jar.copy(), ...how }),
    rows: async (text, values = []) => (await place.pool.query(text, values)).rows,
  }
}

/** So many people, in one statement: of every role, some suspended, many with the same name, day and last visit. */
async function fill({ rows, pool }: Place, count: number, { first = 1, daysAgo = 0 } = {}): Promise<void> {
  await rows(
    `insert into users (email, name, role, suspended_at, created_at, last_seen_at)
     select 'person-' || n || '@example.com', 'Name ' || n % 50,
       case when n % 100 = 0 then 'editor' else 'viewer' end, case when n % 20 = 0 then now() end,
       now() - make_interval(days => $3, mins => n % 5000),
       case when n % 3 > 0 then now() - make_interval(hours => n % 300) end
     from generate_series($2::int, $2::int + $1::int - 1) n`,
    [count, first, daysAgo],
  )
  await pool.query('analyze users')
  await pool.query('analyze admin_terms')
}

/** Every page from the first to the last. `between` is told after each page what it showed. */
async function walk(
  place: Place,
  query: Query,
  between: (page: number, answer: Answer) => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  for (let page = 0; page === 0 || cursor; page++) {
    const answer = await place.ask({ ...query, cursor })
    assert.equal(answer.status, 200, answer.text)
    const { users, nextCursor } = answer.json()
    seen.push(...users.map(({ id }: { id: string }) => id))
    cursor = nextCursor ?? undefined
    await between(page, answer)
  }
  return seen
}

checkModule('admin', 'H-215', 'a row has what the list shows, and nothing else', async (world) => {
  const place = await alone(world)
  const person = await place.add('editor')
  await place.rows(`insert into passwords (user_id, hash) values ($1, $2)`, [person.id, world.hash])
  await place.rows(
    `insert into accounts (provider, provider_account_id, user_id) values ('google', 'sub-1234567', $1)`,
    [person.id],
  )
  const answer = await place.ask({})
  const { users, ...rest } = answer.json()
  assert.deepEqual(rest, { nextCursor: null })
  assert.equal(users.length, 2)
  for (const user of users) {
    assert.deepEqual(Object.keys(user).sort(), ['createdAt', 'email', 'id', 'lastSeenAt', 'name', 'role', 'status'])
    assert.match(user.createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    assert.equal(user.status, 'active')
  }
  assert.deepEqual(users.map(({ email }: { email: string }) => email).sort(), [place.admin.email, person.email].sort())
  assert.doesNotMatch(answer.text, /hash|password|token|sub-1234567|google|secret/i)
  assert.match(answer.headers['cache-control'] ?? '', /no-store/)
  await place.rows('update users set suspended_at = now() where id = $1', [person.id])
  const [suspended] = (await place.ask({ status: 'suspended' })).json().users
  assert.deepEqual([suspended.id, suspended.status], [person.id, 'suspended'])
})

checkModule('admin', 'H-216', 'a page has 1 to 100 people, and any other size is refused', async (world) => {
  const place = await alone(world)
  await fill(place, 150)
  const sizes: [limit: string | undefined, count: number][] = [
    [undefined, 25],
    ['', 25],
    ['1', 1],
    ['100', 100],
    ['99', 99],
  ]
  for (const [limit, count] of sizes) {
    const { users, nextCursor } = (await place.ask({ limit })).json()
    assert.equal(users.length, count, limit)
    assert.equal(typeof nextCursor, 'string')
  }
  const none = ['0', '101', '-1', '1e9', 'abc', '1.5', 'NaN', 'Infinity', '-0', '1,5', '١', '1 or 1=1', '9'.repeat(400)]
  for (const limit of none) {
    const answer = await place.ask({ limit })
    assert.deepEqual([answer.status, Object.keys(answer.json().errors ?? {})], [422, ['limit']], limit)
    const acted = await submit(world, 'listUsers', { limit }, { jar: place.admin.jar, node: place.nodes[0] })
    assert.equal(verdict(acted), 'invalid_input', limit)
  }
})

checkModule(
  'admin',
  'H-217',
  'a walk through 10,000 people while 500 come and go shows each of the others exactly once',
  async (world) => {
    const place = await alone(world)
    await fill(place, 10_000)
    const stay = new Set((await place.rows('select id from users')).map(({ id }) => id))
    for (const sort of sorts)
      for (const order of sort === 'created' ? ['asc', 'desc'] : ['asc']) {
        await place.rows(
          `insert into users (email, name, role, created_at)
           select 'leaves-' || n || '@example.com', 'Name ' || n % 50, 'viewer', now() - make_interval(mins => n * 20)
           from generate_series(1, 250) n`,
        )
        let pages = 0
        const seen = await walk(place, { sort, order, limit: 100 }, async (page) => {
          pages++
          // Before, among and behind those who were shown.
          await place.rows(
            `insert into users (email, name, role, created_at)
             select 'comes-' || $1 || '-' || n || '@example.com', 'Name ' || ($1::int * 7 + n) % 50, 'viewer',
               now() - make_interval(mins => ($1::int * 37 + n * 911) % 5000)
             from generate_series(1, 3) n`,
            [page],
          )
          await place.rows(
            `delete from users where id in (select id from users where email like 'leaves-%' order by md5(id::text || $1) limit 3)`,
            [String(page)],
          )
        })
        const untouched = seen.filter((id) => stay.has(id))
        assert.equal(new Set(seen).size, seen.length, `${sort} ${order}: somebody twice`)
        assert.equal(untouched.length, stay.size, `${sort} ${order}: somebody not at all`)
        assert.ok(pages >= 100)
        await place.rows(`delete from users where email like 'comes-%' or email like 'leaves-%'`)
      }
  },
)

checkModule('admin', 'H-218', 'a cursor that this list has not made is refused', async (world) => {
  const place = await alone(world)
  await fill(place, 100)
  const cursorOf = async (query: Query): Promise<string> => (await place.ask({ limit: 5, ...query })).json().nextCursor
  const good = await cursorOf({})
  const refused = async (query: Query, what: string) => {
    const answer = await place.ask(query)
    assert.deepEqual([answer.status, answer.json().code], [422, 'invalid_input'], what)
    assert.deepEqual(Object.keys(answer.json().errors), ['cursor'], what)
  }
  assert.equal((await place.ask({ cursor: good })).status, 200)
  const bytes = Buffer.from(good, 'base64url')
  for (let index = 0; index < bytes.length; index++) {
    const changed = Buffer.from(bytes)
    changed[index] = (changed[index] ?? 0) ^ 1
    await refused({ cursor: changed.toString('base64url') }, `byte ${index}`)
  }
  const plain = { sort: 'created', order: 'desc', side: 'after', role: 'viewer', key: '', id: place.admin.id }
  const made = [
    'x',
    '0',
    '%00',
    '../',
    `' or 1=1 --`,
    good.slice(0, -1),
    good.slice(1),
    good + good,
    bytes.subarray(0, 28).toString('base64url'),
    JSON.stringify(plain),
    Buffer.from(JSON.stringify(plain)).toString('base64url'),
    place.admin.id,
    new Date().toISOString(),
    'A'.repeat(2_000),
    'A'.repeat(2_001),
    'A'.repeat(6_000),
  ]
  for (const cursor of made) await refused({ cursor }, cursor.slice(0, 60))
  // Made by this list, for another order of it.
  for (const sort of sorts.filter((one) => one !== 'created')) {
    await refused({ sort, cursor: good }, sort)
    await refused({ cursor: await cursorOf({ sort, order: 'desc' }) }, sort)
  }
  await refused({ order: 'asc', cursor: good }, 'asc')
  await refused({ search: 'name', cursor: good }, 'search')
  await refused({ cursor: await cursorOf({ search: 'name' }) }, 'of a search')
  // Made by an app with another secret.
  const stranger = await world.node('apart, another secret', {
    DATABASE_URL: place.pool.options.connectionString ?? '',
    WORKER: 'apart',
    AUTH_SECRET: 'another-secret-of-another-app-0123456789',
  })
  const foreign = await call(stranger.url, addressOf({ limit: 5 }), { jar: place.admin.jar.copy() })
  await refused({ cursor: foreign.json().nextCursor }, 'foreign')
  const back = await call(stranger.url, addressOf({ cursor: good }), { jar: place.admin.jar.copy() })
  assert.equal(back.status, 422)
  // It says nothing of whom it stands beside.
  const byEmail = await cursorOf({ sort: 'email' })
  assert.doesNotMatch(Buffer.from(byEmail, 'base64url').toString('latin1') + byEmail, /person|example/)
})

checkModule('admin', 'H-219', 'of 100,000 people the last page comes as fast as the first', async (world) => {
  const place = await alone(world)
  // The oldest first: where the second page of those begins stays where it is, whoever comes before them.
  const query = { sort: 'created', order: 'desc', limit: 100 } as const
  const second = async (): Promise<string> => (await place.ask(query)).json().nextCursor
  await place.rows(`update users set created_at = now() - interval '1 year'`)
  await fill(place, 200, { daysAgo: 200 })
  const nearTheEnd = await second()
  await fill(place, 49_800, { first: 201, daysAgo: 100 })
  const halfway = await second()
  await fill(place, 50_000, { first: 50_001 })
  const times: Record<'first' | 'middle' | 'last', number[]> = { first: [], middle: [], last: [] }
  for (let round = 0; round < 40; round++)
    for (const [where, cursor] of [
      ['first', undefined],
      ['middle', halfway],
      ['last', nearTheEnd],
    ] as const) {
      const answer = await place.ask({ ...query, cursor })
      assert.equal(answer.json().users.length, 100)
      times[where].push(answer.milliseconds)
    }
  const slowest = (where: keyof typeof times) => percentile(times[where], 0.95)
  // Against one another, asked in turn: what else the machine does slows all three.
  const usual = (where: keyof typeof times) => percentile(times[where], 0.5)
  for (const where of ['middle', 'last'] as const)
    assertSoon(usual(where) < 3 * usual('first'), `${where}: ${usual(where)} ms, first: ${usual('first')} ms`)
  return (['first', 'middle', 'last'] as const)
    .map((where) => `${where} p95 ${slowest(where).toFixed(1)} ms`)
    .join(', ')
})

checkModule('admin', 'H-220', 'a search takes every sign for itself, and has its bounds', async (world) => {
  const place = await alone(world)
  await fill(place, 2_000)
  const names = ['%ercent', '_nderscore', '\\backslash', `' or 1=1 --`, '(paren', '*star', '.dot', `"quote`, '$1', '🦄']
  for (const [index, name] of names.entries())
    await place.rows('insert into users (email, name) values ($1, $2)', [`sign-${index}@example.com`, name])
  const found = async (search: string): Promise<string[]> => {
    let answer = await place.ask({ search, limit: 100 })
    assert.equal(answer.status, 200, search)
    // Once more before it is called slow: another program may have had the processor.
    if (answer.milliseconds > 1_000) answer = await place.ask({ search, limit: 100 })
    assertSoon(answer.milliseconds < 1_000, `${search}: ${answer.milliseconds.toFixed(0)} ms`)
    return answer.json().users.map(({ name }: { name: string }) => name)
  }
  for (const name of names) {
    assert.deepEqual(await found(name), [name])
    assert.deepEqual(await found(name.slice(0, name === '🦄' ? 2 : 1)), [name])
  }
  for (const search of [
    '%name%',
    '_ame',
    'n_me',
    'name%',
    `x' or 'x'='x`,
    `'; drop table users; --`,
    '\\x00',
    '\u{10ffff}',
  ])
    assert.deepEqual(await found(search), [], search)
  assert.equal((await found('n')).length, 100)
  assert.equal((await found('x'.repeat(100))).length, 0)
  for (const search of ['x'.repeat(101), 'x'.repeat(10_000), '%'.repeat(101)]) {
    const answer = await place.ask({ search })
    assert.deepEqual([answer.status, Object.keys(answer.json().errors)], [422, ['search']])
  }
  // What no text of the database can hold is refused before it is asked.
  for (const search of ['\0', 'na\0me', 'name\0']) {
    const answer = await place.ask({ search })
    assert.deepEqual([answer.status, Object.keys(answer.json().errors)], [422, ['search']])
    const acted = await submit(world, 'listUsers', { search }, { jar: place.admin.jar, node: place.nodes[0] })
    assert.equal(verdict(acted), 'invalid_input')
    const page = await call(place.nodes[0].url, `/admin/users?search=${encodeURIComponent(search)}`, {
      jar: place.admin.jar.copy(),
    })
    // The page leaves it out, and shows everybody.
    assert.equal(page.status, 200)
    assert.match(page.text, /2,011 people/)
  }
  assert.equal((await place.rows('select count(*)::int as count from users'))[0].count, 2_001 + names.length)
})

checkModule('admin', 'H-221', 'the list is sorted by what it offers, and by nothing else', async (world) => {
  const place = await alone(world)
  await fill(place, 30)
  const wrong: [name: string, values: string[]][] = [
    [
      'sort',
      [
        'role;drop',
        '"id" desc--',
        'passwordHash',
        'id',
        'u.email',
        'match',
        'constructor',
        '__proto__',
        'CREATED',
        '1',
      ],
    ],
    ['order', ['asc;', 'ASC', 'desc nulls last', 'desc, (select 1)', '-1']],
    ['role', ['superadmin', 'ADMIN', `admin' or '1'='1`, 'viewer,admin', 'constructor']],
    ['status', ['deleted', 'ACTIVE', 'active;', 'null']],
  ]
  for (const [name, values] of wrong)
    for (const value of values) {
      const answer = await place.ask({ [name]: value })
      assert.deepEqual([answer.status, Object.keys(answer.json().errors ?? {})], [422, [name]], `${name}=${value}`)
    }
  for (const sort of sorts)
    for (const order of ['asc', 'desc']) {
      const seen = await walk(place, { sort, order, limit: 7 })
      assert.equal(new Set(seen).size, 31, `${sort} ${order}`)
    }
  assert.equal((await place.rows('select count(*)::int as count from users'))[0].count, 31)
})

checkModule('admin', 'H-222', 'how many there are is exact for a few, and estimated for many', async (world) => {
  const place = await alone(world)
  const said = async (query = '') => {
    const page = await call(place.nodes[0].url, `/admin/users${query}`, { jar: place.admin.jar.copy() })
    assert.equal(page.status, 200)
    return /<h1[^>]*>People<\/h1><p[^>]*>([^<]+)<\/p>/.exec(page.text)?.[1]
  }
  assert.equal(await said(), '1 person')
  await fill(place, 9_999)
  assert.equal(await said(), '10,000 people')
  assert.equal(await said('?role=editor'), '99 people found')
  await place.rows('delete from users where role <> $1', ['admin'])
  await fill(place, 15_000)
  assert.match((await said()) ?? '', /^About 1[45],\d{3} people$/)
  assert.equal(await said('?role=viewer'), 'More than 10,000 people found')
  assert.equal(await said('?search=name'), 'More than 10,000 people found')
  assert.equal(await said('?role=editor'), '150 people found')
  // The answer of the list has no number at all, which somebody would have to count.
  assert.deepEqual(Object.keys((await place.ask({})).json()), ['users', 'nextCursor'])
})

checkModule('admin', 'H-223', 'twenty lists at once are all answered, and nobody else waits long', async (world) => {
  const place = await alone(world)
  await fill(place, 20_000)
  const person = await place.add('viewer')
  const others: number[] = []
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const session = await call(place.nodes[0].url, '/api/auth/session', { jar: person.jar.copy() })
      assert.equal(session.json().user.id, person.id)
      others.push(session.milliseconds)
    }
  })()
  const queries = [{}, { sort: 'name' }, { sort: 'seen', order: 'asc' }, { search: 'name' }, { role: 'viewer' }]
  try {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => place.ask({ limit: 100, ...queries[index % queries.length] })),
      )
      for (const answer of answers) {
        assert.equal(answer.status, 200)
        assert.equal(answer.json().users.length, 100)
      }
    }
  } finally {
    isOver = true
    await watching
  }
  const slowest = percentile(others, 0.95)
  assert.ok(others.length >= 5, `asked ${others.length} times`)
  assertSoon(slowest < 1_000, `p95 ${slowest.toFixed(0)} ms`)
  return `${others.length} sessions meanwhile, p95 ${slowest.toFixed(0)} ms`
})

checkModule('admin', 'H-224', 'who knows an admin’s cursor has nothing by it', async (world) => {
  const place = await alone(world)
  await fill(place, 50)
  const { nextCursor: cursor } = (await place.ask({ limit: 5 })).json()
  const expected = { viewer: 403, editor: 403, admin: 200 }
  for (const [role, status] of Object.entries(expected)) {
    const { jar } = await place.add(role)
    assert.equal((await place.ask({ cursor }, { jar })).status, status, role)
    const acted = await submit(world, 'listUsers', { cursor }, { jar, node: place.nodes[0] })
    assert.equal(verdict(acted), status === 200 ? 'ok' : 'forbidden', role)
  }
  const nobody = await place.ask({ cursor }, { jar: new Jar() })
  assert.deepEqual([nobody.status, nobody.json().code], [401, 'unauthenticated'])
})

checkModule('admin', 'H-225', 'the action and the address give the same people in the same order', async (world) => {
  const place = await alone(world)
  await fill(place, 300)
  const queries: Query[] = [
    {},
    { limit: 100 },
    { search: 'name 1', limit: 50 },
    { role: 'viewer', status: 'suspended' },
    { status: 'active', sort: 'email', order: 'desc' },
    { search: 'nobody is called so' },
    ...sorts.map((sort) => ({ sort, limit: 40 })),
  ]
  // React sends a date as such.
  const plain = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('"$D', '"'))
  const act = async (query: Query) => {
    const acted = await submit(world, 'listUsers', query, { jar: place.admin.jar, node: place.nodes[1] })
    assert.equal(verdict(acted), 'ok')
    return plain((acted.value as { data: unknown }).data)
  }
  for (const query of queries) {
    let [byAction, byAddress] = [await act(query), (await place.ask(query)).json()]
    assert.deepEqual(byAction.users, byAddress.users, JSON.stringify(query))
    assert.deepEqual(Object.keys(byAction), Object.keys(byAddress))
    assert.equal(byAction.nextCursor === null, byAddress.nextCursor === null)
    if (byAction.nextCursor === null) continue
    // Each takes the other's cursor, and goes on at the same place.
    const [ofAction, ofAddress] = [byAction.nextCursor, byAddress.nextCursor]
    byAction = await act({ ...query, cursor: ofAddress })
    byAddress = (await place.ask({ ...query, cursor: ofAction })).json()
    assert.ok(byAction.users.length > 0)
    assert.deepEqual(byAction.users, byAddress.users, JSON.stringify(query))
  }
})

checkModule(
  'admin',
  'H-226',
  'who looked at people is written down once, without what they searched for',
  async (world) => {
    const place = await alone(world)
    await fill(place, 60)
    const { id, jar } = place.admin
    const node = place.nodes[0]
    const mark = 'person-1'
    const noted = async (look: () => Promise<unknown>) => {
      const [{ last }] = await place.rows('select coalesce(max(id), 0) as last from audit_events')
      await look()
      return place.rows(
        'select kind, actor_id, target_id, details, host(ip) as ip, user_agent from audit_events where id > $1 order by id',
        [last],
      )
    }
    const from = { address: '198.18.7.7', headers: { 'User-Agent': 'A browser' } }
    const looks: [query: Query, details: object][] = [
      [{}, { count: 25 }],
      [
        { limit: 3, role: 'viewer' },
        { count: 3, role: 'viewer' },
      ],
      [{ status: 'suspended' }, { count: 3, status: 'suspended' }],
      [
        { search: mark, role: 'viewer', status: 'active' },
        { count: 11, role: 'viewer', status: 'active', isSearch: true },
      ],
      [{ search: 'nobody is called so' }, { count: 0, isSearch: true }],
    ]
    const row = (details: object) => ({
      kind: 'users.listed',
      actor_id: id,
      target_id: null,
      details,
      ip: from.address,
      user_agent: 'A browser',
    })
    for (const [query, details] of looks) {
      const byAddress = await noted(() => place.ask(query, { jar: jar.copy(), ...from }))
      assert.deepEqual(byAddress, [row(details)], JSON.stringify(query))
      const byAction = await noted(() =>
        // To a page that does not itself show the list.
        submit(world, 'listUsers', query, { jar: jar.copy(), node, path: `/admin/users/${id}`, ...from }),
      )
      assert.deepEqual(byAction, [row(details)], JSON.stringify(query))
      const page = addressOf(query).replace(path, '/admin/users')
      const byPage = await noted(() => call(node.url, page, { jar: jar.copy(), ...from }))
      assert.deepEqual(byPage, [row(details)], page)
    }
    // Who was refused has not looked.
    const viewer = await place.add('viewer')
    for (const how of [{ jar: new Jar() }, { jar: viewer.jar }])
      assert.deepEqual(await noted(() => place.ask({}, how)), [])
    for (const query of [{ limit: 0 }, { cursor: 'x' }, { sort: 'none' }])
      assert.deepEqual(await noted(() => place.ask(query)), [])
    const all = JSON.stringify(await place.rows('select e::text as row from audit_events e'))
    assert.ok(!all.includes(mark) && !all.includes('nobody is called so'))
  },
)
