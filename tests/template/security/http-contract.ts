// HTTP details of the contract.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { findFreePort } from '../../../scripts/ports.ts'
import { callAction, submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { completeOutput } from '../../app/support/complete-output.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { type CallOptions, call, Jar } from '../../app/support/http-client.ts'
import { NotInBuild } from '../../app/support/not-in-build.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import type { RunningServer } from '../../app/support/server.ts'
import { listActions, multipart } from '../../app/support/server-actions.ts'
import {
  everyPath,
  password,
  type TestUser,
  unusedEmail,
  type World,
  wrongPassword,
} from '../../app/support/test-world.ts'

const json = { 'Content-Type': 'application/json' }

/** The log lines of this level that a node wrote during the work. */
async function linesAt(level: 'warn' | 'error', node: RunningServer, work: () => Promise<unknown>): Promise<string[]> {
  const before = node.output().length
  await work()
  const written = (await completeOutput(node)).slice(before).split('\n')
  return written.filter((line) => line.includes(`"level":"${level}"`)).map((line) => line.slice(0, 300))
}

check('H-374', 'sign-out ends every session that was sent, whatever the body or its content type', async (world) => {
  const signOut = (how: CallOptions) => world.get('/api/auth/signout', { method: 'POST', ...how })
  const bodies: CallOptions[] = [
    {},
    { headers: json },
    { headers: { ...json, 'Content-Length': '0' } },
    { body: '', headers: { 'Content-Type': 'application/octet-stream' } },
    ...['{', 'null', '[]', '"x"', '{"redirect":"false"}', `{"more":"${'x'.repeat(5_000)}"}`].map((body) => ({
      body,
      headers: json,
    })),
    { body: '{}', headers: { 'Content-Type': 'application/json; charset=latin1' } },
    { body: '{}', headers: { ...json, 'Content-Encoding': 'gzip' } },
    { body: 'redirect=false', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } },
  ]
  const testUser = await world.newUser()
  for (const how of bodies) {
    const what = JSON.stringify([how.headers, String(how.body).slice(0, 30)])
    const jar = await world.insertSession(testUser)
    const { token } = jar
    const result = await signOut({ ...how, jar })
    assert.deepEqual([result.status, result.headers.location, jar.token], [302, '/', ''], what)
    assert.equal(await world.getSession(token), null, what)
  }
  const asked = await signOut({ body: { redirect: false } })
  assert.deepEqual([asked.status, asked.json()], [200, { url: '/' }])

  const [inCookie, asBearer] = [await world.insertSession(testUser), await world.insertSession(await world.newUser())]
  const both = await signOut({
    jar: inCookie.copy(),
    headers: { ...json, Authorization: `Bearer ${asBearer.token}` },
  })
  assert.deepEqual([both.status, both.setCookies], [302, []])
  for (const { token } of [inCookie, asBearer]) assert.equal(await world.getSession(token), null)
})

/** Signs in for a bearer token instead of a cookie. */
const signInForToken = (world: World, { email }: Pick<TestUser, 'email'>, more: CallOptions & { body?: object } = {}) =>
  world.get('/api/auth/signin', { ...more, body: { email, password, token: true, ...more.body } })

check('H-375', 'sign-in with token: true sets no cookie, and its token is a session like any other', async (world) => {
  const testUser = await world.newUser()
  for (const body of [{}, { redirect: true }, { redirect: false, callbackUrl: '/dashboard' }]) {
    const result = await signInForToken(world, testUser, { body })
    assert.deepEqual([result.status, result.setCookies], [200, []])
    assert.deepEqual(Object.keys(result.json()).sort(), ['expires', 'token', 'user'])
    assert.equal(result.headers['cache-control'], 'private, no-store')
    const { token, user, expires } = result.json()
    registerSecret(token)
    assert.deepEqual(await world.getSession(token), { user, expires })
    const listed = 'select count(*)::int as count from sessions where user_id = $1'
    assert.equal((await world.query(listed, [testUser.id]))[0].count, 1)
    const headers = { Authorization: `Bearer ${token}` }
    const out = await world.get('/api/auth/signout', { method: 'POST', headers })
    assert.deepEqual([out.status, out.setCookies], [302, []])
    assert.equal(await world.getSession(token), null)
  }

  // As with a cookie, the previous session ends; the cookies of the browser are not changed.
  const before = await world.insertSession(testUser)
  const result = await signInForToken(world, testUser, { jar: before.copy() })
  assert.deepEqual([result.status, result.setCookies], [200, []])
  assert.equal(await world.getSession(before.token), null)

  // Every rejection is the same as without it.
  for (const [who, typed] of [
    [testUser.email, wrongPassword],
    [unusedEmail(), password],
    [(await world.newUser({ isSuspended: true })).email, password],
  ]) {
    const refused = await world.get('/api/auth/signin', { body: { email: who, password: typed, token: true } })
    assert.deepEqual([refused.status, refused.json().code, refused.setCookies], [401, 'invalid_credentials', []])
  }
  for (const token of ['true', 1, null, {}])
    assert.equal((await signInForToken(world, testUser, { body: { token } })).status, 422, JSON.stringify(token))
  const elsewhere = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
  assert.equal((await signInForToken(world, testUser, { headers: elsewhere })).status, 403)

  // The same rate limits apply.
  const victim = await world.newUser()
  for (let tries = 0; tries < 5; tries++)
    await signInForToken(world, victim, { body: { password: wrongPassword }, ip: '198.51.100.75' })
  assert.equal((await signInForToken(world, victim, { ip: '198.51.100.75' })).status, 429)

  if (!hasModule('account')) return
  const userWithTwoFactor = await world.newUser()
  const codes = ['aaaaaaaaaaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbbbbbbbbbb']
  await world.query(`insert into account_totp (user_id, secret, confirmed_at) values ($1, 'x', now())`, [
    userWithTwoFactor.id,
  ])
  for (const code of codes)
    await world.query('insert into account_recovery_codes (user_id, hash) values ($1, $2)', [
      userWithTwoFactor.id,
      createHash('sha256').update(code).digest(),
    ])
  const first = await signInForToken(world, userWithTwoFactor)
  const { challenge, pendingSignIn } = first.json()
  assert.deepEqual([first.status, challenge, first.setCookies], [200, 'totp', []])
  registerSecret(pendingSignIn)
  assert.equal(await world.getSession(pendingSignIn), null)
  const second = (body: object) => world.get('/api/auth/challenge', { body: { token: true, ...body } })
  for (const body of [{ code: codes[0] }, { code: codes[0], pendingSignIn: 'x' }])
    assert.deepEqual([(await second(body)).status, (await second(body)).setCookies], [401, []])
  assert.equal((await second({ code: 'wrong', pendingSignIn })).status, 401)
  const done = await second({ code: codes[0], pendingSignIn })
  assert.deepEqual([done.status, Object.keys(done.json()).sort()], [200, ['expires', 'token', 'user']])
  assert.deepEqual(done.setCookies, [])
  registerSecret(done.json().token)
  assert.equal((await world.getSession(done.json().token)).user.id, userWithTwoFactor.id)
  // It works once.
  assert.equal((await second({ code: codes[1], pendingSignIn })).status, 401)
})

check('H-376', 'Authorization with another scheme is ignored: the cookie counts, with all its rules', async (world) => {
  const { jar, id, email, token } = await world.newSession()
  for (const authorization of ['Basic c3RhZ2U6c3RhZ2U=', `Basic ${token}`, 'Digest username="a"', 'Negotiate YII=']) {
    const headers = { Authorization: authorization }
    const ask = (more: CallOptions) => world.get('/api/auth/session', { headers, ...more })
    assert.equal((await ask({ jar: jar.copy() })).json()?.user.id, id, authorization)
    assert.equal((await ask({})).text, 'null', authorization)
    assert.equal((await world.get('/dashboard', { headers, jar: jar.copy() })).status, 200, authorization)
    const signedIn = await world.trySignIn(email, password, { headers })
    assert.match(signedIn.setCookies.join(), /[\w-]+\.session=[\w-]{43}/, authorization)

    for (const from of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
    ] as Record<string, string>[]) {
      const refused = await world.get('/api/auth/signout', {
        method: 'POST',
        headers: { ...headers, ...from },
        jar: jar.copy(),
      })
      assert.deepEqual([refused.status, refused.json().code], [403, 'cross_site'], authorization)
    }
    assert.notEqual(await world.getSession(jar), null)
  }
  // Signing out through such a proxy ends the session and clears the cookies.
  const out = await world.get('/api/auth/signout', { method: 'POST', headers: { Authorization: 'Basic YTpi' }, jar })
  assert.deepEqual([out.status, jar.token], [302, ''])
  assert.equal(await world.getSession(token), null)
})

/** Posts the sign-in action from one of this machine's loopback IPs to a page of a node without a proxy in front. */
function signInFromIp(node: RunningServer, localAddress: string, path: string, email: string, headers = {}) {
  const id = listActions().find(({ name }) => name === 'signIn')?.id
  if (!id) throw new NotInBuild('the build has no action signIn')
  return new Promise<number>((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: new URL(node.url).port,
        localAddress,
        method: 'POST',
        path,
        headers: {
          Host: new URL(node.url).host,
          Origin: node.url,
          'Sec-Fetch-Site': 'same-origin',
          'Next-Action': id,
          'Content-Type': 'text/plain;charset=UTF-8',
          ...headers,
        },
      },
      (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)),
    )
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify([{ email, password: wrongPassword }]))
  })
}

check(
  'H-377',
  'an action posted to a page without it is still counted by the caller’s IP',
  async (world) => {
    const node = await world.node('no proxy', { TRUSTED_PROXY_HOPS: '0' })
    const ipsOf = async ({ id }: TestUser): Promise<string[]> => {
      const rows = await world.query(
        `select host(ip) as ip from audit_events where kind = 'signin.failed' and target_id = $1 order by id`,
        [id],
      )
      return rows.map(({ ip }) => ip)
    }
    const victim = await world.newUser()
    await signInFromIp(node, '127.0.0.2', '/signin', victim.email)
    await signInFromIp(node, '127.0.0.3', '/forgot', victim.email)
    assert.deepEqual(await ipsOf(victim), ['127.0.0.2', '127.0.0.3'])

    // Callers cannot forge the headers that carry the IP.
    const claims = {
      'X-Action-Forwarded': '1',
      'X-Plinth-Socket-Address': '192.0.2.77',
      'X-Plinth-Process-Secret': 'guess',
      'X-Forwarded-For': '192.0.2.77',
    }
    const other = await world.newUser()
    for (const path of ['/signin', '/forgot']) await signInFromIp(node, '127.0.0.4', path, other.email, claims)
    assert.deepEqual(await ipsOf(other), ['127.0.0.4', '127.0.0.4'])

    // One limit for both pages: five attempts a minute per account and IP.
    const third = await world.newUser()
    for (let tries = 0; tries < 6; tries++)
      await signInFromIp(node, '127.0.0.5', tries % 2 ? '/forgot' : '/signin', third.email)
    assert.equal((await ipsOf(third)).length, 5)
  },
  { full: 'needs other servers' },
)

check(
  'H-378',
  'requests that Next rejects are no server error in the response, the metrics or the log',
  async (world) => {
    const port = await findFreePort()
    const node = await world.node('measured', { METRICS_PORT: String(port) })
    const serverErrorMetrics = async () =>
      (await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
        .split('\n')
        .filter((line) => /^http_server_request_duration_seconds_count.*status_code="5/.test(line))
    const id = listActions().find(({ name }) => name === 'signIn')?.id ?? ''
    const pages = ['/signin', '/', '/signed-out', '/no-such-page', '/no-such-file.txt']
    const origins = ['https://evil.example', 'null', 'no origin at all', 'http://localhost:1']
    const warned = await linesAt('warn', node, async () => {
      const errors = await linesAt('error', node, async () => {
        for (let round = 0; round < 5; round++)
          for (const path of pages)
            for (const origin of origins) {
              const result = await callAction(world, 'signIn', {}, { node, path, headers: { Origin: origin } })
              assert.ok([403, 404].includes(result.status), `${path} from ${origin}: ${result.status}`)
            }
        const form = { 'Content-Type': 'multipart/form-data; boundary=x', Origin: 'https://evil.example' }
        for (const path of pages) {
          const result = await call(node.url, path, { body: '--x--', headers: form })
          assert.equal(result.status, 403, path)
        }
      })
      assert.deepEqual(errors, [])
    })
    assert.ok(warned.some((line) => line.includes('"code":"cross_site"') && line.includes('"entry":"POST /signin"')))

    // A body above 160 kB, with and without Content-Length, at dynamic and static pages.
    const large = `[{"email":"${'x'.repeat(170_000)}"}]`
    for (const path of pages)
      for (const more of [{}, { 'Transfer-Encoding': 'chunked', 'Content-Length': [] }] as CallOptions['headers'][]) {
        const headers = { 'Next-Action': id, 'Content-Type': 'text/plain;charset=UTF-8', Origin: node.url, ...more }
        const result = await call(node.url, path, { body: large, headers }).catch((error) => error)
        // The server may close the connection while the body is still being sent.
        if (result instanceof Error) assert.match(result.message, /EPIPE|ECONNRESET|socket hang up/, path)
        else assert.ok([413, 404].includes(result.status), `${path}: ${result.status}`)
      }
    // Arguments that React cannot read, as a script sends them and as a form does.
    const asForm = (value: string) =>
      multipart([
        ['$ACTION_REF_1', ''],
        ['$ACTION_1:0', value],
      ])
    const unreadable = ['[', '["$F1"]', '["$Z"]', '["$nx"]', '["$1:a"]', `[${'1,'.repeat(2_000)}1]`]
    const errors = await linesAt('error', node, async () => {
      for (const body of unreadable) {
        assert.equal((await submitAction(world, 'signIn', null, { node, body })).status, 400, body)
        // Another page forwards the action to the one that has it.
        assert.equal((await submitAction(world, 'signIn', null, { node, path: '/signed-out', body })).status, 200, body)
      }
      for (const value of ['{', `{"id":"${id}","bound":"$@9"}`, '"$F1"']) {
        const form = await asForm(value)
        const { status } = await call(node.url, '/signin', { ...form, headers: { ...form.headers, Origin: node.url } })
        assert.ok([400, 409].includes(status), `${value}: ${status}`)
      }
    })
    assert.deepEqual(errors, [])
    assert.deepEqual(await serverErrorMetrics(), [])
    // Just below the limit the action responds.
    const largestAllowed = `[{"email":"${'x'.repeat(100_000)}","password":"x"}]`
    assert.equal((await submitAction(world, 'signIn', null, { node, body: largestAllowed })).status, 200)
  },
)

check('H-379', 'an unauthenticated caller who opens guarded pages causes no error in the log', async (world) => {
  const paths = everyPath().filter((path) => !path.startsWith('/api/'))
  assert.ok(!hasModule('account') || paths.includes('/account/two-factor'))
  const errors = await linesAt('error', world.app, async () => {
    for (const path of paths)
      for (const headers of [{}, { RSC: '1' }] as Record<string, string>[]) await world.get(path, { headers })
  })
  assert.deepEqual(errors, [])
  return `${paths.length} pages`
})

check('H-380', 'callers cannot use Next’s internal headers or reach its global error page', async (world) => {
  for (const path of ['/_global-error', '/%5fglobal-error', '/_global-error?x=1', '/_global-error.rsc'])
    for (const headers of [{}, { RSC: '1' }] as Record<string, string>[]) {
      const result = await world.get(path, { headers })
      assert.ok([404, 307].includes(result.status), `${path}: ${result.status}`)
    }
  const internal = {
    'x-middleware-prefetch': '1',
    'x-middleware-subrequest': 'src/proxy',
    'x-middleware-rewrite': '/',
    'x-prerender-revalidate': '1',
    'x-action-forwarded': '1',
  }
  const plain = await world.get('/api/auth/session')
  for (const [name, value] of Object.entries(internal)) {
    const result = await world.get('/api/auth/session', { headers: { [name]: value } })
    assert.deepEqual([result.status, result.text], [200, plain.text], name)
    assert.equal((await world.get('/api/account/nothing', { headers: { [name]: value } })).status, 404, name)
    assert.equal((await world.get('/dashboard', { headers: { [name]: value } })).status, 307, name)
  }
  // HEAD works wherever GET does, and has no side effects.
  for (const provider of ['google', 'github']) {
    const path = `/api/auth/callback/${provider}?code=x&state=y`
    const jar = new Jar({ 'authjs.state': 'kept' })
    const result = await world.get(path, { method: 'HEAD', jar })
    assert.deepEqual([result.status, result.text, result.setCookies], [302, '', []], path)
  }
  assert.equal((await world.get('/api/auth/callback/nobody', { method: 'HEAD' })).status, 404)
  // Cacheable responses contain no nonce, and RSC redirects set Vary.
  if (hasModule('content')) {
    for (const path of ['/posts/feed.xml', '/posts/feed.json']) {
      const feed = await world.get(path)
      assert.match(feed.headers['cache-control'] ?? '', /^public/, path)
      assert.doesNotMatch(feed.headers['content-security-policy'] ?? '', /nonce-/, path)
    }
  }
  const redirect = await world.get('/signin', { headers: { RSC: '1' } })
  assert.equal(redirect.status, 307)
  assert.match(redirect.headers.vary ?? '', /\brsc\b/i)
  assert.match(redirect.headers['cache-control'] ?? '', /no-store/)
})

check(
  'H-381',
  'without CORS_CREDENTIALS a listed origin cannot use the cookie, from the same site either',
  async (world) => {
    const listedOrigin = 'https://a.test'
    const node = await world.node('friend', { CORS_ORIGINS: listedOrigin })
    const trusting = await world.node('friend with cookies', { CORS_ORIGINS: listedOrigin, CORS_CREDENTIALS: 'true' })
    const { jar, token } = await world.newSession({ role: 'admin' })
    for (const site of ['same-site', 'cross-site', undefined]) {
      const headers = { Origin: listedOrigin, ...(site && { 'Sec-Fetch-Site': site }) }
      const send = (path: string, more: CallOptions = {}, at = node) =>
        call(at.url, path, { method: 'POST', headers, ...more })
      const withBearer = { ...headers, Authorization: `Bearer ${token}` }
      for (const [path, how] of [
        ['/api/auth/signout', { jar: jar.copy() }],
        ['/api/auth/signout', { jar: jar.copy(), headers: withBearer }],
        ['/api/auth/acting', { jar: jar.copy() }],
      ] as const) {
        const result = await send(path, how)
        assert.deepEqual([result.status, result.json().code], [403, 'cross_site'], `${site} ${path}`)
      }
      assert.notEqual(await world.getSession(token), null)
      // Without a cookie it can sign in for a token and sign out again.
      const { email } = await world.newUser()
      const body = { email, password, token: true }
      const result = await send('/api/auth/signin', { body })
      assert.deepEqual([result.status, result.setCookies], [200, []])
      assert.equal(result.headers['access-control-allow-origin'], listedOrigin)
      const Authorization = `Bearer ${result.json().token}`
      registerSecret(result.json().token)
      assert.equal((await send('/api/auth/signout', { headers: { ...headers, Authorization } })).status, 302)
      assert.equal(await world.getSession(result.json().token), null)
      // With CORS_CREDENTIALS it may send the cookie.
      const other = await world.newSession()
      assert.equal((await send('/api/auth/signout', { jar: other.jar }, trusting)).status, 302)
      assert.equal(await world.getSession(other.token), null)
    }
  },
  { full: 'needs other servers' },
)
