// Session cookie and session life cycle.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { importSource } from '../../../scripts/import-source.ts'
import { findFreePort } from '../../../scripts/ports.ts'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, checkModule } from '../../app/support/checks.ts'
import { completeOutput } from '../../app/support/complete-output.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { type CallOptions, call, callRaw, Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { listActions, validInputOf, verdict } from '../../app/support/server-actions.ts'
import {
  dumpDatabase,
  everyPath,
  password,
  randomToken,
  snapshotState,
  type TestUser,
  type World,
} from '../../app/support/test-world.ts'
import { rounds } from '../support/rounds.ts'
import { byteBias } from './support/statistics.ts'

const days = 24 * 60 * 60

/** The attributes of one cookie in a response, in lower case and without its value and Expires. */
function attributesOf(setCookies: string[], name: string): string[] {
  const line = setCookies.find((text) => text.startsWith(`${name}=`)) ?? assert.fail(`no ${name} in ${setCookies}`)
  return line
    .split(';')
    .slice(1)
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !part.startsWith('expires='))
    .sort()
}

/** Backdates a session: sets created_at or last_seen_at. */
const backdateSession = (world: World, token: string, changes: string) =>
  world.query(`update sessions set ${changes} where token_hash = $1 returning id`, [
    createHash('sha256').update(token).digest(),
  ])

check(
  'H-085',
  'the session cookie has __Host-, HttpOnly, Secure and SameSite=Lax, and lasts 30 days at most',
  async (world) => {
    const { email } = await world.newUser()
    const secure = await world.trySignIn(email, password, { node: await world.secureNode() })
    assert.equal(secure.status, 200)
    const expected = ['httponly', 'max-age=2592000', 'path=/', 'samesite=lax']
    assert.deepEqual(attributesOf(secure.setCookies, `__Host-${appSlug}.session`), [...expected, 'secure'].sort())
    assert.ok(2592000 <= 30 * days)
    assert.deepEqual(attributesOf((await world.trySignIn(email)).setCookies, `${appSlug}.session`), expected)
    // Over HTTPS the unprefixed cookie name is ignored, because a subdomain could set it.
    const token = /__Host-[\w-]+\.session=([^;]+)/.exec(secure.setCookies.join())?.[1] ?? ''
    const node = await world.secureNode()
    assert.equal((await world.getSession(new Jar({ [`__Host-${appSlug}.session`]: token }), node)).user.email, email)
    assert.equal(await world.getSession(new Jar({ [`${appSlug}.session`]: token }), node), null)
  },
  { full: 'needs other servers' },
)

check(
  'H-086',
  'thousands of session tokens of 32 random bytes are all different, with uniformly distributed bytes',
  async (world) => {
    process.env.DATABASE_URL = world.env.DATABASE_URL
    process.env.AUTH_SECRET = world.env.AUTH_SECRET
    const [{ createPasswordSession }, { closeDatabase }] = await importSource(
      'src/core/auth/session/start-session.ts',
      'src/core/db/client.ts',
    )
    const client = { userAgent: 'a test', ip: '198.51.100.1' }
    const users = await world.newUsers(8)
    const tokens: string[] = []
    await Promise.all(
      users.map(async ({ id }) => {
        const [{ hash }] = await world.query('select hash from passwords where user_id = $1', [id])
        for (let count = 0; count < (process.env.QUICK ? 2_000 : 10_000) / users.length; count++)
          tokens.push((await createPasswordSession(id, hash, client)).token)
      }),
    )
    await closeDatabase()
    // Also some tokens from real sign-ins.
    for (const user of await world.newUsers(20)) tokens.push((await world.signIn(user)).token)
    for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
    assert.equal(new Set(tokens).size, tokens.length)
    const bytes = tokens.map((token) => Buffer.from(token, 'base64url'))
    for (const one of bytes) assert.equal(one.length, 32)
    const bias = byteBias(Buffer.concat(bytes))
    // Five standard deviations: about one truly random run in a million exceeds them.
    assert.ok(Math.abs(bias) < 5, `${bias} standard deviations`)
    const columns = Array.from({ length: 32 }, (_, column) =>
      byteBias(Buffer.from(bytes.map((one) => one[column] ?? 0))),
    )
    assert.ok(Math.max(...columns.map(Math.abs)) < 6, String(columns))
    return `${tokens.length} tokens, chi-squared ${bias.toFixed(2)} standard deviations from uniform`
  },
  { full: 'takes long' },
)

check('H-087', 'the database stores the SHA-256 of a token, and nothing usable as one', async (world) => {
  const { token, id, jar } = await world.newSession()
  const [row] = await world.query('select token_hash from sessions where user_id = $1', [id])
  assert.equal(row.token_hash.length, 32)
  assert.deepEqual(row.token_hash, createHash('sha256').update(token).digest())
  const everything = await dumpDatabase(world)
  assert.ok(everything.includes(row.token_hash.toString('hex')))
  const bytes = Buffer.from(token, 'base64url')
  for (const form of [
    token,
    bytes.toString('hex'),
    bytes.toString('base64'),
    Buffer.from(token).toString('hex'),
    jar.get(`${appSlug}.device`),
  ])
    assert.ok(!everything.includes(form), form)
})

check('H-088', 'a stored token hash or session id is not accepted as a token', async (world) => {
  const { id, token } = await world.newSession()
  const [{ token_hash: stored, id: row }] = await world.query(
    'select id, token_hash from sessions where user_id = $1',
    [id],
  )
  for (const value of [
    stored.toString('hex'),
    stored.toString('base64'),
    stored.toString('base64url'),
    `\\x${stored.toString('hex')}`,
    row,
  ]) {
    assert.equal(await world.getSession(new Jar({ [`${appSlug}.session`]: value })), null, value)
    assert.equal(await world.getSession(value), null, value)
  }
  assert.equal((await world.getSession(token)).user.id, id)
})

check('H-089', 'a token with any single character changed is invalid', async (world) => {
  const { token, id } = await world.newSession()
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const changed: string[] = []
  for (let position = 0; position < token.length; position++) {
    // index ^ 1 matters for the last character: it changes only bits that base64 does not use.
    const index = alphabet.indexOf(token[position] ?? '')
    for (const other of [index ^ 1, index ^ 32])
      changed.push(token.slice(0, position) + alphabet[other] + token.slice(position + 1))
  }
  assert.equal(new Set(changed).size, 86)
  for (const value of changed) assert.equal(await world.getSession(value), null, value)
  for (const value of [token.toLowerCase(), `${token}=`, token.slice(0, -1), `${token}A`, `"${token}"`])
    assert.equal(await world.getSession(new Jar({ [`${appSlug}.session`]: value })), null, value)
  assert.equal((await world.getSession(token)).user.id, id)
})

check('H-090', 'a malformed session cookie means no session and causes no error', async (world) => {
  const { token } = await world.newSession()
  const malformed = [
    '',
    'x',
    'x'.repeat(10_000),
    '%',
    '%E0%A4%A',
    'ä'.normalize('NFD'),
    "' or 1=1--",
    '..',
    '../../etc/passwd',
    '{"a":1}',
    '[]',
    'null',
    'undefined',
    '"',
    '=',
    '====',
    '$argon',
    `${token}.${token}`,
    `${token},${token}`,
  ]
  for (const value of malformed) {
    const response = await world.get('/api/auth/session', {
      headers: { Cookie: Buffer.from(`${appSlug}.session=${value}`).toString('latin1') },
    })
    assert.deepEqual([response.status, response.text], [200, 'null'], value)
    const page = await world.get('/dashboard', {
      headers: { Cookie: Buffer.from(`${appSlug}.session=${value}`).toString('latin1') },
    })
    assert.deepEqual([page.status, page.headers.location], [307, '/signin'], value)
  }
  for (const cookie of [
    `${appSlug}.session[]=${token}`,
    `${appSlug}.session[0]=${token}`,
    `${appSlug}.session.0=${token}`,
    `PLINTH.SESSION=${token}`,
    `x=${appSlug}.session=${token}`,
    `__Host-${appSlug}.session=${token}`,
    `${appSlug}.session=${token}; ${appSlug}.session=${token}`,
  ]) {
    const response = await world.get('/api/auth/session', { headers: { Cookie: cookie } })
    assert.deepEqual([response.status, response.text], [200, 'null'], cookie)
  }
  const nul = await callRaw(
    world.app.url,
    `GET /api/auth/session HTTP/1.1\r\nHost: localhost\r\nCookie: ${appSlug}.session=a\0b\r\nConnection: close\r\n\r\n`,
  )
  assert.equal(nul.status, 400)
})

check('H-091', 'sign-out deletes the session row, clears the cookie, and is idempotent', async (world) => {
  const { jar, token, id } = await world.newSession()
  const oldJar = jar.copy()
  const response = await world.get('/api/auth/signout', { body: { redirect: false }, jar })
  assert.deepEqual([response.status, response.json()], [200, { url: '/' }])
  assert.equal(jar.token, '')
  assert.ok(attributesOf(response.setCookies, `${appSlug}.session`).includes('max-age=0'))
  assert.deepEqual(await world.query('select id from sessions where user_id = $1', [id]), [])
  assert.equal(await world.getSession(oldJar), null)
  assert.equal(await world.getSession(token), null)
  const again = await world.get('/api/auth/signout', { body: { redirect: false }, jar: oldJar })
  assert.deepEqual(
    [again.status, again.text, again.headers['clear-site-data']],
    [response.status, response.text, '"cache"'],
  )
})

check(
  'H-092',
  'sign-out on one node takes effect on another node at once, every time',
  async (world) => {
    const other = await world.node('second')
    const users = await world.newUsers(10)
    let slowest = 0
    for (let round = 0; round < rounds(100); round++) {
      const user = users[round % users.length] ?? assert.fail()
      // Inserted directly: this check is about how a session ends.
      const token = randomToken()
      await world.query('insert into sessions (user_id, token_hash) values ($1, $2)', [
        user.id,
        createHash('sha256').update(token).digest(),
      ])
      assert.equal((await world.getSession(token, other)).user.id, user.id)
      await world.get('/api/auth/signout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
      const start = performance.now()
      assert.equal(await world.getSession(token, other), null)
      slowest = Math.max(slowest, performance.now() - start)
    }
    return `slowest check ${slowest.toFixed(0)} ms`
  },
  { full: 'takes long' },
)

check(
  'H-093',
  'after sign-out, the old cookie and token get the response of an unauthenticated caller on every path and action',
  async (world) => {
    const { jar, token, email } = await world.newSession()
    const oldJar = jar.copy()
    const seen = async (path: string, how: CallOptions) => {
      const headers = { ...how.headers, 'X-Request-Id': 'the-same-for-all' }
      const response = await world.get(path, { ...how, headers })
      const isPage = response.headers['content-type']?.startsWith('text/html')
      // HTML differs in its nonce and in the order of streamed chunks, so only look for the email.
      const content = isPage ? response.text.includes(email) : response.text
      return { status: response.status, location: response.headers.location, content }
    }
    assert.deepEqual(await seen('/dashboard', { jar: oldJar.copy() }), {
      status: 200,
      location: undefined,
      content: true,
    })
    await world.get('/api/auth/signout', { method: 'POST', jar })
    const before = await snapshotState(world)
    const paths = everyPath()
    assert.ok(paths.includes('/dashboard') && paths.includes('/api/auth/session'), String(paths))
    for (const path of paths) {
      const anonymous = await seen(path, {})
      assert.deepEqual(await seen(path, { jar: oldJar.copy() }), anonymous, path)
      assert.deepEqual(await seen(path, { headers: { Authorization: `Bearer ${token}` } }), anonymous, path)
    }
    for (const { name, isPublic } of listActions()) {
      const input = validInputOf(name, { email, password })
      const anonymous = verdict(await submitAction(world, name, input))
      if (!isPublic) assert.equal(anonymous, 'unauthenticated', name)
      for (const how of [{ jar: oldJar.copy() }, { headers: { Authorization: `Bearer ${token}` } }])
        assert.equal(verdict(await submitAction(world, name, input, how)), anonymous, name)
    }
    assert.equal(await snapshotState(world), before)
    return `${paths.length} paths, ${listActions().length} actions`
  },
  { full: 'needs other servers' },
)

check('H-094', 'a session token set before sign-in is never adopted (session fixation)', async (world) => {
  const fixedToken = randomToken()
  const user = await world.newUser()
  const jar = new Jar({ [`${appSlug}.session`]: fixedToken })
  await world.signIn(user, { jar })
  assert.notEqual(jar.token, fixedToken)
  assert.equal(await world.getSession(fixedToken), null)
  // A valid session of the attacker is not adopted by the victim either.
  const attacker = await world.newSession()
  const victim = await world.signIn(user, { jar: attacker.jar.copy() })
  assert.notEqual(victim.token, attacker.token)
  assert.equal(await world.getSession(attacker.token), null)
  assert.equal((await world.getSession(victim)).user.id, user.id)
})

check('H-095', 'a CSRF token from before sign-in is invalid after sign-in', async (world) => {
  const jar = new Jar()
  const { csrfToken } = (await world.get('/api/auth/csrf', { jar })).json()
  assert.notEqual(jar.get(`${appSlug}.csrf`), '')
  await world.signIn(await world.newUser(), { jar })
  assert.equal(jar.get(`${appSlug}.csrf`), '', 'the CSRF cookie survives the sign-in')
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ csrfToken }).toString()
  const response = await world.get('/api/auth/signin/google', { body, headers, jar: jar.copy() })
  assert.match(response.headers.location ?? '', /\/signin\?/)
  const fresh = (await world.get('/api/auth/csrf', { jar })).json()
  assert.notEqual(fresh.csrfToken, csrfToken)
})

check(
  'H-096',
  'a password change ends every other session on every node, and the current one gets a new token',
  async (world) => {
    const other = await world.node('second')
    const newPassword = 'an entirely different horse 3'
    registerSecret(newPassword)
    const assertEnded = async (tokens: string[]) => {
      for (const node of [other, world.app])
        for (const token of tokens) assert.equal(await world.getSession(token, node), null)
    }
    // With an email token: the reset itself does not sign the user in.
    const user = await world.newUser()
    const jars = [await world.signIn(user), await world.signIn(user, { node: other })]
    const saved = await world.resetPassword(user.email, newPassword)
    assert.ok(!saved.setCookies.some((line) => line.startsWith(`${appSlug}.session=`)))
    await assertEnded(jars.map(({ token }) => token))
    assert.equal((await world.trySignIn(user.email)).status, 401)
    assert.equal((await world.trySignIn(user.email, newPassword)).status, 200)

    // By the signed-in user.
    const { jar, token, ...owner } = await world.newSession()
    const others = [await world.signIn(owner), await world.signIn(owner, { node: other })]
    const changed = await submitAction(world, 'changePassword', { current: password, next: newPassword }, { jar })
    assert.equal(verdict(changed), 'ok')
    await assertEnded([token, ...others.map((one) => one.token)])
    assert.notEqual(jar.token, token)
    for (const node of [other, world.app]) assert.equal((await world.getSession(jar, node)).user.id, owner.id)
    assert.equal((await world.query('select id from sessions where user_id = $1', [owner.id])).length, 1)
    assert.equal((await world.trySignIn(owner.email)).status, 401)
    assert.equal((await world.trySignIn(owner.email, newPassword)).status, 200)
  },
  { full: 'needs other servers' },
)

check(
  'H-097',
  'a role change takes effect on the next request, on every node',
  async (world) => {
    const other = await world.node('second')
    const { token, id, email } = await world.newSession()
    for (const role of ['editor', 'admin', 'viewer']) {
      await world.query('update users set role = $2 where id = $1', [id, role])
      for (const node of [world.app, other]) assert.equal((await world.getSession(token, node)).user.role, role)
    }
    if (!hasModule('admin')) return
    // By an admin: sessions store no role, so they stay valid. The shorter limits for admins apply at once.
    const admin = await world.newSession({ role: 'admin' })
    const old = await world.signIn({ id, email })
    await backdateSession(world, old.token, `last_seen_at = now() - interval '13 hours'`)
    for (const role of ['editor', 'admin', 'viewer']) {
      const changed = await submitAction(world, 'updateUserRole', { userId: id, role }, { jar: admin.jar })
      assert.equal(verdict(changed), 'ok')
      for (const node of [world.app, other]) {
        assert.equal((await world.getSession(token, node)).user.role, role)
        if (role === 'admin') assert.equal(await world.getSession(old.token, node), null)
      }
    }
    const changes = await world.query(
      `select actor_id, details from audit_events where kind = 'role.changed' and target_id = $1 order by id`,
      [id],
    )
    assert.deepEqual(
      changes.map(({ actor_id, details }) => [actor_id, details.from, details.to]),
      [
        [admin.id, 'viewer', 'editor'],
        [admin.id, 'editor', 'admin'],
        [admin.id, 'admin', 'viewer'],
      ],
    )
  },
  { full: 'needs other servers' },
)

check(
  'H-098',
  'suspending or deleting a user ends all their sessions on every node, for good',
  async (world) => {
    const other = await world.node('second')
    type EndedUser = TestUser & { jar: Jar }
    const scenarios: Record<string, (user: EndedUser) => Promise<unknown>> = {
      suspended: ({ id }) => world.query('update users set suspended_at = now() where id = $1', [id]),
      deleted: ({ id }) => world.query('delete from users where id = $1', [id]),
      'deleted by themselves': async ({ email, jar }) => {
        const response = await submitAction(world, 'deleteAccount', { typedEmail: email }, { jar })
        assert.equal(verdict(response), 'to /signed-out')
        assert.equal(jar.token, '')
      },
    }
    for (const [what, end] of Object.entries(scenarios)) {
      const first = await world.newSession()
      const tokens = [
        first.token,
        (await world.signIn(first)).token,
        (await world.signIn(first, { node: other })).token,
      ]
      for (const token of tokens) assert.equal((await world.getSession(token, other)).user.id, first.id)
      await end(first)
      const start = performance.now()
      for (const token of tokens)
        for (const node of [world.app, other]) assert.equal(await world.getSession(token, node), null, what)
      assertFast(performance.now() - start < 1_000, `${what}: not ended everywhere within a second`)
      if (what !== 'suspended') {
        // A new user with the same email is a different user.
        const again = await world.newUser({ email: first.email })
        assert.notEqual(again.id, first.id)
        await world.signIn(again)
      }
      for (const token of tokens)
        for (const node of [world.app, other]) assert.equal(await world.getSession(token, node), null, what)
    }
  },
  { full: 'measures time or memory' },
)

check('H-099', 'a session expires after 7 days without use', async (world) => {
  const { token } = await world.newSession()
  await backdateSession(world, token, `last_seen_at = now() - interval '7 days' + interval '1 minute'`)
  assert.notEqual(await world.getSession(token), null)
  await backdateSession(world, token, `last_seen_at = now() - interval '7 days' - interval '1 second'`)
  assert.equal(await world.getSession(token), null)
  // A request with an expired session does not extend it.
  assert.equal(await world.getSession(token), null)
})

check('H-100', 'a session expires 30 days after sign-in, however much it is used', async (world) => {
  const { token } = await world.newSession()
  await backdateSession(
    world,
    token,
    `created_at = now() - interval '30 days' + interval '1 minute', last_seen_at = now() - interval '10 minutes'`,
  )
  const session = await world.getSession(token)
  assert.ok(Date.parse(session.expires) - Date.now() < 61_000, `expires ${session.expires}`)
  await backdateSession(
    world,
    token,
    `created_at = now() - interval '30 days' - interval '1 second', last_seen_at = now()`,
  )
  assert.equal(await world.getSession(token), null)
})

check(
  'H-101',
  'admin sessions expire after 12 hours idle or 24 in total; after losing the role the usual limits apply',
  async (world) => {
    const { token, id } = await world.newSession({ role: 'admin' })
    await backdateSession(world, token, `last_seen_at = now() - interval '12 hours' + interval '1 minute'`)
    assert.notEqual(await world.getSession(token), null)
    await backdateSession(world, token, `last_seen_at = now() - interval '12 hours' - interval '1 second'`)
    assert.equal(await world.getSession(token), null)
    await backdateSession(
      world,
      token,
      `created_at = now() - interval '24 hours' + interval '1 minute', last_seen_at = now()`,
    )
    assert.notEqual(await world.getSession(token), null)
    await backdateSession(
      world,
      token,
      `created_at = now() - interval '24 hours' - interval '1 second', last_seen_at = now()`,
    )
    assert.equal(await world.getSession(token), null)
    await world.query(`update users set role = 'editor' where id = $1`, [id])
    assert.equal((await world.getSession(token)).user.role, 'editor')
    await world.query(`update users set role = 'admin' where id = $1`, [id])
    assert.equal(await world.getSession(token), null)
  },
)

check(
  'H-102',
  'a node whose clock is an hour off expires sessions like all other nodes',
  async (world) => {
    const preload = pathToFileURL(join(import.meta.dirname, 'support', 'shifted-clock.mjs')).href
    const clock = (shift: number) => ({ NODE_OPTIONS: `--import ${preload}`, CLOCK_SHIFT: String(shift) })
    const hour = 60 * 60 * 1000
    const nodes = [
      world.app,
      await world.node('an hour ahead', clock(hour)),
      await world.node('an hour behind', clock(-hour)),
    ]
    // The log timestamps prove that the clocks are really off.
    for (const [index, node] of nodes.entries()) {
      await world.trySignIn((await world.newUser()).email, password, { node })
      const compared = (await completeOutput(node)).split('\n').findLast((line) => line.includes('password compared'))
      const [, time = ''] = /"time":"([^"]+)"/.exec(compared ?? '') ?? []
      assert.equal(Math.round((Date.parse(time) - Date.now()) / hour) || 0, [0, 1, -1][index])
    }
    for (const signInNode of nodes) {
      const user = await world.newUser()
      const { token } = await world.signIn(user, { node: signInNode })
      const sessionOnEachNode = () => Promise.all(nodes.map((node) => world.getSession(token, node)))
      const fresh = await sessionOnEachNode()
      assert.equal(new Set(fresh.map((session) => JSON.stringify(session))).size, 1)
      assert.ok(Math.abs(Date.parse(fresh[0].expires) - Date.now() - 7 * days * 1000) < 60_000)
      await backdateSession(world, token, `last_seen_at = now() - interval '7 days' + interval '1 minute'`)
      for (const session of await sessionOnEachNode()) assert.notEqual(session, null)
      await backdateSession(world, token, `last_seen_at = now() - interval '7 days' - interval '1 second'`)
      for (const session of await sessionOnEachNode()) assert.equal(session, null)
      await backdateSession(
        world,
        token,
        `last_seen_at = now(), created_at = now() - interval '30 days' - interval '1 second'`,
      )
      for (const session of await sessionOnEachNode()) assert.equal(session, null)
    }
  },
  { full: 'measures time or memory' },
)

check(
  'H-103',
  'a hundred requests, even concurrent ones, update last_seen_at of the session only once',
  async (world) => {
    await world.query(`
    create table test_writes (id uuid);
    create function test_note() returns trigger language plpgsql as
      'begin insert into test_writes values (new.id); return new; end';
    create trigger test_note after update on sessions for each row execute function test_note()`)
    try {
      const { token } = await world.newSession()
      const [{ id }] = await backdateSession(world, token, `last_seen_at = now() - interval '10 minutes'`)
      await world.query('truncate test_writes')
      for (let round = 0; round < 5; round++)
        await Promise.all(Array.from({ length: 20 }, () => world.getSession(token)))
      const writes = await world.query('select id from test_writes where id = $1', [id])
      assert.equal(writes.length, 1)
      const [{ recent }] = await world.query(
        `select last_seen_at > now() - interval '1 minute' as recent from sessions where id = $1`,
        [id],
      )
      assert.equal(recent, true)
    } finally {
      await world.query('drop trigger test_note on sessions; drop function test_note; drop table test_writes')
    }
  },
  { full: 'takes long' },
)

check('H-104', 'the 21st session of a user ends their least recently used one', async (world) => {
  const user = await world.newUser()
  const ip = randomIp()
  const tokens: string[] = []
  for (let count = 0; count < 21; count++) tokens.push((await world.signIn(user, { ip })).token)
  const [{ count }] = await world.query('select count(*)::int from sessions where user_id = $1', [user.id])
  assert.equal(count, 20)
  assert.equal(await world.getSession(tokens[0] ?? ''), null)
  for (const token of tokens.slice(1)) assert.notEqual(await world.getSession(token), null)
})

check(
  'H-105',
  'the session token is in no URL, page or storage, and not readable by scripts',
  async (world) => {
    const user = await world.newUser()
    const browser = await world.browser()
    const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': randomIp() } })
    try {
      const page = await context.newPage()
      const urls: string[] = []
      page.on('request', (request) => urls.push(request.url()))
      page.on('framenavigated', (frame) => urls.push(frame.url()))
      await page.goto(`${world.app.url}/signin`)
      await page.getByLabel('Email').fill(user.email)
      await page.getByLabel('Password').fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.waitForURL('**/dashboard')
      const token = (await context.cookies()).find(({ name }) => name === `${appSlug}.session`)?.value ?? ''
      assert.match(token, /^[\w-]{43}$/)
      const seen: string[] = []
      for (const path of everyPath().filter((route) => !route.startsWith('/api'))) {
        await page.goto(world.app.url + path)
        seen.push(
          await page.content(),
          await page.evaluate(() =>
            JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state]),
          ),
        )
        for (const link of await page
          .locator('a[href]')
          .evaluateAll((links) => links.map((one) => (one as HTMLAnchorElement).href)))
          urls.push(link)
      }
      assert.ok(urls.length > 20)
      for (const text of [...seen, ...urls]) assert.ok(!text.includes(token), text.slice(0, 200))
      registerSecret(token)
      // The app accepts no session token from the query string either.
      const other = await world.newSession()
      for (const query of [
        `${appSlug}.session=${other.token}`,
        `token=${other.token}`,
        `session=${other.token}`,
        `sessionToken=${other.token}`,
      ])
        assert.equal((await world.get(`/api/auth/session?${query}`)).text, 'null')
    } finally {
      await context.close()
    }
  },
  { full: 'needs a browser' },
)

check('H-106', 'without a session the session endpoint returns null, no-store and no cookie', async (world) => {
  const response = await world.get('/api/auth/session')
  assert.deepEqual(
    [response.status, response.text, response.headers['cache-control']],
    [200, 'null', 'private, no-store'],
  )
  assert.deepEqual(response.setCookies, [])
})

check('H-107', 'the session response has exactly user { id, email, name, role } and expires', async (world) => {
  const { jar, id } = await world.newSession({ role: 'editor' })
  await world.query(`update users set image = 'https://example.com/x.png' where id = $1`, [id])
  const session = await world.getSession(jar)
  assert.deepEqual(Object.keys(session).sort(), ['expires', 'user'])
  assert.deepEqual(Object.keys(session.user).sort(), ['email', 'id', 'name', 'role'])
})

check(
  'H-108',
  'while the database is down, the session endpoint returns 503 and keeps the cookie',
  async (world) => {
    const { jar } = await world.newSession()
    const DATABASE_URL = `postgres://nobody:a-secret-word-of-the-database@127.0.0.1:${await findFreePort()}/none`
    registerSecret('a-secret-word-of-the-database')
    const node = await world.node('without its database', { DATABASE_URL })
    for (const how of [{ jar: jar.copy() }, { headers: { Authorization: `Bearer ${jar.token}` } }]) {
      const response = await call(node.url, '/api/auth/session', how)
      assert.deepEqual([response.status, response.json().code, response.setCookies], [503, 'unavailable', []])
    }
    const signIn = await call(node.url, '/api/auth/signin', {
      body: { email: 'a@b.example', password },
      jar: jar.copy(),
    })
    assert.deepEqual([signIn.status, signIn.setCookies], [503, []])
    // A request without a cookie needs no database to get null.
    assert.equal((await call(node.url, '/api/auth/session')).text, 'null')
    assert.notEqual(await world.getSession(jar), null)
  },
  { full: 'needs other servers' },
)

check(
  'H-109',
  'a user sees their sessions, and can end one of them or all others',
  async (world) => {
    const other = await world.node('second')
    const user = await world.newUser()
    const browsers = [
      { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' },
      { 'User-Agent': 'Mozilla/5.0 (iPhone) Safari/604.1' },
      { 'User-Agent': '<img src=x onerror=alert(1)>' },
      { 'User-Agent': 'curl/8.9' },
    ]
    const ips = ['198.51.100.31', '2001:db8::31', '198.51.100.33', '198.51.100.34']
    const jars = await Promise.all(
      browsers.map((headers, index) => world.signIn(user, { headers, ip: ips[index] ?? '' })),
    )
    const [jar = assert.fail(), second = assert.fail()] = jars
    // Another user's session must not be listed.
    const otherUser = await world.newSession()
    const page = await world.get('/account/sessions', { jar: jar.copy() })
    assert.equal(page.status, 200)
    for (const text of ['Firefox on Windows', 'Safari on iPhone', 'Unknown device', 'curl', ...ips])
      assert.ok(page.text.includes(text), text)
    assert.doesNotMatch(page.text, /<img src=x/)
    assert.equal(page.text.match(/<time/g)?.length, 4)

    const rows = await world.query('select id, token_hash from sessions where user_id = $1', [user.id])
    const idOf = (token: string) =>
      rows.find((row) => row.token_hash.equals(createHash('sha256').update(token).digest())).id
    assert.ok(!page.text.includes(otherUser.id))
    const ended = await submitAction(world, 'endSession', { id: idOf(second.token) }, { jar })
    assert.equal(verdict(ended), 'to /account/sessions')
    const alive = async (node = world.app) =>
      Promise.all(jars.map(async (one) => (await world.getSession(one.token, node)) !== null))
    for (const node of [world.app, other]) assert.deepEqual(await alive(node), [true, false, true, true])
    assert.equal(verdict(await submitAction(world, 'endSession', { id: idOf(second.token) }, { jar })), 'not_found')
    assert.equal(verdict(await submitAction(world, 'endOtherSessions', {}, { jar })), 'to /account/sessions')
    for (const node of [world.app, other]) assert.deepEqual(await alive(node), [true, false, false, false])
    assert.equal((await world.getSession(otherUser.jar)).user.id, otherUser.id)
    const events = await world.query(
      `select details from audit_events where kind = 'session.revoked' and actor_id = $1 order by id`,
      [user.id],
    )
    assert.deepEqual(events, [{ details: { count: 1 } }, { details: { count: 2 } }])
  },
  { full: 'needs other servers' },
)

checkModule(
  'admin',
  'H-110',
  'an admin can end one or all sessions of a user, on every node',
  async (world) => {
    const other = await world.node('second')
    const admin = await world.newSession({ role: 'admin' })
    const [user, otherUser] = [await world.newSession(), await world.newSession()]
    const jars = [user.jar, await world.signIn(user), await world.signIn(user)]
    const alive = async () => {
      const counts: number[] = []
      for (const node of [world.app, other])
        counts.push((await Promise.all(jars.map((jar) => world.getSession(jar.token, node)))).filter(Boolean).length)
      return counts
    }
    const end = async (input: object, jar = admin.jar) =>
      verdict(await submitAction(world, 'endUserSessions', input, { jar }))
    assert.deepEqual(await alive(), [3, 3])
    assert.equal(await end({ userId: user.id }, otherUser.jar), 'forbidden')
    // The session must belong to the given user.
    const [{ id: otherSessionId }] = await world.query('select id from sessions where user_id = $1', [otherUser.id])
    assert.equal(await end({ userId: user.id, sessionId: otherSessionId }), 'not_found')
    for (const sessionId of ['', 'x', null, [otherSessionId], '*'])
      assert.equal(await end({ userId: user.id, sessionId }), 'invalid_input', JSON.stringify(sessionId))
    assert.deepEqual(await alive(), [3, 3])

    const hash = createHash('sha256').update(user.token).digest()
    const [{ id: ownSessionId }] = await world.query('select id from sessions where token_hash = $1', [hash])
    assert.equal(await end({ userId: user.id, sessionId: ownSessionId }), 'ok')
    assert.equal(await world.getSession(user.token), null)
    assert.deepEqual(await alive(), [2, 2])
    assert.equal(await end({ userId: user.id }), 'ok')
    assert.deepEqual(await alive(), [0, 0])
    assert.equal(await end({ userId: user.id }), 'not_found')
    assert.equal((await world.getSession(otherUser.jar)).user.id, otherUser.id)
    assert.equal((await world.getSession(admin.jar)).user.id, admin.id)
    assert.equal((await world.trySignIn(user.email)).status, 200)
    const events = await world.query(
      `select details from audit_events where kind = 'session.revoked' and actor_id = $1 and target_id = $2 order by id`,
      [admin.id, user.id],
    )
    assert.deepEqual(events, [{ details: { count: 1 } }, { details: { count: 2 } }])
  },
  { full: 'needs other servers' },
)
