// The Authorization header.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { completeOutput } from '../../app/support/complete-output.ts'
import { callRaw, type Jar } from '../../app/support/http-client.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { password, randomToken, type TestUser, type World } from '../../app/support/test-world.ts'

const getSession = (world: World, authorization: string | string[], jar?: Jar) =>
  world.get('/api/auth/session', { headers: { Authorization: authorization }, ...(jar && { jar }) })

/** A new signed-in user with a viewer API token, created through the app's own action. */
async function newApiToken(world: World, role: 'viewer' | 'admin' = 'viewer') {
  const user: TestUser & { jar: Jar; token: string } = await world.newSession({ role })
  const input = { name: 'Script', role: 'viewer', days: '30' }
  const made = await submitAction(world, 'createApiToken', input, { path: '/account/tokens/new', jar: user.jar })
  const { token } = (made.value as { data: { token: string } }).data
  assert.match(token, /^[\w-]+_[\w-]{43}$/)
  registerSecret(token)
  return { ...user, apiToken: token }
}

/** An invalid Authorization header means unauthenticated; the app never falls back to the session cookie. */
async function assertUnauthenticated(world: World, authorization: string | string[], jar: Jar): Promise<void> {
  for (const cookieJar of [undefined, jar.copy()]) {
    const what = `${JSON.stringify(authorization).slice(0, 80)}${cookieJar ? ' with a cookie' : ''}`
    const response = await getSession(world, authorization, cookieJar)
    assert.deepEqual([response.status, response.text, response.setCookies], [200, 'null', []], what)
    const page = await world.get('/dashboard', {
      headers: { Authorization: authorization },
      ...(cookieJar && { jar: cookieJar }),
    })
    assert.deepEqual([page.status, page.headers.location], [307, '/signin'], what)
  }
}

check('H-133', 'a malformed Bearer token is unauthenticated, even with a valid session cookie', async (world) => {
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
    '',
  ])
    await assertUnauthenticated(world, value, jar)
})

check('H-134', 'a Bearer session token authenticates and needs no CSRF token', async (world) => {
  const { token, id } = await world.newSession()
  for (const scheme of ['Bearer', 'bearer', 'BEARER'])
    assert.equal((await getSession(world, `${scheme} ${token}`)).json().user.id, id)
  const page = await world.get('/dashboard', { headers: { Authorization: `Bearer ${token}` } })
  assert.equal(page.status, 200)
  assert.deepEqual(page.setCookies, [])
  const out = await world.get('/api/auth/signout', { method: 'POST', headers: { Authorization: `Bearer ${token}` } })
  assert.deepEqual([out.status, out.setCookies], [302, []])
  assert.equal(await world.getSession(token), null)
})

check(
  'H-135',
  'with a Bearer token and another user’s cookie only the token counts, and sign-out ends both sessions',
  async (world) => {
    const viewer = await world.newSession()
    const admin = await world.newSession({ role: 'admin' })
    const both = await getSession(world, `Bearer ${viewer.token}`, admin.jar.copy())
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
    for (const { token } of [viewer, admin]) assert.equal(await world.getSession(token), null)
    const ended = await world.query(
      `select actor_id from audit_events where kind = 'session.ended' and actor_id in ($1, $2) order by id`,
      [viewer.id, admin.id],
    )
    assert.deepEqual(ended, [{ actor_id: viewer.id }, { actor_id: admin.id }])
    // An expired Bearer token does not fall back to the cookie either.
    await world.signIn(admin, { jar: admin.jar })
    await assertUnauthenticated(world, `Bearer ${viewer.token}`, admin.jar)
    // An API token also overrides the cookie and works on no page. Sign-out ends the cookie's session, not the token.
    const { id, apiToken } = await newApiToken(world)
    const Authorization = `Bearer ${apiToken}`
    assert.equal((await getSession(world, Authorization, admin.jar.copy())).json().user.id, id)
    const shown = await world.get('/dashboard', { headers: { Authorization }, jar: admin.jar.copy() })
    assert.deepEqual([shown.status, shown.headers.location], [307, '/signin'])
    const out = await world.get('/api/auth/signout', {
      method: 'POST',
      headers: { Authorization },
      jar: admin.jar.copy(),
    })
    assert.deepEqual([out.status, out.setCookies], [302, []])
    assert.equal((await getSession(world, Authorization)).json().user.id, id)
    assert.equal(await world.getSession(admin.jar), null)
  },
)

check(
  'H-136',
  'other schemes are ignored in favor of the cookie; two Authorization headers are unauthenticated',
  async (world) => {
    const { token, jar, email, id } = await world.newSession()
    const basic = Buffer.from(`${email}:${password}`).toString('base64')
    const other = await world.newSession({ role: 'admin' })
    for (const value of [
      'Basic YTpi',
      `Basic ${basic}`,
      'Digest username="a"',
      'Negotiate YII=',
      'AWS4-HMAC-SHA256 x',
      `Basic ${other.token}`,
      `Token ${other.token}`,
    ]) {
      assert.equal((await getSession(world, value)).text, 'null', value)
      const withCookie = await getSession(world, value, jar.copy())
      assert.deepEqual([withCookie.json()?.user.id, withCookie.setCookies], [id, []], value)
    }
    await assertUnauthenticated(world, `Bearer x, Bearer ${token}`, jar)
    // Servers and proxies disagree about which of two headers counts, so the app accepts neither.
    for (const pair of [
      [`Bearer ${token}`, `Bearer ${other.token}`],
      [`Bearer ${token}`, 'Basic YTpi'],
      ['Basic YTpi', `Bearer ${token}`],
      [`Bearer ${token}`, `Bearer ${token}`],
    ])
      await assertUnauthenticated(world, pair, jar)
  },
)

check('H-137', 'a Bearer token of 10 KB, with NUL, emoji or non-ASCII bytes is unauthenticated', async (world) => {
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
    `${appSlug}_`,
    `${appSlug}_${token}`,
    `${appSlug}_${randomToken()}`,
    `PLINTH_${randomToken()}`,
    `${appSlug}_${'A'.repeat(10_000)}`,
  ])
    await assertUnauthenticated(world, `Bearer ${value}`, jar)
  for (const bytes of ['\0', '\x01', '\x7f']) {
    const response = await callRaw(
      world.app.url,
      `GET /api/auth/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer ${token}${bytes}\r\n\r\n`,
    )
    assert.ok(
      response.status === 400 || response.text.includes('null'),
      `${JSON.stringify(bytes)}: ${response.status} ${response.text}`,
    )
  }
})

check('H-138', 'JWTs are never accepted as Bearer tokens, whatever key signed them', async (world) => {
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
    // A JWT signed with AUTH_SECRET is not a session either.
    made({ alg: 'HS256' }, claims, world.env.AUTH_SECRET),
    made({ alg: 'HS256' }, { ...claims, exp: 1 }, world.env.AUTH_SECRET),
    made({ alg: 'HS256', kid: '../../../../dev/null' }, claims, ''),
    made({ alg: 'HS256', kid: "' or 1=1--", jku: 'http://127.0.0.1:1/' }, claims, ''),
    'a.b.c',
    '..',
  ])
    await assertUnauthenticated(world, `Bearer ${token}`, jar)
})

check(
  'H-139',
  'a Bearer token ends with its session and its user, and reflects a role change at once',
  async (world) => {
    const user = await world.newSession()
    const second = await world.signIn(user)
    await world.query(`update users set role = 'editor' where id = $1`, [user.id])
    assert.equal((await getSession(world, `Bearer ${user.token}`)).json().user.role, 'editor')
    await world.query('delete from sessions where user_id = $1 and token_hash = sha256($2)', [
      user.id,
      Buffer.from(user.token),
    ])
    assert.equal((await getSession(world, `Bearer ${user.token}`)).text, 'null')
    assert.equal((await getSession(world, `Bearer ${second.token}`)).json().user.id, user.id)
    await world.query('update users set suspended_at = now() where id = $1', [user.id])
    assert.equal((await getSession(world, `Bearer ${second.token}`)).text, 'null')
    await world.query('update users set suspended_at = null where id = $1', [user.id])
    await world.query('delete from users where id = $1', [user.id])
    assert.equal((await getSession(world, `Bearer ${second.token}`)).text, 'null')

    // An API token never exceeds its own role, nor the current role of its owner.
    const owner = await newApiToken(world, 'admin')
    const currentRole = async () => (await getSession(world, `Bearer ${owner.apiToken}`)).json()?.user.role ?? null
    const setToken = (what: string) =>
      world.query(`update account_api_tokens set ${what} where user_id = $1`, [owner.id])
    assert.equal(await currentRole(), 'viewer')
    await setToken(`role = 'admin'`)
    assert.equal(await currentRole(), 'admin')
    await world.query(`update users set role = 'editor' where id = $1`, [owner.id])
    assert.equal(await currentRole(), 'editor')
    await setToken(`expires_at = now() - interval '1 minute'`)
    assert.equal(await currentRole(), null)
    await setToken(`expires_at = now() + interval '1 day'`)
    await world.query('update users set suspended_at = now() where id = $1', [owner.id])
    assert.equal(await currentRole(), null)
    await world.query('update users set suspended_at = null where id = $1', [owner.id])
    assert.equal(await currentRole(), 'editor')
    await world.query('delete from users where id = $1', [owner.id])
    assert.equal(await currentRole(), null)
  },
)

check('H-140', 'a token in the query string is not accepted', async (world) => {
  const { token, apiToken } = await newApiToken(world)
  for (const name of [
    'access_token',
    'token',
    'authorization',
    'Authorization',
    'bearer',
    'session',
    `${appSlug}.session`,
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
  assert.notEqual(await world.getSession(token), null)
})

check('H-141', 'a 401 has exactly WWW-Authenticate: Bearer, without a realm', async (world) => {
  const { apiToken } = await newApiToken(world)
  const rejected = [await world.trySignIn((await world.newUser()).email, 'not the password at all')]
  // A protected route: without a token, with invalid tokens, and with an API token that it does not accept.
  for (const authorization of [undefined, 'Bearer x', `Bearer ${randomToken()}`, 'Basic YTpi', `Bearer ${apiToken}`])
    rejected.push(
      await world.get('/api/account/export', { headers: authorization ? { Authorization: authorization } : {} }),
    )
  for (const { status, headers } of rejected) assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer'])
})

check('H-142', 'a Bearer token appears in no response and in no log line', async (world) => {
  const live = await newApiToken(world)
  const unknown = randomToken()
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
      const response = await world.get(path, { method, headers })
      assert.ok(!`${response.head}${response.text}`.includes(token), `${method} ${path}`)
    }
  }
  // Errors are logged with full details, but without the token.
  for (const [table, token, paths] of [
    ['sessions', unknown, ['/api/auth/session', '/dashboard']],
    ['account_api_tokens', live.apiToken, ['/api/auth/session', '/api/account/export']],
  ] as const) {
    await world.query(`alter table ${table} rename to hidden`)
    try {
      for (const path of paths) await world.get(path, { headers: { Authorization: `Bearer ${token}` }, allow500: true })
    } finally {
      await world.query(`alter table hidden rename to ${table}`)
    }
  }
  const logged = (await completeOutput(world.app)).slice(before)
  assert.match(logged, /sessions/)
  assert.match(logged, /account_api_tokens/)
  for (const token of [live.token, live.apiToken, unknown]) assert.ok(!logged.includes(token))
})
