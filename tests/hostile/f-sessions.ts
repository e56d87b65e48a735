// F. The session cookie, from sign-in to its end.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'
import { importSource } from '../../scripts/source.ts'
import { captured, everyAction, verdict } from './actions.ts'
import { assertSoon, check, checkModule, hasModule } from './checks.ts'
import { type Call, call, callRaw, Jar, someAddress } from './client.ts'
import { keepSecret } from './oracles.ts'
import { byteBias } from './statistics.ts'
import { dump, everyAddress, image, type Person, password, someToken, submit, type World } from './world.ts'

const days = 24 * 60 * 60

/** Attributes of one cookie of an answer, small letters, without the value. */
function attributesOf(setCookies: string[], name: string): string[] {
  const line = setCookies.find((text) => text.startsWith(`${name}=`)) ?? assert.fail(`no ${name} in ${setCookies}`)
  return line
    .split(';')
    .slice(1)
    .map((part) => part.trim().toLowerCase())
    .filter((part) => !part.startsWith('expires='))
    .sort()
}

/** Changes when a session was begun and last used. */
const age = (world: World, token: string, changes: string) =>
  world.query(`update sessions set ${changes} where token_hash = $1 returning id`, [
    createHash('sha256').update(token).digest(),
  ])

check(
  'H-085',
  'the session cookie is __Host-, HttpOnly, Secure, Lax, for this host only, and for 30 days at most',
  async (world) => {
    const { email } = await world.newPerson()
    const secure = await world.try(email, password, { node: await world.secureNode() })
    assert.equal(secure.status, 200)
    const expected = ['httponly', 'max-age=2592000', 'path=/', 'samesite=lax']
    assert.deepEqual(attributesOf(secure.setCookies, '__Host-plinth.session'), [...expected, 'secure'].sort())
    assert.ok(2592000 <= 30 * days)
    assert.deepEqual(attributesOf((await world.try(email)).setCookies, 'plinth.session'), expected)
    // The name that http uses opens nothing over https: a subdomain could plant it.
    const token = /__Host-plinth.session=([^;]+)/.exec(secure.setCookies.join())?.[1] ?? ''
    const node = await world.secureNode()
    assert.equal((await world.session(new Jar({ '__Host-plinth.session': token }), node)).user.email, email)
    assert.equal(await world.session(new Jar({ 'plinth.session': token }), node), null)
  },
)

check(
  'H-086',
  '10 000 tokens are 32 random bytes each: all different, every byte value equally frequent',
  async (world) => {
    process.env.DATABASE_URL = world.env.DATABASE_URL
    process.env.AUTH_SECRET = world.env.AUTH_SECRET
    const [{ createSessionFor }, { closeDatabase }] = await importSource(
      'src/core/auth/sessions.ts',
      'src/core/db/seed.ts',
    )
    const people = await world.newPeople(8)
    const tokens: string[] = []
    await Promise.all(
      people.map(async ({ id }) => {
        for (let count = 0; count < 10_000 / people.length; count++)
          tokens.push(await createSessionFor(id, 'google', { userAgent: 'a test', ip: '198.51.100.1' }))
      }),
    )
    await closeDatabase()
    // And some that came the whole way, in a cookie.
    for (const person of await world.newPeople(20)) tokens.push((await world.signIn(person)).token)
    for (const token of tokens) assert.match(token, /^[\w-]{43}$/)
    assert.equal(new Set(tokens).size, tokens.length)
    const bytes = tokens.map((token) => Buffer.from(token, 'base64url'))
    for (const one of bytes) assert.equal(one.length, 32)
    const bias = byteBias(Buffer.concat(bytes))
    // Five standard deviations: one honest run in a million is further away.
    assert.ok(Math.abs(bias) < 5, `${bias} standard deviations`)
    const columns = Array.from({ length: 32 }, (_, column) =>
      byteBias(Buffer.from(bytes.map((one) => one[column] ?? 0))),
    )
    assert.ok(Math.max(...columns.map(Math.abs)) < 6, String(columns))
    return `${tokens.length} tokens, chi-squared ${bias.toFixed(2)} standard deviations from even`
  },
)

check('H-087', 'the database holds the token’s SHA-256 and nothing that opens a session', async (world) => {
  const { token, id, jar } = await world.newSession()
  const [row] = await world.query('select token_hash from sessions where user_id = $1', [id])
  assert.equal(row.token_hash.length, 32)
  assert.deepEqual(row.token_hash, createHash('sha256').update(token).digest())
  const everything = await dump(world)
  assert.ok(everything.includes(row.token_hash.toString('hex')))
  const bytes = Buffer.from(token, 'base64url')
  for (const form of [
    token,
    bytes.toString('hex'),
    bytes.toString('base64'),
    Buffer.from(token).toString('hex'),
    jar.get('plinth.device'),
  ])
    assert.ok(!everything.includes(form), form)
})

check('H-088', 'what the database holds is no token', async (world) => {
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
    assert.equal(await world.session(new Jar({ 'plinth.session': value })), null, value)
    assert.equal(await world.session(value), null, value)
  }
  assert.equal((await world.session(token)).user.id, id)
})

check('H-089', 'a token with any single character changed is none', async (world) => {
  const { token, id } = await world.newSession()
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  const changed: string[] = []
  for (let place = 0; place < token.length; place++) {
    // The neighbour too: in the last place it differs only in bits that base64 does not use.
    const index = alphabet.indexOf(token[place] ?? '')
    for (const other of [index ^ 1, index ^ 32])
      changed.push(token.slice(0, place) + alphabet[other] + token.slice(place + 1))
  }
  assert.equal(new Set(changed).size, 86)
  for (const value of changed) assert.equal(await world.session(value), null, value)
  for (const value of [token.toLowerCase(), `${token}=`, token.slice(0, -1), `${token}A`, `"${token}"`])
    assert.equal(await world.session(new Jar({ 'plinth.session': value })), null, value)
  assert.equal((await world.session(token)).user.id, id)
})

check('H-090', 'nonsense in the cookie is no session, and no fault', async (world) => {
  const { token } = await world.newSession()
  const nonsense = [
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
  for (const value of nonsense) {
    const answer = await world.get('/api/auth/session', {
      headers: { Cookie: Buffer.from(`plinth.session=${value}`).toString('latin1') },
    })
    assert.deepEqual([answer.status, answer.text], [200, 'null'], value)
    const page = await world.get('/dashboard', {
      headers: { Cookie: Buffer.from(`plinth.session=${value}`).toString('latin1') },
    })
    assert.deepEqual([page.status, page.headers.location], [307, '/signin'], value)
  }
  for (const cookie of [
    `plinth.session[]=${token}`,
    `plinth.session[0]=${token}`,
    `plinth.session.0=${token}`,
    `PLINTH.SESSION=${token}`,
    `x=plinth.session=${token}`,
    `__Host-plinth.session=${token}`,
    `plinth.session=${token}; plinth.session=${token}`,
  ]) {
    const answer = await world.get('/api/auth/session', { headers: { Cookie: cookie } })
    assert.deepEqual([answer.status, answer.text], [200, 'null'], cookie)
  }
  const nul = await callRaw(
    world.app.url,
    `GET /api/auth/session HTTP/1.1\r\nHost: localhost\r\nCookie: plinth.session=a\0b\r\nConnection: close\r\n\r\n`,
  )
  assert.equal(nul.status, 400)
})

check('H-091', 'signing out ends the row, clears the cookie, and may be done twice', async (world) => {
  const { jar, token, id } = await world.newSession()
  const kept = jar.copy()
  const answer = await world.get('/api/auth/signout', { body: { redirect: false }, jar })
  assert.deepEqual([answer.status, answer.json()], [200, { url: '/' }])
  assert.equal(jar.token, '')
  assert.ok(attributesOf(answer.setCookies, 'plinth.session').includes('max-age=0'))
  assert.deepEqual(await world.query('select id from sessions where user_id = $1', [id]), [])
  assert.equal(await world.session(kept), null)
  assert.equal(await world.session(token), null)
  const again = await world.get('/api/auth/signout', { body: { redirect: false }, jar: kept })
  assert.deepEqual(
    [again.status, again.text, again.headers['clear-site-data']],
    [answer.status, answer.text, '"cache"'],
  )
})

check('H-092', 'signing out on one node holds on the next at once, 100 times of 100', async (world) => {
  const other = await world.node('second')
  const people = await world.newPeople(10)
  let slowest = 0
  for (let round = 0; round < 100; round++) {
    const person = people[round % people.length] ?? assert.fail()
    // Put there directly: what is asked here is how a session ends.
    const token = someToken()
    await world.query('insert into sessions (user_id, token_hash) values ($1, $2)', [
      person.id,
      createHash('sha256').update(token).digest(),
    ])
    assert.equal((await world.session(token, other)).user.id, person.id)
    await world.get('/api/auth/signout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
    const start = performance.now()
    assert.equal(await world.session(token, other), null)
    slowest = Math.max(slowest, performance.now() - start)
  }
  return `asked within ${slowest.toFixed(0)} ms at most`
})

check(
  'H-093',
  'after signing out, the old cookie and the old token are worth what a stranger’s are, at every address and action',
  async (world) => {
    const { jar, token, email } = await world.newSession()
    const kept = jar.copy()
    const seen = async (path: string, how: Call) => {
      const headers = { ...how.headers, 'X-Request-Id': 'the-same-for-all' }
      const answer = await world.get(path, { ...how, headers })
      const isPage = answer.headers['content-type']?.startsWith('text/html')
      // Pages differ in their nonce, and in the order in which their parts are sent.
      const content = isPage ? answer.text.includes(email) : answer.text
      return { status: answer.status, location: answer.headers.location, content }
    }
    assert.deepEqual(await seen('/dashboard', { jar: kept.copy() }), {
      status: 200,
      location: undefined,
      content: true,
    })
    await world.get('/api/auth/signout', { method: 'POST', jar })
    const before = await image(world)
    const addresses = everyAddress()
    assert.ok(addresses.includes('/dashboard') && addresses.includes('/api/auth/session'), String(addresses))
    for (const path of addresses) {
      const stranger = await seen(path, {})
      assert.deepEqual(await seen(path, { jar: kept.copy() }), stranger, path)
      assert.deepEqual(await seen(path, { headers: { Authorization: `Bearer ${token}` } }), stranger, path)
    }
    for (const { name, isPublic } of everyAction()) {
      const input = captured(name, { email, password })
      const stranger = verdict(await submit(world, name, input))
      if (!isPublic) assert.equal(stranger, 'unauthenticated', name)
      for (const how of [{ jar: kept.copy() }, { headers: { Authorization: `Bearer ${token}` } }])
        assert.equal(verdict(await submit(world, name, input, how)), stranger, name)
    }
    assert.equal(await image(world), before)
    return `${addresses.length} addresses, ${everyAction().length} actions`
  },
)

check('H-094', 'a token that was planted before sign-in is neither taken over nor ever valid', async (world) => {
  const planted = someToken()
  const person = await world.newPerson()
  const jar = new Jar({ 'plinth.session': planted })
  await world.signIn(person, { jar })
  assert.notEqual(jar.token, planted)
  assert.equal(await world.session(planted), null)
  // A live one of the attacker's does not become the victim's either.
  const attacker = await world.newSession()
  const victim = await world.signIn(person, { jar: attacker.jar.copy() })
  assert.notEqual(victim.token, attacker.token)
  assert.equal(await world.session(attacker.token), null)
  assert.equal((await world.session(victim)).user.id, person.id)
})

check('H-095', 'the token for forms that a stranger had is worth nothing after sign-in', async (world) => {
  const jar = new Jar()
  const { csrfToken } = (await world.get('/api/auth/csrf', { jar })).json()
  assert.notEqual(jar.get('plinth.csrf'), '')
  await world.signIn(await world.newPerson(), { jar })
  assert.equal(jar.get('plinth.csrf'), '', 'the cookie outlives the sign-in')
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ csrfToken }).toString()
  const answer = await world.get('/api/auth/signin/google', { body, headers, jar: jar.copy() })
  assert.match(answer.headers.location ?? '', /\/signin\?/)
  const fresh = (await world.get('/api/auth/csrf', { jar })).json()
  assert.notEqual(fresh.csrfToken, csrfToken)
})

check(
  'H-096',
  'a new password ends every session on every node but the one that chose it, which goes on with another token',
  async (world) => {
    const other = await world.node('second')
    const chosen = 'an entirely different horse 3'
    keepSecret(chosen)
    const isOver = async (tokens: string[]) => {
      for (const node of [other, world.app])
        for (const token of tokens) assert.equal(await world.session(token, node), null)
    }
    // By a link: nobody is signed in by it.
    const person = await world.newPerson()
    const jars = [await world.signIn(person), await world.signIn(person, { node: other })]
    const saved = await world.choosePassword(person.email, chosen)
    assert.ok(!saved.setCookies.some((line) => line.startsWith('plinth.session=')))
    await isOver(jars.map(({ token }) => token))
    assert.equal((await world.try(person.email)).status, 401)
    assert.equal((await world.try(person.email, chosen)).status, 200)

    // By whoever is signed in.
    const { jar, token, ...owner } = await world.newSession()
    const others = [await world.signIn(owner), await world.signIn(owner, { node: other })]
    const changed = await submit(world, 'changePassword', { current: password, next: chosen }, { jar })
    assert.equal(verdict(changed), 'ok')
    await isOver([token, ...others.map((one) => one.token)])
    assert.notEqual(jar.token, token)
    for (const node of [other, world.app]) assert.equal((await world.session(jar, node)).user.id, owner.id)
    assert.equal((await world.query('select id from sessions where user_id = $1', [owner.id])).length, 1)
    assert.equal((await world.try(owner.email)).status, 401)
    assert.equal((await world.try(owner.email, chosen)).status, 200)
  },
)

check('H-097', 'a new role holds at the next request, on every node', async (world) => {
  const other = await world.node('second')
  const { token, id, email } = await world.newSession()
  for (const role of ['editor', 'admin', 'viewer']) {
    await world.query('update users set role = $2 where id = $1', [id, role])
    for (const node of [world.app, other]) assert.equal((await world.session(token, node)).user.role, role)
  }
  if (!hasModule('admin')) return
  // By an admin: sessions stay as they are, for none of them says a role. As an admin's they are kept shorter at once.
  const admin = await world.newSession({ role: 'admin' })
  const old = await world.signIn({ id, email })
  await age(world, old.token, `last_seen_at = now() - interval '13 hours'`)
  for (const role of ['editor', 'admin', 'viewer']) {
    const changed = await submit(world, 'updateUserRole', { userId: id, role }, { jar: admin.jar })
    assert.equal(verdict(changed), 'ok')
    for (const node of [world.app, other]) {
      assert.equal((await world.session(token, node)).user.role, role)
      if (role === 'admin') assert.equal(await world.session(old.token, node), null)
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
})

check('H-098', 'suspending or deleting somebody ends every session on every node, for good', async (world) => {
  const other = await world.node('second')
  type Ended = Person & { jar: Jar }
  const ways: Record<string, (person: Ended) => Promise<unknown>> = {
    suspended: ({ id }) => world.query('update users set suspended_at = now() where id = $1', [id]),
    deleted: ({ id }) => world.query('delete from users where id = $1', [id]),
    'deleted by themselves': async ({ email, jar }) => {
      const answer = await submit(world, 'deleteAccount', { confirmation: email }, { jar })
      assert.equal(verdict(answer), 'to /signed-out')
      assert.equal(jar.token, '')
    },
  }
  for (const [what, end] of Object.entries(ways)) {
    const first = await world.newSession()
    const tokens = [first.token, (await world.signIn(first)).token, (await world.signIn(first, { node: other })).token]
    for (const token of tokens) assert.equal((await world.session(token, other)).user.id, first.id)
    await end(first)
    const start = performance.now()
    for (const token of tokens)
      for (const node of [world.app, other]) assert.equal(await world.session(token, node), null, what)
    assertSoon(performance.now() - start < 1_000, `${what}: not ended everywhere within a second`)
    if (what !== 'suspended') {
      // Somebody who comes later and has that address is somebody else.
      const again = await world.newPerson({ email: first.email })
      assert.notEqual(again.id, first.id)
      await world.signIn(again)
    }
    for (const token of tokens)
      for (const node of [world.app, other]) assert.equal(await world.session(token, node), null, what)
  }
})

check('H-099', 'a session that was idle for too long is over', async (world) => {
  const { token } = await world.newSession()
  await age(world, token, `last_seen_at = now() - interval '7 days' + interval '1 minute'`)
  assert.notEqual(await world.session(token), null)
  await age(world, token, `last_seen_at = now() - interval '7 days' - interval '1 second'`)
  assert.equal(await world.session(token), null)
  // Nor does asking revive it.
  assert.equal(await world.session(token), null)
})

check('H-100', 'no session outlives 30 days, however much it is used', async (world) => {
  const { token } = await world.newSession()
  await age(
    world,
    token,
    `created_at = now() - interval '30 days' + interval '1 minute', last_seen_at = now() - interval '10 minutes'`,
  )
  const session = await world.session(token)
  assert.ok(Date.parse(session.expires) - Date.now() < 61_000, `expires ${session.expires}`)
  await age(world, token, `created_at = now() - interval '30 days' - interval '1 second', last_seen_at = now()`)
  assert.equal(await world.session(token), null)
})

check(
  'H-101',
  'admins are kept shorter: 12 hours idle, 24 in all; who is no admin any more has the usual limits',
  async (world) => {
    const { token, id } = await world.newSession({ role: 'admin' })
    await age(world, token, `last_seen_at = now() - interval '12 hours' + interval '1 minute'`)
    assert.notEqual(await world.session(token), null)
    await age(world, token, `last_seen_at = now() - interval '12 hours' - interval '1 second'`)
    assert.equal(await world.session(token), null)
    await age(world, token, `created_at = now() - interval '24 hours' + interval '1 minute', last_seen_at = now()`)
    assert.notEqual(await world.session(token), null)
    await age(world, token, `created_at = now() - interval '24 hours' - interval '1 second', last_seen_at = now()`)
    assert.equal(await world.session(token), null)
    await world.query(`update users set role = 'editor' where id = $1`, [id])
    assert.equal((await world.session(token)).user.role, 'editor')
    await world.query(`update users set role = 'admin' where id = $1`, [id])
    assert.equal(await world.session(token), null)
  },
)

check('H-102', 'a node whose clock is an hour wrong decides like all others', async (world) => {
  const preload = pathToFileURL(join(root, 'tests', 'hostile', 'shifted-clock.mjs')).href
  const clock = (shift: number) => ({ NODE_OPTIONS: `--import ${preload}`, CLOCK_SHIFT: String(shift) })
  const hour = 60 * 60 * 1000
  const nodes = [
    world.app,
    await world.node('an hour ahead', clock(hour)),
    await world.node('an hour behind', clock(-hour)),
  ]
  // The clocks really are wrong: each node writes the time beside what it does.
  for (const [index, node] of nodes.entries()) {
    await world.try((await world.newPerson()).email, password, { node })
    await new Promise((resolve) => setTimeout(resolve, 100))
    const [time = ''] =
      /"time":"([^"]+)"[^\n]+password compared/
        .exec(
          node
            .output()
            .split('\n')
            .findLast((line) => line.includes('password compared')) ?? '',
        )
        ?.slice(1) ?? []
    assert.equal(Math.round((Date.parse(time) - Date.now()) / hour) || 0, [0, 1, -1][index])
  }
  for (const born of nodes) {
    const person = await world.newPerson()
    const { token } = await world.signIn(person, { node: born })
    const decide = () => Promise.all(nodes.map((node) => world.session(token, node)))
    const fresh = await decide()
    assert.equal(new Set(fresh.map((session) => JSON.stringify(session))).size, 1)
    assert.ok(Math.abs(Date.parse(fresh[0].expires) - Date.now() - 7 * days * 1000) < 60_000)
    await age(world, token, `last_seen_at = now() - interval '7 days' + interval '1 minute'`)
    for (const session of await decide()) assert.notEqual(session, null)
    await age(world, token, `last_seen_at = now() - interval '7 days' - interval '1 second'`)
    for (const session of await decide()) assert.equal(session, null)
    await age(world, token, `last_seen_at = now(), created_at = now() - interval '30 days' - interval '1 second'`)
    for (const session of await decide()) assert.equal(session, null)
  }
})

check(
  'H-103',
  'a hundred requests write once when the session was last seen, even when they come together',
  async (world) => {
    await world.query(`
    create table hostile_writes (id uuid);
    create function hostile_note() returns trigger language plpgsql as
      'begin insert into hostile_writes values (new.id); return new; end';
    create trigger hostile_note after update on sessions for each row execute function hostile_note()`)
    try {
      const { token } = await world.newSession()
      const [{ id }] = await age(world, token, `last_seen_at = now() - interval '10 minutes'`)
      await world.query('truncate hostile_writes')
      for (let round = 0; round < 5; round++) await Promise.all(Array.from({ length: 20 }, () => world.session(token)))
      const writes = await world.query('select id from hostile_writes where id = $1', [id])
      assert.equal(writes.length, 1)
      const [{ recent }] = await world.query(
        `select last_seen_at > now() - interval '1 minute' as recent from sessions where id = $1`,
        [id],
      )
      assert.equal(recent, true)
    } finally {
      await world.query('drop trigger hostile_note on sessions; drop function hostile_note; drop table hostile_writes')
    }
  },
)

check('H-104', 'the twenty-first session ends the one that was quiet the longest', async (world) => {
  const person = await world.newPerson()
  const address = someAddress()
  const tokens: string[] = []
  for (let count = 0; count < 21; count++) tokens.push((await world.signIn(person, { address })).token)
  const [{ count }] = await world.query('select count(*)::int from sessions where user_id = $1', [person.id])
  assert.equal(count, 20)
  assert.equal(await world.session(tokens[0] ?? ''), null)
  for (const token of tokens.slice(1)) assert.notEqual(await world.session(token), null)
})

check('H-105', 'the token is in no address, no page, no storage and out of reach of scripts', async (world) => {
  const person = await world.newPerson()
  const browser = await world.browser()
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': someAddress() } })
  try {
    const page = await context.newPage()
    const addresses: string[] = []
    page.on('request', (request) => addresses.push(request.url()))
    page.on('framenavigated', (frame) => addresses.push(frame.url()))
    await page.goto(`${world.app.url}/signin`)
    await page.getByLabel('E-mail').fill(person.email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/dashboard')
    const token = (await context.cookies()).find(({ name }) => name === 'plinth.session')?.value ?? ''
    assert.match(token, /^[\w-]{43}$/)
    const seen: string[] = []
    for (const path of everyAddress().filter((route) => !route.startsWith('/api'))) {
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
        addresses.push(link)
    }
    assert.ok(addresses.length > 20)
    for (const text of [...seen, ...addresses]) assert.ok(!text.includes(token), text.slice(0, 200))
    keepSecret(token)
    // Nor does the app take one from an address.
    const other = await world.newSession()
    for (const query of [
      `plinth.session=${other.token}`,
      `token=${other.token}`,
      `session=${other.token}`,
      `sessionToken=${other.token}`,
    ])
      assert.equal((await world.get(`/api/auth/session?${query}`)).text, 'null')
  } finally {
    await context.close()
  }
})

check('H-106', 'a stranger’s session is null, is stored nowhere, and sets no cookie', async (world) => {
  const answer = await world.get('/api/auth/session')
  assert.deepEqual([answer.status, answer.text, answer.headers['cache-control']], [200, 'null', 'private, no-store'])
  assert.deepEqual(answer.setCookies, [])
})

check('H-107', 'a session shows exactly user { id, email, name, role } and expires', async (world) => {
  const { jar, id } = await world.newSession({ role: 'editor' })
  await world.query(`update users set image = 'https://example.com/x.png' where id = $1`, [id])
  const session = await world.session(jar)
  assert.deepEqual(Object.keys(session).sort(), ['expires', 'user'])
  assert.deepEqual(Object.keys(session.user).sort(), ['email', 'id', 'name', 'role'])
})

check('H-108', 'while the database is away the session is 503, and the cookie stays', async (world) => {
  const { jar } = await world.newSession()
  const DATABASE_URL = `postgres://nobody:a-secret-word-of-the-database@127.0.0.1:${await freePort()}/none`
  keepSecret('a-secret-word-of-the-database')
  const node = await world.node('without its database', { DATABASE_URL })
  for (const how of [{ jar: jar.copy() }, { headers: { Authorization: `Bearer ${jar.token}` } }]) {
    const answer = await call(node.url, '/api/auth/session', how)
    assert.deepEqual([answer.status, answer.json().code, answer.setCookies], [503, 'unavailable', []])
  }
  const signIn = await call(node.url, '/api/auth/signin', { body: { email: 'a@b.example', password }, jar: jar.copy() })
  assert.deepEqual([signIn.status, signIn.setCookies], [503, []])
  // Somebody without a cookie needs no database to be nobody.
  assert.equal((await call(node.url, '/api/auth/session')).text, 'null')
  assert.notEqual(await world.session(jar), null)
})

check('H-109', 'people see where they are signed in, and end one of these or all others', async (world) => {
  const other = await world.node('second')
  const person = await world.newPerson()
  const browsers = [
    { 'User-Agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0' },
    { 'User-Agent': 'Mozilla/5.0 (iPhone) Safari/604.1' },
    { 'User-Agent': '<img src=x onerror=alert(1)>' },
    { 'User-Agent': 'curl/8.9' },
  ]
  const addresses = ['198.51.100.31', '2001:db8::31', '198.51.100.33', '198.51.100.34']
  const jars = await Promise.all(
    browsers.map((headers, index) => world.signIn(person, { headers, address: addresses[index] ?? '' })),
  )
  const [jar = assert.fail(), second = assert.fail()] = jars
  // Somebody else's are none of theirs.
  const stranger = await world.newSession()
  const page = await world.get('/account/devices', { jar: jar.copy() })
  assert.equal(page.status, 200)
  for (const text of ['Firefox on Windows', 'Safari on iPhone', 'An unknown device', 'curl', ...addresses])
    assert.ok(page.text.includes(text), text)
  assert.doesNotMatch(page.text, /<img src=x/)
  assert.equal(page.text.match(/<time/g)?.length, 4)

  const rows = await world.query('select id, token_hash from sessions where user_id = $1', [person.id])
  const idOf = (token: string) =>
    rows.find((row) => row.token_hash.equals(createHash('sha256').update(token).digest())).id
  assert.ok(!page.text.includes(stranger.id))
  const ended = await submit(world, 'endDevice', { id: idOf(second.token) }, { jar })
  assert.equal(verdict(ended), 'to /account/devices')
  const alive = async (node = world.app) =>
    Promise.all(jars.map(async (one) => (await world.session(one.token, node)) !== null))
  for (const node of [world.app, other]) assert.deepEqual(await alive(node), [true, false, true, true])
  assert.equal(verdict(await submit(world, 'endDevice', { id: idOf(second.token) }, { jar })), 'not_found')
  assert.equal(verdict(await submit(world, 'endOtherDevices', {}, { jar })), 'to /account/devices')
  for (const node of [world.app, other]) assert.deepEqual(await alive(node), [true, false, false, false])
  assert.equal((await world.session(stranger.jar)).user.id, stranger.id)
  const events = await world.query(
    `select details from audit_events where kind = 'session.revoked' and actor_id = $1 order by id`,
    [person.id],
  )
  assert.deepEqual(events, [{ details: { count: 1 } }, { details: { count: 2 } }])
})

checkModule('admin', 'H-110', 'an admin ends all sessions of somebody, or one, on every node', async (world) => {
  const other = await world.node('second')
  const admin = await world.newSession({ role: 'admin' })
  const [person, stranger] = [await world.newSession(), await world.newSession()]
  const jars = [person.jar, await world.signIn(person), await world.signIn(person)]
  const alive = async () => {
    const counts: number[] = []
    for (const node of [world.app, other])
      counts.push((await Promise.all(jars.map((jar) => world.session(jar.token, node)))).filter(Boolean).length)
    return counts
  }
  const end = async (input: object, jar = admin.jar) => verdict(await submit(world, 'endUserSessions', input, { jar }))
  assert.deepEqual(await alive(), [3, 3])
  assert.equal(await end({ userId: person.id }, stranger.jar), 'forbidden')
  // A session of somebody else's is none of theirs.
  const [{ id: foreign }] = await world.query('select id from sessions where user_id = $1', [stranger.id])
  assert.equal(await end({ userId: person.id, sessionId: foreign }), 'not_found')
  for (const sessionId of ['', 'x', null, [foreign], '*'])
    assert.equal(await end({ userId: person.id, sessionId }), 'invalid_input', JSON.stringify(sessionId))
  assert.deepEqual(await alive(), [3, 3])

  const hash = createHash('sha256').update(person.token).digest()
  const [{ id: own }] = await world.query('select id from sessions where token_hash = $1', [hash])
  assert.equal(await end({ userId: person.id, sessionId: own }), 'ok')
  assert.equal(await world.session(person.token), null)
  assert.deepEqual(await alive(), [2, 2])
  assert.equal(await end({ userId: person.id }), 'ok')
  assert.deepEqual(await alive(), [0, 0])
  assert.equal(await end({ userId: person.id }), 'not_found')
  assert.equal((await world.session(stranger.jar)).user.id, stranger.id)
  assert.equal((await world.session(admin.jar)).user.id, admin.id)
  assert.equal((await world.try(person.email)).status, 200)
  const events = await world.query(
    `select details from audit_events where kind = 'session.revoked' and actor_id = $1 and target_id = $2 order by id`,
    [admin.id, person.id],
  )
  assert.deepEqual(events, [{ details: { count: 1 } }, { details: { count: 2 } }])
})
