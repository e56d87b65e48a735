// Cross-site requests: CSRF, login CSRF and forged Origin headers.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { appSlug } from '../../../src/brand.ts'
import { callAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { type CallOptions, call, type HttpResponse, Jar } from '../../app/support/http-client.ts'
import { randomIp } from '../../app/support/random-ip.ts'
import { password, snapshotState, type World } from '../../app/support/test-world.ts'
import { startOAuth } from './support/oauth-flow.ts'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const evil = 'https://evil.example'
/** Headers of cross-site requests. */
const crossSiteHeaders: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: evil },
  { 'Sec-Fetch-Site': 'anything else' },
  { 'Sec-Fetch-Site': '' },
  { Origin: evil },
  { Origin: 'null' },
]

const assertCrossSite = (response: HttpResponse, what: unknown) => {
  assert.deepEqual([response.status, response.json().code], [403, 'cross_site'], JSON.stringify(what))
  assert.deepEqual(response.setCookies, [])
}

/** Without a valid CSRF token Auth.js redirects to the sign-in page and starts no OAuth flow. */
const assertNotStarted = (response: HttpResponse, what = '') => {
  assert.equal(response.status, 302, what)
  assert.match(response.headers.location ?? '', /^(http:\/\/localhost:\d+)?\/signin\b/, what)
  assert.ok(!response.setCookies.some((line) => /state|pkce|nonce/.test(line.split('=')[0] ?? '')), what)
}

const postOAuthForm = (world: World, csrfToken: string | undefined, jar: Jar, headers: Record<string, string> = {}) =>
  world.get('/api/auth/signin/google', {
    body: new URLSearchParams(csrfToken === undefined ? {} : { csrfToken }).toString(),
    headers: { ...form, ...headers },
    jar,
  })

const csrf = async (world: World, jar: Jar): Promise<string> =>
  (await world.get('/api/auth/csrf', { jar })).json().csrfToken

check(
  'H-111',
  'a form post without a CSRF token starts no OAuth flow, and cross-site sign-in and sign-out get 403',
  async (world) => {
    const { email, jar, id } = await world.newSession()
    assertNotStarted(await postOAuthForm(world, undefined, jar.copy()))
    assertNotStarted(await postOAuthForm(world, '', new Jar()))
    for (const headers of crossSiteHeaders) {
      assertCrossSite(await world.get('/api/auth/signin', { body: { email, password }, headers }), headers)
      assertCrossSite(await world.get('/api/auth/signout', { method: 'POST', jar: jar.copy(), headers }), headers)
      const asForm: CallOptions = { body: 'redirect=true', headers: { ...form, ...headers }, jar: jar.copy() }
      assertCrossSite(await world.get('/api/auth/signout', asForm), headers)
    }
    assert.equal((await world.getSession(jar)).user.id, id)
  },
)

check('H-112', 'an action with Origin: null is rejected and changes nothing', async (world) => {
  const { email } = await world.newUser()
  const before = await snapshotState(world)
  for (const path of ['/signin', '/']) {
    const response = await callAction(world, 'signIn', { email, password }, { path, headers: { Origin: 'null' } })
    assert.equal(response.status, 403)
    assert.notEqual((response.value as { ok?: boolean } | undefined)?.ok, true)
    assert.deepEqual(response.setCookies, [])
    const told = await callAction(
      world,
      'signIn',
      { email, password },
      { path, headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } },
    )
    assert.deepEqual(told.setCookies, [])
  }
  assert.equal(await snapshotState(world), before)
})

check('H-113', 'a cross-site form post with JSON disguised as text/plain is rejected', async (world) => {
  const { email } = await world.newUser()
  const body = `{"email":"${email}","password":"${password}","x":"="}`
  for (const headers of [{}, ...crossSiteHeaders]) {
    const response = await world.get('/api/auth/signin', {
      body,
      headers: { ...headers, 'Content-Type': 'text/plain' },
    })
    assert.ok([403, 415].includes(response.status), String(response.status))
    assert.deepEqual(response.setCookies, [])
  }
})

check(
  'H-114',
  'in Chromium, a page of another origin can neither sign a user in nor read a response',
  async (world) => {
    const { email, id } = await world.newUser()
    const site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
    )
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const address = site.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const context = await (await world.browser()).newContext({ extraHTTPHeaders: { 'x-forwarded-for': randomIp() } })
    try {
      const page = await context.newPage()
      const statuses: [string, number][] = []
      const failures: string[] = []
      page.on('requestfailed', (request) => failures.push(`${request.method()} ${request.failure()?.errorText}`))
      page.on('response', (response) => {
        if (response.url().includes('/api/auth/signin')) statuses.push([response.request().method(), response.status()])
      })
      await page.goto(`http://127.0.0.1:${port}/`)
      const ask = (mode: 'cors' | 'no-cors', type: string) =>
        page.evaluate(
          async ({ url, mode, type, body }) => {
            try {
              const response = await fetch(url, {
                method: 'POST',
                mode,
                credentials: 'include',
                headers: { 'content-type': type },
                body,
              })
              return `${response.type} ${response.status}`
            } catch {
              return 'failed'
            }
          },
          {
            url: `${world.app.url}/api/auth/signin`,
            mode,
            type,
            body: JSON.stringify({ email, password, redirect: false }),
          },
        )
      // Cross-Origin-Resource-Policy blocks even the opaque response.
      assert.equal(await ask('no-cors', 'application/json'), 'failed')
      // The JSON request fails in its preflight; the text/plain one is sent, but the page cannot read the response.
      assert.equal(await ask('cors', 'application/json'), 'failed')
      assert.equal(await ask('cors', 'text/plain'), 'failed')
      assert.deepEqual(failures, [
        'POST net::ERR_BLOCKED_BY_RESPONSE.NotSameOrigin',
        'POST net::ERR_FAILED',
        'POST net::ERR_FAILED',
      ])
      const reading = await page.evaluate(
        (url) =>
          fetch(url, { credentials: 'include' }).then(
            (response) => response.text(),
            () => 'failed',
          ),
        `${world.app.url}/api/auth/session`,
      )
      assert.equal(reading, 'failed')
      assert.deepEqual(await context.cookies(), [])
      // A plain HTML form needs neither a script nor a preflight.
      await page.setContent(
        `<form method="post" enctype="text/plain" action="${world.app.url}/api/auth/signin"><input name='{"email":"${email}","password":"${password}","x":"' value='"}'><button>go</button></form>`,
      )
      await page.getByRole('button').click()
      await page.waitForURL('**/api/auth/signin')
      assert.deepEqual(statuses.at(-1), ['POST', 403])
      assert.deepEqual(await context.cookies(), [])
      assert.deepEqual(await world.query('select id from sessions where user_id = $1', [id]), [])
    } finally {
      await context.close()
      site.closeAllConnections()
      await new Promise((resolve) => site.close(resolve))
    }
  },
  { full: 'needs a browser' },
)

check(
  'H-115',
  'a CSRF token works only in the browser that it was issued to, and not across sign-in or sign-out',
  async (world) => {
    const [one, two] = [new Jar(), new Jar()]
    const tokenOfOne = await csrf(world, one)
    const tokenOfTwo = await csrf(world, two)
    assert.notEqual(tokenOfOne, tokenOfTwo)
    assertNotStarted(await postOAuthForm(world, tokenOfOne, two.copy()), 'from another browser')
    assertNotStarted(await postOAuthForm(world, tokenOfOne, new Jar()), 'without its cookie')
    const right = await postOAuthForm(world, tokenOfOne, one.copy())
    assert.match(right.headers.location ?? '', /code_challenge/)

    await world.signIn(await world.newUser(), { jar: one })
    assertNotStarted(await postOAuthForm(world, tokenOfOne, one.copy()), 'after sign-in')
    const whileSignedIn = await csrf(world, one)
    await world.get('/api/auth/signout', { method: 'POST', jar: one })
    assertNotStarted(await postOAuthForm(world, whileSignedIn, one.copy()), 'after sign-out')
  },
)

check(
  'H-116',
  'a CSRF token injected with its cookie is rejected from a sibling site, and cannot be injected over HTTPS',
  async (world) => {
    const made = 'a'.repeat(64)
    const forged = new Jar({ [`${appSlug}.csrf`]: `${made}%7C${'b'.repeat(64)}` })
    assertNotStarted(await postOAuthForm(world, made, forged), 'forged pair')
    // A valid pair that the attacker obtained in their own browser.
    const jar = new Jar()
    const token = await csrf(world, jar)
    for (const headers of crossSiteHeaders)
      assertCrossSite(await postOAuthForm(world, token, jar.copy(), headers), headers)
    // Over HTTPS the __Host- prefix makes browsers accept this cookie only from the host itself.
    const node = await world.secureNode()
    const secure = new Jar()
    const response = await call(node.url, '/api/auth/csrf', { jar: secure })
    assert.deepEqual(
      [...secure.values.keys()].filter((name) => name.includes('csrf')),
      [`__Host-${appSlug}.csrf`],
    )
    const injected = new Jar({ [`${appSlug}.csrf`]: secure.get(`__Host-${appSlug}.csrf`) })
    const started = await call(node.url, '/api/auth/signin/google', {
      body: new URLSearchParams({ csrfToken: response.json().csrfToken }).toString(),
      headers: form,
      jar: injected,
    })
    assert.ok([302, 404].includes(started.status))
    assert.doesNotMatch(started.headers.location ?? '', /code_challenge/)
  },
  { full: 'needs other servers' },
)

check('H-117', 'a CSRF token with any single character changed is rejected', async (world) => {
  const jar = new Jar()
  const token = await csrf(world, jar)
  for (let position = 0; position < token.length; position++) {
    const changed = token.slice(0, position) + (token[position] === '0' ? '1' : '0') + token.slice(position + 1)
    assertNotStarted(await postOAuthForm(world, changed, jar.copy()), String(position))
  }
  for (const changed of [token.toUpperCase(), ` ${token}`, token.slice(1), `${token}0`])
    if (changed !== token) assertNotStarted(await postOAuthForm(world, changed, jar.copy()), changed)
  assert.match((await postOAuthForm(world, token, jar.copy())).headers.location ?? '', /code_challenge/)
})

check(
  'H-118',
  'a cross-site or same-site Sec-Fetch-Site blocks every POST and action, and nothing changes',
  async (world) => {
    const { email, jar, id } = await world.newSession()
    const before = await snapshotState(world)
    for (const site of ['cross-site', 'same-site']) {
      for (const path of [
        '/api/auth/signin',
        '/api/auth/signout',
        '/api/auth/signin/google',
        '/api/auth/signin/github',
        '/api/health',
        '/api/auth/session',
      ]) {
        const response = await world.get(path, {
          body: { email, password },
          headers: { 'Sec-Fetch-Site': site },
          jar: jar.copy(),
        })
        assert.ok([403, 405].includes(response.status), `${path}: ${response.status}`)
        assert.deepEqual(response.setCookies, [], path)
      }
      for (const [action, input] of [
        ['signIn', { email, password }],
        ['startWithProvider', { provider: 'google' }],
      ] as const) {
        for (const origin of [{}, { Origin: world.app.url }] as Record<string, string>[]) {
          const response = await callAction(world, action, input, {
            headers: { 'Sec-Fetch-Site': site, ...origin },
            jar: jar.copy(),
          })
          assert.deepEqual(response.value, {
            ok: false,
            error: { code: 'cross_site', message: 'Request blocked: it came from another site' },
          })
          assert.deepEqual(response.setCookies, [])
        }
      }
    }
    assert.equal(await snapshotState(world), before)
    assert.equal((await world.getSession(jar)).user.id, id)
  },
)

check('H-119', 'an action with a session but neither Origin nor Sec-Fetch-Site is rejected', async (world) => {
  const { email, jar } = await world.newSession()
  const before = await snapshotState(world)
  for (const path of ['/signin', '/', '/dashboard', '/no-such-page']) {
    for (const [action, input] of [
      ['signIn', { email, password }],
      ['startWithProvider', { provider: 'github' }],
    ] as const) {
      const response = await callAction(world, action, input, { path, jar: jar.copy() })
      assert.equal(
        (response.value as { error?: { code: string } } | undefined)?.error?.code,
        'cross_site',
        `${action} at ${path}: ${response.status} ${response.text.slice(0, 200)}`,
      )
      assert.deepEqual(response.setCookies, [])
    }
  }
  assert.equal(await snapshotState(world), before)
  // With an Origin the same call succeeds, so the call itself is valid.
  const right = await callAction(world, 'signIn', { email, password }, { headers: { Origin: world.app.url } })
  assert.ok(right.setCookies.some((line) => line.startsWith(`${appSlug}.session=`)))
})

check('H-120', 'a forged X-Forwarded-Host does not make another origin same-site', async (world) => {
  const { email, jar } = await world.newSession()
  const before = await snapshotState(world)
  for (const host of ['evil.example', 'evil.example:443']) {
    const headers = {
      Origin: `https://${host}`,
      'X-Forwarded-Host': host,
      'X-Forwarded-Proto': 'https',
      Forwarded: `host=${host};proto=https`,
    }
    assertCrossSite(await world.get('/api/auth/signin', { body: { email, password }, headers, jar: jar.copy() }), host)
    assertCrossSite(
      await world.get('/api/auth/signin', {
        body: { email, password },
        headers: { ...headers, Host: host },
        jar: jar.copy(),
      }),
      host,
    )
    const response = await callAction(world, 'signIn', { email, password }, { headers, jar: jar.copy() })
    assert.notEqual((response.value as { ok?: boolean } | undefined)?.ok, true)
    assert.deepEqual(response.setCookies, [])
    const asHost = await callAction(
      world,
      'signIn',
      { email, password },
      { headers: { ...headers, Host: host }, jar: jar.copy() },
    )
    assert.deepEqual(asHost.setCookies, [])
  }
  assert.equal(await snapshotState(world), before)
})

check('H-121', 'another site cannot sign a user in to the attacker’s account (login CSRF)', async (world) => {
  const victim = await world.newSession()
  const attacker = await world.newUser()
  for (const headers of crossSiteHeaders) {
    const jar = victim.jar.copy()
    assertCrossSite(
      await world.get('/api/auth/signin', { body: { email: attacker.email, password }, headers, jar }),
      headers,
    )
    assert.equal((await world.getSession(jar)).user.id, victim.id)
    const actionResponse = await callAction(world, 'signIn', { email: attacker.email, password }, { headers, jar })
    assert.deepEqual(actionResponse.setCookies, [])
  }
  // With OAuth: the attacker's callback URL fails in the victim's browser, which lacks the state cookie.
  const jar = new Jar()
  const authorization = await startOAuth(world.app, 'google', jar)
  const callback = `/api/auth/callback/google?code=x&state=${authorization.searchParams.get('state')}`
  const response = await world.get(callback, { jar: victim.jar.copy() })
  assert.match(response.headers.location ?? '', /\/signin\?error=/)
  assert.equal((await world.getSession(victim.jar)).user.id, victim.id)
})

check('H-122', 'a GET or prefetch of the sign-in and sign-out URLs changes nothing', async (world) => {
  const { jar, id, email } = await world.newSession()
  const before = await snapshotState(world)
  const query = new URLSearchParams({ email, password, redirect: 'false', csrfToken: 'x', callbackUrl: '/' })
  const headerSets: Record<string, string>[] = [
    {},
    { Purpose: 'prefetch' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { 'X-Middleware-Prefetch': '1', 'Next-Router-Prefetch': '1', RSC: '1' },
    { 'X-HTTP-Method-Override': 'POST', 'X-Method-Override': 'POST' },
  ]
  for (const headers of headerSets) {
    for (const method of ['GET', 'HEAD'])
      for (const path of [
        '/api/auth/signout',
        '/api/auth/signin',
        '/api/auth/signin/google',
        '/api/auth/signin/github',
        '/signout',
      ]) {
        const response = await world.get(`${path}?${query}&_method=POST`, { method, headers, jar: jar.copy() })
        assert.ok([302, 307, 404, 405].includes(response.status), `${method} ${path}: ${response.status}`)
        assert.ok(!response.setCookies.some((line) => /session|state/.test(line.split('=')[0] ?? '')), path)
        assert.doesNotMatch(response.headers.location ?? '', /code_challenge/)
      }
  }
  assert.equal(await snapshotState(world), before)
  assert.equal((await world.getSession(jar)).user.id, id)
})
