// G. What another site can make a browser do.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { check } from './checks.ts'
import { type Answer, type Call, call, Jar, someAddress } from './client.ts'
import { start } from './oauth-journey.ts'
import { act, image, password, type World } from './world.ts'

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
const evil = 'https://evil.example'
/** What browsers say of a request that another site made. */
const elsewhere: Record<string, string>[] = [
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: evil },
  { 'Sec-Fetch-Site': 'anything else' },
  { 'Sec-Fetch-Site': '' },
  { Origin: evil },
  { Origin: 'null' },
]

const isCrossSite = (answer: Answer, what: unknown) => {
  assert.deepEqual([answer.status, answer.json().code], [403, 'cross_site'], JSON.stringify(what))
  assert.deepEqual(answer.setCookies, [])
}

/** Auth.js sends whoever has no right token back to the page, and starts nothing. */
const isNotStarted = (answer: Answer, what = '') => {
  assert.equal(answer.status, 302, what)
  assert.match(answer.headers.location ?? '', /^(http:\/\/localhost:\d+)?\/signin\b/, what)
  assert.ok(!answer.setCookies.some((line) => /state|pkce|nonce/.test(line.split('=')[0] ?? '')), what)
}

const startWith = (world: World, csrfToken: string | undefined, jar: Jar, headers: Record<string, string> = {}) =>
  world.get('/api/auth/signin/google', {
    body: new URLSearchParams(csrfToken === undefined ? {} : { csrfToken }).toString(),
    headers: { ...form, ...headers },
    jar,
  })

const csrf = async (world: World, jar: Jar): Promise<string> =>
  (await world.get('/api/auth/csrf', { jar })).json().csrfToken

check(
  'H-111',
  'a form post without its token starts nothing, and another site’s sign-in and sign-out are 403',
  async (world) => {
    const { email, jar, id } = await world.newSession()
    isNotStarted(await startWith(world, undefined, jar.copy()))
    isNotStarted(await startWith(world, '', new Jar()))
    for (const headers of elsewhere) {
      isCrossSite(await world.get('/api/auth/signin', { body: { email, password }, headers }), headers)
      isCrossSite(await world.get('/api/auth/signout', { method: 'POST', jar: jar.copy(), headers }), headers)
      const asForm: Call = { body: 'redirect=true', headers: { ...form, ...headers }, jar: jar.copy() }
      isCrossSite(await world.get('/api/auth/signout', asForm), headers)
    }
    assert.equal((await world.session(jar)).user.id, id)
  },
)

check('H-112', 'an action from a page that hides its origin is refused and does nothing', async (world) => {
  const { email } = await world.newPerson()
  const before = await image(world)
  for (const path of ['/signin', '/']) {
    const answer = await act(world, 'signIn', { email, password }, { path, headers: { Origin: 'null' } })
    assert.equal(answer.status, 403)
    assert.notEqual((answer.value as { ok?: boolean } | undefined)?.ok, true)
    assert.deepEqual(answer.setCookies, [])
    const told = await act(
      world,
      'signIn',
      { email, password },
      { path, headers: { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' } },
    )
    assert.deepEqual(told.setCookies, [])
  }
  assert.equal(await image(world), before)
})

check('H-113', 'a form of another site that dresses its fields up as JSON is refused', async (world) => {
  const { email } = await world.newPerson()
  const body = `{"email":"${email}","password":"${password}","x":"="}`
  for (const headers of [{}, ...elsewhere]) {
    const answer = await world.get('/api/auth/signin', { body, headers: { ...headers, 'Content-Type': 'text/plain' } })
    assert.ok([403, 415].includes(answer.status), String(answer.status))
    assert.deepEqual(answer.setCookies, [])
  }
})

check(
  'H-114',
  'in Chromium, a page of another origin can neither sign anybody in nor read an answer',
  async (world) => {
    const { email, id } = await world.newPerson()
    const site = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Elsewhere</title>'),
    )
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve))
    const address = site.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const context = await (await world.browser()).newContext({ extraHTTPHeaders: { 'x-forwarded-for': someAddress() } })
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
      // Cross-Origin-Resource-Policy keeps even an answer without content from the page.
      assert.equal(await ask('no-cors', 'application/json'), 'failed')
      // The next stops at the question that the browser asks first; the last is sent, and its answer kept from the page.
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
            (answer) => answer.text(),
            () => 'failed',
          ),
        `${world.app.url}/api/auth/session`,
      )
      assert.equal(reading, 'failed')
      assert.deepEqual(await context.cookies(), [])
      // A plain form, which needs no script and no permission.
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
)

check(
  'H-115',
  'a token for forms works only in the browser it was made for, and not across sign-in or sign-out',
  async (world) => {
    const [one, two] = [new Jar(), new Jar()]
    const tokenOfOne = await csrf(world, one)
    const tokenOfTwo = await csrf(world, two)
    assert.notEqual(tokenOfOne, tokenOfTwo)
    isNotStarted(await startWith(world, tokenOfOne, two.copy()), 'of another browser')
    isNotStarted(await startWith(world, tokenOfOne, new Jar()), 'without its cookie')
    const right = await startWith(world, tokenOfOne, one.copy())
    assert.match(right.headers.location ?? '', /code_challenge/)

    await world.signIn(await world.newPerson(), { jar: one })
    isNotStarted(await startWith(world, tokenOfOne, one.copy()), 'after sign-in')
    const whileSignedIn = await csrf(world, one)
    await world.get('/api/auth/signout', { method: 'POST', jar: one })
    isNotStarted(await startWith(world, whileSignedIn, one.copy()), 'after sign-out')
  },
)

check(
  'H-116',
  'a token that was planted together with its cookie is refused from a sibling site, and cannot be planted over https',
  async (world) => {
    const made = 'a'.repeat(64)
    const forged = new Jar({ 'plinth.csrf': `${made}%7C${'b'.repeat(64)}` })
    isNotStarted(await startWith(world, made, forged), 'made up')
    // A real pair, which the attacker got for himself.
    const jar = new Jar()
    const token = await csrf(world, jar)
    for (const headers of elsewhere) isCrossSite(await startWith(world, token, jar.copy(), headers), headers)
    // Over https browsers take a cookie of this name from nobody but this very host.
    const node = await world.secureNode()
    const secure = new Jar()
    const answer = await call(node.url, '/api/auth/csrf', { jar: secure })
    assert.deepEqual(
      [...secure.values.keys()].filter((name) => name.includes('csrf')),
      ['__Host-plinth.csrf'],
    )
    const planted = new Jar({ 'plinth.csrf': secure.get('__Host-plinth.csrf') })
    const started = await call(node.url, '/api/auth/signin/google', {
      body: new URLSearchParams({ csrfToken: answer.json().csrfToken }).toString(),
      headers: form,
      jar: planted,
    })
    assert.ok([302, 404].includes(started.status))
    assert.doesNotMatch(started.headers.location ?? '', /code_challenge/)
  },
)

check('H-117', 'a token for forms with any one character changed is refused', async (world) => {
  const jar = new Jar()
  const token = await csrf(world, jar)
  for (let place = 0; place < token.length; place++) {
    const changed = token.slice(0, place) + (token[place] === '0' ? '1' : '0') + token.slice(place + 1)
    isNotStarted(await startWith(world, changed, jar.copy()), String(place))
  }
  for (const changed of [token.toUpperCase(), ` ${token}`, token.slice(1), `${token}0`])
    if (changed !== token) isNotStarted(await startWith(world, changed, jar.copy()), changed)
  assert.match((await startWith(world, token, jar.copy())).headers.location ?? '', /code_challenge/)
})

check(
  'H-118',
  'Sec-Fetch-Site of another site stops every post and every action, and nothing happens',
  async (world) => {
    const { email, jar, id } = await world.newSession()
    const before = await image(world)
    for (const site of ['cross-site', 'same-site']) {
      for (const path of [
        '/api/auth/signin',
        '/api/auth/signout',
        '/api/auth/signin/google',
        '/api/auth/signin/github',
        '/api/health',
        '/api/auth/session',
      ]) {
        const answer = await world.get(path, {
          body: { email, password },
          headers: { 'Sec-Fetch-Site': site },
          jar: jar.copy(),
        })
        assert.ok([403, 405].includes(answer.status), `${path}: ${answer.status}`)
        assert.deepEqual(answer.setCookies, [], path)
      }
      for (const [action, input] of [
        ['signIn', { email, password }],
        ['startWithProvider', { provider: 'google' }],
      ] as const) {
        for (const origin of [{}, { Origin: world.app.url }] as Record<string, string>[]) {
          const answer = await act(world, action, input, {
            headers: { 'Sec-Fetch-Site': site, ...origin },
            jar: jar.copy(),
          })
          assert.deepEqual(answer.value, {
            ok: false,
            error: { code: 'cross_site', message: 'The request came from another site' },
          })
          assert.deepEqual(answer.setCookies, [])
        }
      }
    }
    assert.equal(await image(world), before)
    assert.equal((await world.session(jar)).user.id, id)
  },
)

check('H-119', 'an action with a session but neither Origin nor Sec-Fetch-Site is refused', async (world) => {
  const { email, jar } = await world.newSession()
  const before = await image(world)
  for (const path of ['/signin', '/', '/dashboard', '/no-such-page']) {
    for (const [action, input] of [
      ['signIn', { email, password }],
      ['startWithProvider', { provider: 'github' }],
    ] as const) {
      const answer = await act(world, action, input, { path, jar: jar.copy() })
      assert.equal(
        (answer.value as { error?: { code: string } } | undefined)?.error?.code,
        'cross_site',
        `${action} at ${path}: ${answer.status} ${answer.text.slice(0, 200)}`,
      )
      assert.deepEqual(answer.setCookies, [])
    }
  }
  assert.equal(await image(world), before)
  // And with them it works: the refusals above are not those of a broken call.
  const right = await act(world, 'signIn', { email, password }, { headers: { Origin: world.app.url } })
  assert.ok(right.setCookies.some((line) => line.startsWith('plinth.session=')))
})

check('H-120', 'another site that names itself as the forwarded host is still another site', async (world) => {
  const { email, jar } = await world.newSession()
  const before = await image(world)
  for (const host of ['evil.example', 'evil.example:443']) {
    const headers = {
      Origin: `https://${host}`,
      'X-Forwarded-Host': host,
      'X-Forwarded-Proto': 'https',
      Forwarded: `host=${host};proto=https`,
    }
    isCrossSite(await world.get('/api/auth/signin', { body: { email, password }, headers, jar: jar.copy() }), host)
    isCrossSite(
      await world.get('/api/auth/signin', {
        body: { email, password },
        headers: { ...headers, Host: host },
        jar: jar.copy(),
      }),
      host,
    )
    const answer = await act(world, 'signIn', { email, password }, { headers, jar: jar.copy() })
    assert.notEqual((answer.value as { ok?: boolean } | undefined)?.ok, true)
    assert.deepEqual(answer.setCookies, [])
    const asHost = await act(
      world,
      'signIn',
      { email, password },
      { headers: { ...headers, Host: host }, jar: jar.copy() },
    )
    assert.deepEqual(asHost.setCookies, [])
  }
  assert.equal(await image(world), before)
})

check('H-121', 'nobody is signed in to an attacker’s account by another site', async (world) => {
  const victim = await world.newSession()
  const attacker = await world.newPerson()
  for (const headers of elsewhere) {
    const jar = victim.jar.copy()
    isCrossSite(
      await world.get('/api/auth/signin', { body: { email: attacker.email, password }, headers, jar }),
      headers,
    )
    assert.equal((await world.session(jar)).user.id, victim.id)
    const acted = await act(world, 'signIn', { email: attacker.email, password }, { headers, jar })
    assert.deepEqual(acted.setCookies, [])
  }
  // By a provider: the attacker's own callback in the victim's browser has no state there.
  const jar = new Jar()
  const authorization = await start(world.app, 'google', jar)
  const callback = `/api/auth/callback/google?code=x&state=${authorization.searchParams.get('state')}`
  const answer = await world.get(callback, { jar: victim.jar.copy() })
  assert.match(answer.headers.location ?? '', /\/signin\?error=/)
  assert.equal((await world.session(victim.jar)).user.id, victim.id)
})

check('H-122', 'opening or prefetching the addresses of sign-in and sign-out changes nothing', async (world) => {
  const { jar, id, email } = await world.newSession()
  const before = await image(world)
  const query = new URLSearchParams({ email, password, redirect: 'false', csrfToken: 'x', callbackUrl: '/' })
  const ways: Record<string, string>[] = [
    {},
    { Purpose: 'prefetch' },
    { 'Sec-Purpose': 'prefetch;prerender' },
    { 'X-Middleware-Prefetch': '1', 'Next-Router-Prefetch': '1', RSC: '1' },
    { 'X-HTTP-Method-Override': 'POST', 'X-Method-Override': 'POST' },
  ]
  for (const headers of ways) {
    for (const method of ['GET', 'HEAD'])
      for (const path of [
        '/api/auth/signout',
        '/api/auth/signin',
        '/api/auth/signin/google',
        '/api/auth/signin/github',
        '/signout',
      ]) {
        const answer = await world.get(`${path}?${query}&_method=POST`, { method, headers, jar: jar.copy() })
        assert.ok([302, 307, 404, 405].includes(answer.status), `${method} ${path}: ${answer.status}`)
        assert.ok(!answer.setCookies.some((line) => /session|state/.test(line.split('=')[0] ?? '')), path)
        assert.doesNotMatch(answer.headers.location ?? '', /code_challenge/)
      }
  }
  assert.equal(await image(world), before)
  assert.equal((await world.session(jar)).user.id, id)
})
