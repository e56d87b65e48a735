// I. The Authorization header.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { check } from './checks.ts'
import { callRaw, type Jar } from './client.ts'
import { keepSecret } from './oracles.ts'
import { type Person, password, someToken, submit, type World } from './world.ts'

const asked = (world: World, authorization: string | string[], jar?: Jar) =>
  world.get('/api/auth/session', { headers: { Authorization: authorization }, ...(jar && { jar }) })

/** Somebody new with an API token for viewers, made the way people make one. */
async function newApiToken(world: World, role: 'viewer' | 'admin' = 'viewer') {
  const person: Person & { jar: Jar; token: string } = await world.newSession({ role })
  const input = { name: 'Script', role: 'viewer', days: '30' }
  const made = await submit(world, 'createApiToken', input, { path: '/account/tokens', jar: person.jar })
  const { token } = (made.value as { data: { token: string } }).data
  assert.match(token, /^plinth_[\w-]{43}$/)
  keepSecret(token)
  return { ...person, apiToken: token }
}

/** Our contract: a header that names nobody means nobody, and never falls back to the cookie beside it. */
async function isNobody(world: World, authorization: string | string[], jar: Jar): Promise<void> {
  for (const beside of [undefined, jar.copy()]) {
    const what = `${JSON.stringify(authorization).slice(0, 80)}${beside ? ' beside a cookie' : ''}`
    const answer = await asked(world, authorization, beside)
    assert.deepEqual([answer.status, answer.text, answer.setCookies], [200, 'null', []], what)
    const page = await world.get('/dashboard', {
      headers: { Authorization: authorization },
      ...(beside && { jar: beside }),
    })
    assert.deepEqual([page.status, page.headers.location], [307, '/signin'], what)
  }
}

check('H-133', 'a Bearer without a proper token is nobody, whatever cookie is beside it', async (world) => {
  const { jar, token } = await world.newSession()
  for (const value of [
    'Bearer',
    'Bearer ',
    'Bearer  ',
    'bearer%20x',
    'Bearer %',
    'Bearer ..',
    'Bearer null',
    'Bearer undefined',
    'Bearer {}',
    'Bearer []',
    `Bearer ${token} x`,
    `Bearer ${token},`,
    `Bearer ${token}=`,
    `Bearer "${token}"`,
    `Bearer\t${token}`,
    `Bearer:${token}`,
    `Bearer${token}`,
    token,
    `Token ${token}`,
    '',
  ])
    await isNobody(world, value, jar)
})

check('H-134', 'a Bearer is that session, and needs no token for forms', async (world) => {
  const { token, id } = await world.newSession()
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    assert.equal((await asked(world, `${scheme} ${token}`)).json().user.id, id)
  const page = await world.get('/dashboard', { headers: { Authorization: `Bearer ${token}` } })
  assert.equal(page.status, 200)
  assert.deepEqual(page.setCookies, [])
  const out = await world.get('/api/auth/signout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  assert.deepEqual([out.status, out.setCookies], [302, []])
  assert.equal(await world.session(token), null)
})

check(
  'H-135',
  'of a Bearer and somebody else’s cookie the Bearer alone counts, also for what it may and what it ends',
  async (world) => {
    const viewer = await world.newSession()
    const admin = await world.newSession({ role: 'admin' })
    const both = await asked(world, `Bearer ${viewer.token}`, admin.jar.copy())
    assert.deepEqual([both.json().user.id, both.json().user.role, both.setCookies], [viewer.id, 'viewer', []])
    const page = await world.get('/dashboard', {
      headers: { Authorization: `Bearer ${viewer.token}` },
      jar: admin.jar.copy(),
    })
    assert.ok(page.text.includes(viewer.email) && !page.text.includes(admin.email))
    await world.get('/api/auth/signout', {
      method: 'POST',
      headers: { Authorization: `Bearer ${viewer.token}` },
      jar: admin.jar.copy(),
    })
    assert.equal(await world.session(viewer.token), null)
    assert.equal((await world.session(admin.token)).user.id, admin.id)
    const ended = await world.query(
      `select actor_id from audit_events where kind = 'session.ended' and actor_id in ($1, $2)`,
      [viewer.id, admin.id],
    )
    assert.deepEqual(ended, [{ actor_id: viewer.id }])
    // Dead now: still not the cookie's turn.
    await isNobody(world, `Bearer ${viewer.token}`, admin.jar)
    // An API token counts alone as well, on no page, and ends neither itself nor the session beside it.
    const { id, apiToken } = await newApiToken(world)
    const Authorization = `Bearer ${apiToken}`
    assert.equal((await asked(world, Authorization, admin.jar.copy())).json().user.id, id)
    const shown = await world.get('/dashboard', { headers: { Authorization }, jar: admin.jar.copy() })
    assert.deepEqual([shown.status, shown.headers.location], [307, '/signin'])
    const out = await world.get('/api/auth/signout', {
      method: 'POST',
      headers: { Authorization },
      jar: admin.jar.copy(),
    })
    assert.deepEqual([out.status, out.setCookies], [302, []])
    assert.equal((await asked(world, Authorization)).json().user.id, id)
    assert.equal((await world.session(admin.token)).user.id, admin.id)
  },
)

check('H-136', 'other schemes, and two headers at once, are nobody', async (world) => {
  const { token, jar, email } = await world.newSession()
  const basic = Buffer.from(`${email}:${password}`).toString('base64')
  for (const value of [
    'Basic YTpi',
    `Basic ${basic}`,
    'Digest username="a"',
    'Negotiate YII=',
    'AWS4-HMAC-SHA256 x',
    `Basic ${token}`,
    `Bearer x, Bearer ${token}`,
  ])
    await isNobody(world, value, jar)
  const other = await world.newSession({ role: 'admin' })
  // Servers and proxies disagree about which of two counts; so none does.
  for (const pair of [
    [`Bearer ${token}`, `Bearer ${other.token}`],
    [`Bearer ${token}`, 'Basic YTpi'],
    ['Basic YTpi', `Bearer ${token}`],
    [`Bearer ${token}`, `Bearer ${token}`],
  ])
    await isNobody(world, pair, jar)
})

check('H-137', 'a Bearer of 10 KB, with NUL, with emoji or with other bytes is nobody', async (world) => {
  const { jar, token } = await world.newSession()
  for (const value of [
    'x'.repeat(10_000),
    Buffer.from('\u{1f600}').toString('latin1'),
    '\u00ff\u00fe',
    `${token}\u00a0`,
    '-'.repeat(43),
    '_'.repeat(43),
    'A'.repeat(42),
    'A'.repeat(44),
    'plinth_',
    `plinth_${token}`,
    `plinth_${someToken()}`,
    `PLINTH_${someToken()}`,
    `plinth_${'A'.repeat(10_000)}`,
  ])
    await isNobody(world, `Bearer ${value}`, jar)
  for (const bytes of ['\0', '\x01', '\x7f']) {
    const answer = await callRaw(
      world.app.url,
      `GET /api/auth/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}${bytes}\r\n\r\n`,
    )
    assert.ok(
      answer.status === 400 || answer.text.includes('null'),
      `${JSON.stringify(bytes)}: ${answer.status} ${answer.text}`,
    )
  }
})

check('H-138', 'tokens in the form of a JWT are nobody, signed by whomever', async (world) => {
  const { id, email, jar } = await world.newSession({ role: 'admin' })
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { sub: id, id, email, role: 'admin', exp: 4102444800 }
  const sign = (content: string, key: string) => createHmac('sha256', key).update(content).digest('base64url')
  const made = (header: object, body: object, key?: string) => {
    const content = `${encode(header)}.${encode(body)}`
    return `${content}.${key === undefined ? '' : sign(content, key)}`
  }
  for (const token of [
    made({ alg: 'none' }, claims),
    made({ alg: 'NoNe', typ: 'JWT' }, claims),
    made({ alg: 'HS256' }, claims, '-----BEGIN PUBLIC KEY-----'),
    made({ alg: 'HS256' }, claims, ''),
    // Even our own secret signs no session.
    made({ alg: 'HS256' }, claims, world.env.AUTH_SECRET),
    made({ alg: 'HS256' }, { ...claims, exp: 1 }, world.env.AUTH_SECRET),
    made({ alg: 'HS256', kid: '../../../../dev/null' }, claims, ''),
    made({ alg: 'HS256', kid: "' or 1=1--", jku: 'http://127.0.0.1:1/' }, claims, ''),
    'a.b.c',
    '..',
  ])
    await isNobody(world, `Bearer ${token}`, jar)
})

check(
  'H-139',
  'a Bearer dies with its session, its person and their right, and knows a new role at once',
  async (world) => {
    const person = await world.newSession()
    const second = await world.signIn(person)
    await world.query(`update users set role = 'editor' where id = $1`, [person.id])
    assert.equal((await asked(world, `Bearer ${person.token}`)).json().user.role, 'editor')
    await world.query('delete from sessions where user_id = $1 and token_hash = sha256($2)', [
      person.id,
      Buffer.from(person.token),
    ])
    assert.equal((await asked(world, `Bearer ${person.token}`)).text, 'null')
    assert.equal((await asked(world, `Bearer ${second.token}`)).json().user.id, person.id)
    await world.query('update users set suspended_at = now() where id = $1', [person.id])
    assert.equal((await asked(world, `Bearer ${second.token}`)).text, 'null')
    await world.query('update users set suspended_at = null where id = $1', [person.id])
    await world.query('delete from users where id = $1', [person.id])
    assert.equal((await asked(world, `Bearer ${second.token}`)).text, 'null')

    // An API token: never above what it was made for, and down with its owner.
    const owner = await newApiToken(world, 'admin')
    const roleNow = async () => (await asked(world, `Bearer ${owner.apiToken}`)).json()?.user.role ?? null
    const setToken = (what: string) =>
      world.query(`update account_api_tokens set ${what} where user_id = $1`, [owner.id])
    assert.equal(await roleNow(), 'viewer')
    await setToken(`role = 'admin'`)
    assert.equal(await roleNow(), 'admin')
    await world.query(`update users set role = 'editor' where id = $1`, [owner.id])
    assert.equal(await roleNow(), 'editor')
    await setToken('expires_at = now()')
    assert.equal(await roleNow(), null)
    await setToken(`expires_at = now() + interval '1 day'`)
    await world.query('update users set suspended_at = now() where id = $1', [owner.id])
    assert.equal(await roleNow(), null)
    await world.query('update users set suspended_at = null where id = $1', [owner.id])
    assert.equal(await roleNow(), 'editor')
    await world.query('delete from users where id = $1', [owner.id])
    assert.equal(await roleNow(), null)
  },
)

check('H-140', 'a token in the address is no token', async (world) => {
  const { token, apiToken } = await newApiToken(world)
  for (const name of [
    'access_token',
    'token',
    'authorization',
    'Authorization',
    'bearer',
    'session',
    'plinth.session',
  ]) {
    for (const value of [token, `Bearer ${token}`]) {
      const query = new URLSearchParams({ [name]: value })
      assert.equal((await world.get(`/api/auth/session?${query}`)).text, 'null', name)
      assert.equal((await world.get(`/dashboard?${query}`)).status, 307, name)
    }
    const query = new URLSearchParams({ [name]: apiToken })
    assert.equal((await world.get(`/api/auth/session?${query}`)).text, 'null', name)
  }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  await world.get('/api/auth/signout', { body: `access_token=${token}`, headers: form })
  assert.notEqual(await world.session(token), null)
})

check('H-141', 'a 401 says WWW-Authenticate: Bearer, and nothing about us', async (world) => {
  const { apiToken } = await newApiToken(world)
  const refused = [await world.try((await world.newPerson()).email, 'not the password at all')]
  // A guarded route: to nobody, to a token that is none, and to one that is not for this.
  for (const authorization of [undefined, 'Bearer x', `Bearer ${someToken()}`, 'Basic YTpi', `Bearer ${apiToken}`])
    refused.push(
      await world.get('/api/account/export', { headers: authorization ? { Authorization: authorization } : {} }),
    )
  for (const { status, headers } of refused) assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer'])
})

check('H-142', 'a Bearer is never shown again, in an answer or in the log', async (world) => {
  const live = await newApiToken(world)
  const unknown = someToken()
  const before = world.app.output().length
  for (const token of [live.token, live.apiToken, unknown]) {
    const headers = { Authorization: `Bearer ${token}` }
    for (const [path, method] of [
      ['/api/auth/session', 'GET'],
      ['/api/auth/session', 'DELETE'],
      ['/api/account/export', 'GET'],
      ['/account/tokens', 'GET'],
      ['/dashboard', 'GET'],
      ['/api/auth/nothing', 'GET'],
      ['/no-such-page', 'GET'],
      ['/api/auth/signin', 'POST'],
      ['/api/auth/callback/google?code=x&state=y', 'GET'],
    ] as const) {
      const answer = await world.get(path, { method, headers })
      assert.ok(!`${answer.head}${answer.text}`.includes(token), `${method} ${path}`)
    }
  }
  // A fault is logged with all that is known about it, and still without this.
  for (const [table, token, paths] of [
    ['sessions', unknown, ['/api/auth/session', '/dashboard']],
    ['account_api_tokens', live.apiToken, ['/api/auth/session', '/api/account/export']],
  ] as const) {
    await world.query(`alter table ${table} rename to hidden`)
    try {
      for (const path of paths) await world.get(path, { headers: { Authorization: `Bearer ${token}` }, may500: true })
    } finally {
      await world.query(`alter table hidden rename to ${table}`)
    }
  }
  await new Promise((resolve) => setTimeout(resolve, 100))
  const written = world.app.output().slice(before)
  assert.match(written, /sessions/)
  assert.match(written, /account_api_tokens/)
  for (const token of [live.token, live.apiToken, unknown]) assert.ok(!written.includes(token))
})
