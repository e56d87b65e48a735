// The user list: which fields it returns, pagination, and performance with many users.
import assert from 'node:assert/strict'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, checkModule } from '../../app/support/checks.ts'
import { type CallOptions, call, type HttpResponse, Jar } from '../../app/support/http-client.ts'
import { verdict } from '../../app/support/server-actions.ts'
import type { World } from '../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp, type SignedInUser } from './support/isolated-app.ts'
import { percentile } from './support/statistics.ts'

const path = '/api/demo/admin/users'
const sorts = ['created', 'name', 'email', 'role', 'seen']

type Query = Record<string, string | number | undefined>

const listPath = (query: Query) =>
  `${path}?${new URLSearchParams(Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])))}`

interface UserListApp extends IsolatedApp {
  admin: SignedInUser
  ask(query: Query, how?: CallOptions): Promise<HttpResponse>
  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  rows(text: string, values?: unknown[]): Promise<any[]>
}

/** An empty database with one admin, so that large user lists do not slow down other checks. */
async function emptyUserList(world: World): Promise<UserListApp> {
  const app = await isolatedApp(world)
  await app.pool.query('truncate users cascade')
  const admin = await app.addUser('admin')
  return {
    ...app,
    admin,
    ask: (query, how = {}) => call(app.nodes[0].url, listPath(query), { jar: admin.jar.copy(), ...how }),
    rows: async (text, values = []) => (await app.pool.query(text, values)).rows,
  }
}

/**
 * Inserts that many users in one statement: of every role, some suspended, many with the same name, created_at and
 * last_seen_at.
 */
async function fill({ rows, pool }: UserListApp, count: number, { first = 1, daysAgo = 0 } = {}): Promise<void> {
  await rows(
    `insert into users (email, name, role, suspended_at, created_at, last_seen_at)
     select 'filled-' || n || '@example.com', 'Name ' || n % 50,
       case when n % 100 = 0 then 'editor' else 'viewer' end, case when n % 20 = 0 then now() end,
       now() - make_interval(days => $3, mins => n % 5000),
       case when n % 3 > 0 then now() - make_interval(hours => n % 300) end
     from generate_series($2::int, $2::int + $1::int - 1) n`,
    [count, first, daysAgo],
  )
  await pool.query('analyze users')
  await pool.query('analyze admin_terms')
}

/** Reads every page from first to last. `between` is called with each page. */
async function readAllPages(
  app: UserListApp,
  query: Query,
  between: (page: number, response: HttpResponse) => Promise<void> = async () => {},
): Promise<string[]> {
  const seen: string[] = []
  let cursor: string | undefined
  for (let page = 0; page === 0 || cursor; page++) {
    const response = await app.ask({ ...query, cursor })
    assert.equal(response.status, 200, response.text)
    const { users, nextCursor } = response.json()
    seen.push(...users.map(({ id }: { id: string }) => id))
    cursor = nextCursor ?? undefined
    await between(page, response)
  }
  return seen
}

checkModule(
  'admin',
  'H-215',
  'a user in the list has the documented fields and no others',
  async (world) => {
    const app = await emptyUserList(world)
    const testUser = await app.addUser('editor')
    await app.rows(`insert into passwords (user_id, hash) values ($1, $2)`, [testUser.id, world.hash])
    await app.rows(
      `insert into accounts (provider, provider_account_id, user_id) values ('google', 'sub-1234567', $1)`,
      [testUser.id],
    )
    const response = await app.ask({})
    const { users, ...rest } = response.json()
    assert.deepEqual(rest, { nextCursor: null })
    assert.equal(users.length, 2)
    for (const user of users) {
      assert.deepEqual(Object.keys(user).sort(), ['createdAt', 'email', 'id', 'lastSeenAt', 'name', 'role', 'status'])
      assert.match(user.createdAt, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.equal(user.status, 'active')
    }
    assert.deepEqual(
      users.map(({ email }: { email: string }) => email).sort(),
      [app.admin.email, testUser.email].sort(),
    )
    assert.doesNotMatch(response.text, /hash|password|token|sub-1234567|google|secret/i)
    assert.match(response.headers['cache-control'] ?? '', /no-store/)
    await app.rows('update users set suspended_at = now() where id = $1', [testUser.id])
    const [suspended] = (await app.ask({ status: 'suspended' })).json().users
    assert.deepEqual([suspended.id, suspended.status], [testUser.id, 'suspended'])
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-216',
  'a page has 1 to 100 users, and any other limit is rejected',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 150)
    const sizes: [limit: string | undefined, count: number][] = [
      [undefined, 25],
      ['', 25],
      ['1', 1],
      ['100', 100],
      ['99', 99],
    ]
    for (const [limit, count] of sizes) {
      const { users, nextCursor } = (await app.ask({ limit })).json()
      assert.equal(users.length, count, limit)
      assert.equal(typeof nextCursor, 'string')
    }
    const none = [
      '0',
      '101',
      '-1',
      '1e9',
      'abc',
      '1.5',
      'NaN',
      'Infinity',
      '-0',
      '1,5',
      '١',
      '1 or 1=1',
      '9'.repeat(400),
    ]
    for (const limit of none) {
      const response = await app.ask({ limit })
      assert.deepEqual([response.status, Object.keys(response.json().errors ?? {})], [422, ['limit']], limit)
      const acted = await submitAction(world, 'listUsers', { limit }, { jar: app.admin.jar, node: app.nodes[0] })
      assert.equal(verdict(acted), 'invalid_input', limit)
    }
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-217',
  'paging through 10,000 users while 500 are added or deleted returns each other user exactly once',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 10_000)
    const stay = new Set((await app.rows('select id from users')).map(({ id }) => id))
    for (const sort of sorts)
      for (const order of sort === 'created' ? ['asc', 'desc'] : ['asc']) {
        await app.rows(
          `insert into users (email, name, role, created_at)
           select 'leaves-' || n || '@example.com', 'Name ' || n % 50, 'viewer', now() - make_interval(mins => n * 20)
           from generate_series(1, 250) n`,
        )
        let pages = 0
        const seen = await readAllPages(app, { sort, order, limit: 100 }, async (page) => {
          pages++
          // Before, between and after the users already returned.
          await app.rows(
            `insert into users (email, name, role, created_at)
             select 'comes-' || $1 || '-' || n || '@example.com', 'Name ' || ($1::int * 7 + n) % 50, 'viewer',
               now() - make_interval(mins => ($1::int * 37 + n * 911) % 5000)
             from generate_series(1, 3) n`,
            [page],
          )
          await app.rows(
            `delete from users where id in (select id from users where email like 'leaves-%' order by md5(id::text || $1) limit 3)`,
            [String(page)],
          )
        })
        const untouched = seen.filter((id) => stay.has(id))
        assert.equal(new Set(seen).size, seen.length, `${sort} ${order}: a user twice`)
        assert.equal(untouched.length, stay.size, `${sort} ${order}: a user is missing`)
        assert.ok(pages >= 100)
        await app.rows(`delete from users where email like 'comes-%' or email like 'leaves-%'`)
      }
  },
  { full: 'takes long' },
)

checkModule(
  'admin',
  'H-218',
  'a cursor that this list did not issue is rejected',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 100)
    const cursorOf = async (query: Query): Promise<string> => (await app.ask({ limit: 5, ...query })).json().nextCursor
    const good = await cursorOf({})
    const assertRejected = async (query: Query, what: string) => {
      const response = await app.ask(query)
      assert.deepEqual([response.status, response.json().code], [422, 'invalid_input'], what)
      assert.deepEqual(Object.keys(response.json().errors), ['cursor'], what)
    }
    assert.equal((await app.ask({ cursor: good })).status, 200)
    const bytes = Buffer.from(good, 'base64url')
    for (let index = 0; index < bytes.length; index++) {
      const changed = Buffer.from(bytes)
      changed[index] = (changed[index] ?? 0) ^ 1
      await assertRejected({ cursor: changed.toString('base64url') }, `byte ${index}`)
    }
    const plain = { sort: 'created', order: 'desc', side: 'after', role: 'viewer', key: '', id: app.admin.id }
    const forgedCursors = [
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
      app.admin.id,
      new Date().toISOString(),
      'A'.repeat(2_000),
      'A'.repeat(2_001),
      'A'.repeat(6_000),
    ]
    for (const cursor of forgedCursors) await assertRejected({ cursor }, cursor.slice(0, 60))
    // Issued by this list, but for another sort order.
    for (const sort of sorts.filter((one) => one !== 'created')) {
      await assertRejected({ sort, cursor: good }, sort)
      await assertRejected({ cursor: await cursorOf({ sort, order: 'desc' }) }, sort)
    }
    await assertRejected({ order: 'asc', cursor: good }, 'asc')
    await assertRejected({ search: 'name', cursor: good }, 'search')
    await assertRejected({ cursor: await cursorOf({ search: 'name' }) }, 'of a search')
    // Issued by an app with another secret.
    const otherNode = await world.node('apart, another secret', {
      DATABASE_URL: app.pool.options.connectionString ?? '',
      WORKER: 'apart',
      AUTH_SECRET: 'another-secret-of-another-app-0123456789',
    })
    const foreignPage = await call(otherNode.url, listPath({ limit: 5 }), { jar: app.admin.jar.copy() })
    await assertRejected({ cursor: foreignPage.json().nextCursor }, 'foreign')
    const back = await call(otherNode.url, listPath({ cursor: good }), { jar: app.admin.jar.copy() })
    assert.equal(back.status, 422)
    // The cursor does not reveal the user it points to.
    const byEmail = await cursorOf({ sort: 'email' })
    assert.doesNotMatch(Buffer.from(byEmail, 'base64url').toString('latin1') + byEmail, /filled|example/)
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-219',
  'of 100,000 users the last page is as fast as the first',
  async (world) => {
    const app = await emptyUserList(world)
    // Oldest users inserted first: the cursor taken now keeps pointing near the end, however many newer users follow.
    const query = { sort: 'created', order: 'desc', limit: 100 } as const
    const second = async (): Promise<string> => (await app.ask(query)).json().nextCursor
    await app.rows(`update users set created_at = now() - interval '1 year'`)
    await fill(app, 200, { daysAgo: 200 })
    const cursorNearEnd = await second()
    await fill(app, 49_800, { first: 201, daysAgo: 100 })
    const halfway = await second()
    await fill(app, 50_000, { first: 50_001 })
    const times: Record<'first' | 'middle' | 'last', number[]> = { first: [], middle: [], last: [] }
    for (let round = 0; round < 40; round++)
      for (const [where, cursor] of [
        ['first', undefined],
        ['middle', halfway],
        ['last', cursorNearEnd],
      ] as const) {
        const response = await app.ask({ ...query, cursor })
        assert.equal(response.json().users.length, 100)
        times[where].push(response.milliseconds)
      }
    const slowest = (where: keyof typeof times) => percentile(times[where], 0.95)
    // The three are measured in turns and compared with each other, so that other load on the machine slows them alike.
    const usual = (where: keyof typeof times) => percentile(times[where], 0.5)
    for (const where of ['middle', 'last'] as const)
      assertFast(usual(where) < 3 * usual('first'), `${where}: ${usual(where)} ms, first: ${usual('first')} ms`)
    return (['first', 'middle', 'last'] as const)
      .map((where) => `${where} p95 ${slowest(where).toFixed(1)} ms`)
      .join(', ')
  },
  { full: 'measures time or memory' },
)

checkModule(
  'admin',
  'H-220',
  'a search treats every character literally, and its length is limited',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 2_000)
    const names = [
      '%ercent',
      '_nderscore',
      '\\backslash',
      `' or 1=1 --`,
      '(paren',
      '*star',
      '.dot',
      `"quote`,
      '$1',
      '🦄',
    ]
    for (const [index, name] of names.entries())
      await app.rows('insert into users (email, name) values ($1, $2)', [`sign-${index}@example.com`, name])
    const found = async (search: string): Promise<string[]> => {
      let response = await app.ask({ search, limit: 100 })
      assert.equal(response.status, 200, search)
      // Retry once before calling it slow: another process may have used the CPU.
      if (response.milliseconds > 1_000) response = await app.ask({ search, limit: 100 })
      assertFast(response.milliseconds < 1_000, `${search}: ${response.milliseconds.toFixed(0)} ms`)
      return response.json().users.map(({ name }: { name: string }) => name)
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
      const response = await app.ask({ search })
      assert.deepEqual([response.status, Object.keys(response.json().errors)], [422, ['search']])
    }
    // NUL cannot be stored in a PostgreSQL text, so it is rejected before the query.
    for (const search of ['\0', 'na\0me', 'name\0']) {
      const response = await app.ask({ search })
      assert.deepEqual([response.status, Object.keys(response.json().errors)], [422, ['search']])
      const acted = await submitAction(world, 'listUsers', { search }, { jar: app.admin.jar, node: app.nodes[0] })
      assert.equal(verdict(acted), 'invalid_input')
      const page = await call(app.nodes[0].url, `/admin/users?search=${encodeURIComponent(search)}`, {
        jar: app.admin.jar.copy(),
      })
      // The page ignores the invalid search and shows all users.
      assert.equal(page.status, 200)
      assert.match(page.text, /1–25 of 2,011 users/)
    }
    assert.equal((await app.rows('select count(*)::int as count from users'))[0].count, 2_001 + names.length)
  },
  { full: 'measures time or memory' },
)

checkModule(
  'admin',
  'H-221',
  'the list accepts only the documented sort, order, role and status values',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 30)
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
        const response = await app.ask({ [name]: value })
        assert.deepEqual(
          [response.status, Object.keys(response.json().errors ?? {})],
          [422, [name]],
          `${name}=${value}`,
        )
      }
    for (const sort of sorts)
      for (const order of ['asc', 'desc']) {
        const seen = await readAllPages(app, { sort, order, limit: 7 })
        assert.equal(new Set(seen).size, 31, `${sort} ${order}`)
      }
    assert.equal((await app.rows('select count(*)::int as count from users'))[0].count, 31)
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-222',
  'the total is exact for small lists and estimated for large ones',
  async (world) => {
    const app = await emptyUserList(world)
    const shownTotal = async (query = '') => {
      const page = await call(app.nodes[0].url, `/admin/users${query}`, { jar: app.admin.jar.copy() })
      assert.equal(page.status, 200)
      return /<p data-slot="total"[^>]*>([^<]+)<\/p>/.exec(page.text)?.[1]
    }
    assert.equal(await shownTotal(), '1 user')
    await fill(app, 9_999)
    assert.equal(await shownTotal(), '1–25 of 10,000 users')
    assert.equal(await shownTotal('?role=editor'), '1–25 of 99 users')
    await app.rows('delete from users where role <> $1', ['admin'])
    await fill(app, 15_000)
    assert.match((await shownTotal()) ?? '', /^1–25 of about 1[45],\d{3} users$/)
    assert.equal(await shownTotal('?role=viewer'), '1–25 of more than 10,000 users')
    assert.equal(await shownTotal('?search=name'), '1–25 of more than 10,000 users')
    assert.equal(await shownTotal('?role=editor'), '1–25 of 150 users')
    // The API response has no total, which would require a count.
    assert.deepEqual(Object.keys((await app.ask({})).json()), ['users', 'nextCursor'])
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-223',
  'twenty list requests at once all succeed, and other requests stay fast',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 20_000)
    const testUser = await app.addUser('viewer')
    const others: number[] = []
    let isDone = false
    const watching = (async () => {
      while (!isDone) {
        const session = await call(app.nodes[0].url, '/api/auth/session', { jar: testUser.jar.copy() })
        assert.equal(session.json().user.id, testUser.id)
        others.push(session.milliseconds)
      }
    })()
    const queries = [{}, { sort: 'name' }, { sort: 'seen', order: 'asc' }, { search: 'name' }, { role: 'viewer' }]
    try {
      for (let round = 0; round < 5; round++) {
        const responses = await Promise.all(
          Array.from({ length: 20 }, (_, index) => app.ask({ limit: 100, ...queries[index % queries.length] })),
        )
        for (const response of responses) {
          assert.equal(response.status, 200)
          assert.equal(response.json().users.length, 100)
        }
      }
    } finally {
      isDone = true
      await watching
    }
    const slowest = percentile(others, 0.95)
    assert.ok(others.length >= 5, `asked ${others.length} times`)
    assertFast(slowest < 1_000, `p95 ${slowest.toFixed(0)} ms`)
    return `${others.length} session requests meanwhile, p95 ${slowest.toFixed(0)} ms`
  },
  { full: 'measures time or memory' },
)

checkModule(
  'admin',
  'H-224',
  'an admin’s cursor is useless to other users',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 50)
    const { nextCursor: cursor } = (await app.ask({ limit: 5 })).json()
    const expected = { viewer: 403, editor: 403, admin: 200 }
    for (const [role, status] of Object.entries(expected)) {
      const { jar } = await app.addUser(role)
      assert.equal((await app.ask({ cursor }, { jar })).status, status, role)
      const acted = await submitAction(world, 'listUsers', { cursor }, { jar, node: app.nodes[0] })
      assert.equal(verdict(acted), status === 200 ? 'ok' : 'forbidden', role)
    }
    const unauthenticated = await app.ask({ cursor }, { jar: new Jar() })
    assert.deepEqual([unauthenticated.status, unauthenticated.json().code], [401, 'unauthenticated'])
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-225',
  'the action and the API route return the same users in the same order',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 300)
    const queries: Query[] = [
      {},
      { limit: 100 },
      { search: 'name 1', limit: 50 },
      { role: 'viewer', status: 'suspended' },
      { status: 'active', sort: 'email', order: 'desc' },
      { search: 'matches no user' },
      ...sorts.map((sort) => ({ sort, limit: 40 })),
    ]
    // React encodes a date as "$D…".
    const plain = (value: unknown) => JSON.parse(JSON.stringify(value).replaceAll('"$D', '"'))
    const act = async (query: Query) => {
      const acted = await submitAction(world, 'listUsers', query, { jar: app.admin.jar, node: app.nodes[1] })
      assert.equal(verdict(acted), 'ok')
      return plain((acted.value as { data: unknown }).data)
    }
    for (const query of queries) {
      let [byAction, byApi] = [await act(query), (await app.ask(query)).json()]
      assert.deepEqual(byAction.users, byApi.users, JSON.stringify(query))
      assert.deepEqual(Object.keys(byAction), Object.keys(byApi))
      assert.equal(byAction.nextCursor === null, byApi.nextCursor === null)
      if (byAction.nextCursor === null) continue
      // Each accepts the cursor of the other and continues at the same position.
      const [ofAction, ofApi] = [byAction.nextCursor, byApi.nextCursor]
      byAction = await act({ ...query, cursor: ofApi })
      byApi = (await app.ask({ ...query, cursor: ofAction })).json()
      assert.ok(byAction.users.length > 0)
      assert.deepEqual(byAction.users, byApi.users, JSON.stringify(query))
    }
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-226',
  'listing users records one audit event, without the search text',
  async (world) => {
    const app = await emptyUserList(world)
    await fill(app, 60)
    const { id, jar } = app.admin
    const node = app.nodes[0]
    const prefix = 'filled-1'
    const auditEventsOf = async (request: () => Promise<unknown>) => {
      const [{ last }] = await app.rows('select coalesce(max(id), 0) as last from audit_events')
      await request()
      return app.rows(
        'select kind, actor_id, target_id, details, host(ip) as ip, user_agent from audit_events where id > $1 order by id',
        [last],
      )
    }
    const client = { ip: '198.18.7.7', headers: { 'User-Agent': 'A browser' } }
    const requests: [query: Query, details: object][] = [
      [{}, { count: 25 }],
      [
        { limit: 3, role: 'viewer' },
        { count: 3, role: 'viewer' },
      ],
      [{ status: 'suspended' }, { count: 3, status: 'suspended' }],
      [
        { search: prefix, role: 'viewer', status: 'active' },
        { count: 11, role: 'viewer', status: 'active', isSearch: true },
      ],
      [{ search: 'matches no user' }, { count: 0, isSearch: true }],
    ]
    const row = (details: object) => ({
      kind: 'users.listed',
      actor_id: id,
      target_id: null,
      details,
      ip: client.ip,
      user_agent: 'A browser',
    })
    for (const [query, details] of requests) {
      const byApi = await auditEventsOf(() => app.ask(query, { jar: jar.copy(), ...client }))
      assert.deepEqual(byApi, [row(details)], JSON.stringify(query))
      const byAction = await auditEventsOf(() =>
        // Posted to a page that does not show the list itself.
        submitAction(world, 'listUsers', query, { jar: jar.copy(), node, path: `/admin/users/${id}`, ...client }),
      )
      assert.deepEqual(byAction, [row(details)], JSON.stringify(query))
      const page = listPath(query).replace(path, '/admin/users')
      const byPage = await auditEventsOf(() => call(node.url, page, { jar: jar.copy(), ...client }))
      assert.deepEqual(byPage, [row(details)], page)
    }
    // A rejected request records no audit event.
    const viewer = await app.addUser('viewer')
    for (const how of [{ jar: new Jar() }, { jar: viewer.jar }])
      assert.deepEqual(await auditEventsOf(() => app.ask({}, how)), [])
    for (const query of [{ limit: 0 }, { cursor: 'x' }, { sort: 'none' }])
      assert.deepEqual(await auditEventsOf(() => app.ask(query)), [])
    const all = JSON.stringify(await app.rows('select e::text as row from audit_events e'))
    assert.ok(!all.includes(prefix) && !all.includes('matches no user'))
  },
  { full: 'needs other servers' },
)
