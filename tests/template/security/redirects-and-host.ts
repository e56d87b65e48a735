// Open redirects and Host header attacks.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { appSlug } from '../../../src/brand.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { call, callRaw, Jar } from '../../app/support/http-client.ts'
import { runUntilExit } from '../../app/support/server.ts'
import { password, type World } from '../../app/support/test-world.ts'
import { seed } from '../support/rounds.ts'
import { callCallback, giveConsent, startOAuth } from './support/oauth-flow.ts'
import { strangeUrl } from './support/strange-url.ts'

/** Where each sign-in endpoint redirects with this callbackUrl: the API in both modes, and the sign-in page. */
async function redirectsFor(world: World, value: unknown): Promise<string[]> {
  const user = await world.newUser()
  const jar = new Jar()
  const body = { email: user.email, password, callbackUrl: value }
  const asJson = await call(world.app.url, '/api/auth/signin', { body: { ...body, redirect: false } })
  const redirected = await call(world.app.url, '/api/auth/signin', { body, jar })
  assert.deepEqual([asJson.status, redirected.status], [200, 302], JSON.stringify(value))
  const redirects = [asJson.json().url, redirected.headers.location ?? '']
  if (typeof value === 'string') {
    // The sign-in page redirects users who are already signed in.
    const page = await call(world.app.url, `/signin?${new URLSearchParams({ callbackUrl: value })}`, { jar })
    assert.equal(page.status, 307, JSON.stringify(value))
    redirects.push((page.headers.location ?? '').replace(/^\/dashboard$/, '/'))
  }
  return redirects
}

const assertSameOrigin = (world: World, redirect: string, what: unknown) => {
  assert.equal(
    new URL(redirect, world.app.url).origin,
    world.app.url,
    `${JSON.stringify(what)} redirects to ${redirect}`,
  )
  assert.match(redirect, /^\/(?![/\\])/, JSON.stringify(what))
}

async function assertRedirectsHome(world: World, values: unknown[]): Promise<void> {
  for (const value of values)
    for (const redirect of await redirectsFor(world, value)) {
      assertSameOrigin(world, redirect, value)
      assert.equal(redirect, '/', JSON.stringify(value))
    }
}

check('H-163', 'javascript:, data: and similar URLs as callbackUrl redirect to /', async (world) => {
  await assertRedirectsHome(world, [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:x',
    'about:blank',
  ])
})

check('H-164', 'tricks with slashes and backslashes never redirect to another site', async (world) => {
  await assertRedirectsHome(world, [
    '//evil.example',
    '///evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '\\/evil.example',
    '/\\/evil.example',
    '//\\evil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/x/..//evil.example',
  ])
  for (const value of ['/%5Cevil.example', '/%2F%2Fevil.example', '/%2Fevil.example', '/.evil.example'])
    for (const redirect of await redirectsFor(world, value)) assertSameOrigin(world, redirect, value)
})

check('H-165', 'URLs of other sites, however written, redirect to /', async (world) => {
  const { host } = new URL(world.app.url)
  await assertRedirectsHome(world, [
    'https://evil.example',
    'http:evil.example',
    'https:/evil.example',
    'https:evil.example',
    `//${host}@evil.example`,
    `https://${host}.evil.example`,
    `https://evil.example#${host}`,
    `https://evil.example/${host}`,
    `http://${host}`,
    '@evil.example',
    '.evil.example',
    'evil.example',
    '?x=//evil.example',
    '#//evil.example',
    ':80',
  ])
})

check('H-166', 'control characters and line separators redirect to / and split no header', async (world) => {
  await assertRedirectsHome(world, [
    '/\t/evil.example',
    '/\n/evil.example',
    '/\r\nLocation: https://evil.example',
    '\t//evil.example',
    '/x\u2028y',
    '/x\u2029y',
    '/\0',
    '/x\x7fy',
  ])
  for (const value of [
    '/%09/evil.example',
    '/%0d%0aLocation:%20https://evil.example',
    '/%E2%80%A8/evil.example',
    '/x%00y',
  ]) {
    for (const redirect of await redirectsFor(world, value)) {
      assertSameOrigin(world, redirect, value)
      assert.doesNotMatch(redirect, /[\r\n]/)
    }
  }
})

check('H-167', 'the redirect goes only to pages, not to the API or /_next files', async (world) => {
  await assertRedirectsHome(world, [
    '/api/auth/signout',
    '/API/auth/signout',
    '/api',
    '/api/../api/health',
    '/x/../api/health',
    '/./api/health',
    '/%2e/api/health',
    '/x/%2e%2e/api/auth/signout',
    '/_next/static/x.js',
    '/_NEXT/x',
    '/x/../_next/data',
  ])
  for (const redirect of await redirectsFor(world, '/apiary')) assert.equal(redirect, '/apiary')
})

check('H-168', 'a callbackUrl of 10 KB, an array or an object redirects to /', async (world) => {
  await assertRedirectsHome(world, [`/${'x'.repeat(10_000)}`, ['/x'], { toString: '/x' }, 7, true, null, ''])
  const { email } = await world.newUser()
  const twice = await world.get('/signin?callbackUrl=/a&callbackUrl=//evil.example', {
    jar: await world.signIn({ id: '', email }),
  })
  assert.deepEqual([twice.status, twice.headers.location], [307, '/dashboard'])
})

check(
  'H-169',
  'a tampered callback-url cookie never redirects to another site',
  async (world) => {
    for (const tampered of [
      'https://evil.example',
      '//evil.example',
      'javascript:alert(1)',
      'foo:bar',
      `${world.app.url}.evil.example`,
      `${world.app.url}@evil.example`,
      `${world.app.url}//evil.example`,
      '%',
      'x'.repeat(5_000),
    ]) {
      const jar = new Jar()
      const authorization = await startOAuth(world.app, 'github', jar)
      assert.notEqual(jar.get(`${appSlug}.callback-url`), '')
      const callback = await giveConsent(authorization, 'github', `led.${crypto.randomUUID()}@example.com`)
      jar.values.set(`${appSlug}.callback-url`, encodeURIComponent(tampered))
      const response = await callCallback(world.app, callback, jar)
      assert.equal(response.status, 302, tampered)
      const { origin, pathname } = new URL(response.headers.location ?? '', world.app.url)
      assert.equal(origin, world.app.url, tampered)
      assert.ok(['/dashboard', '/signin'].includes(pathname), `${tampered} redirects to ${pathname}`)
    }
    // Also when the OAuth flow is started with such a URL.
    for (const asked of ['https://evil.example', '//evil.example', '/api/auth/signout']) {
      const jar = new Jar()
      const callback = await giveConsent(
        await startOAuth(world.app, 'google', jar, asked),
        'google',
        `led.${crypto.randomUUID()}@example.com`,
      )
      const response = await callCallback(world.app, callback, jar)
      assert.equal(response.headers.location, `${world.app.url}/dashboard`, asked)
    }
  },
  { full: 'takes long' },
)

check(
  'H-170',
  'for random callback URLs, Node and Chromium agree that the redirect is same-origin',
  async (world) => {
    const { jar } = await world.newSession()
    const values = [
      ...new Set([
        ...fc.sample(strangeUrl, { numRuns: 260, seed }),
        ...fc.sample(strangeUrl, { numRuns: 140, seed }).map((value) => `/${value}`),
        ...fc.sample(fc.webUrl(), { numRuns: 50, seed }),
        ...fc.sample(fc.string({ unit: 'binary' }), { numRuns: 50, seed }),
      ]),
    ]
    const redirects: [value: string, place: string][] = []
    for (const value of values) {
      const response = await world.get(`/signin?${new URLSearchParams({ callbackUrl: value.toWellFormed() })}`, {
        jar: jar.copy(),
      })
      assert.equal(response.status, 307, JSON.stringify(value))
      const redirect = response.headers.location ?? ''
      assertSameOrigin(world, redirect, value)
      redirects.push([value, redirect])
    }
    const context = await (await world.browser()).newContext()
    try {
      const page = await context.newPage()
      await page.goto(`${world.app.url}/signed-out`)
      const origins = await page.evaluate(
        (given) =>
          given.map((redirect) => {
            const link = document.createElement('a')
            link.href = redirect
            return [new URL(redirect, location.href).origin, link.origin]
          }),
        redirects.map(([, redirect]) => redirect),
      )
      for (const [index, pair] of origins.entries())
        for (const origin of pair) assert.equal(origin, world.app.url, JSON.stringify(redirects[index]))
    } finally {
      await context.close()
    }
    const followed = redirects.filter(([, redirect]) => redirect !== '/dashboard').length
    assert.ok(followed > 20, 'too few random URLs were followed for the check to prove anything')
    return `${redirects.length} URLs, ${followed} of them followed`
  },
  { full: 'needs a browser' },
)

const forgedHosts: Record<string, string>[] = [
  { Host: 'evil.example' },
  { 'X-Forwarded-Host': 'evil.example' },
  { 'X-Forwarded-Host': 'evil.example', 'X-Forwarded-Proto': 'https', 'X-Forwarded-Port': '443' },
  { Forwarded: 'host=evil.example;proto=https' },
  {
    'X-Host': 'evil.example',
    'X-Original-Host': 'evil.example',
    'X-Original-URL': 'https://evil.example/',
    'X-Rewrite-URL': '/evil.example',
  },
  { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' },
]

/** Requests a password reset with these headers and returns the URL in the email, or '' without an email. */
async function resetUrlWith(world: World, headers: Record<string, string>): Promise<string> {
  const { email } = await world.newUser()
  await submitAction(world, 'askForReset', { email }, { path: '/forgot', headers, allow500: true })
  const [message] = await world.emailsTo(email)
  return /https?:\/\/\S+/.exec(message?.text ?? '')?.[0] ?? ''
}

check(
  'H-171',
  'links in emails use AUTH_URL, whatever the Host header says',
  async (world) => {
    assert.equal(new URL(await resetUrlWith(world, {})).origin, world.app.url)
    // Next rejects an action when Host and Origin differ, but may run it when both are forged alike.
    const asked: Record<string, string>[] = [
      { Host: 'evil.example' },
      { Host: 'evil.example', Origin: 'http://evil.example' },
    ]
    for (const headers of asked) {
      const resetUrl = await resetUrlWith(world, headers)
      assert.ok(resetUrl === '' || new URL(resetUrl).origin === world.app.url, resetUrl)
    }
  },
  { full: 'takes long' },
)

check('H-172', 'no redirect, page, cookie or OAuth redirect_uri contains a host from forged headers', async (world) => {
  const { email, jar } = await world.newSession()
  for (const headers of forgedHosts) {
    const what = JSON.stringify(headers)
    const responses = [
      await world.get('/api/auth/signin', { body: { email, password, callbackUrl: '/dashboard' }, headers }),
      await world.get('/api/auth/signin', { headers }),
      await world.get('/dashboard', { headers }),
      await world.get('/signin', { headers, jar: jar.copy() }),
      await world.get('/api/auth/callback/google?code=x&state=y', { headers }),
      await world.get('/api/auth/providers', { headers }),
      await world.get('/api/auth/error?error=x', { headers }),
      await world.get('/', { headers }),
      await world.get('/dashboard/', { headers }),
    ]
    for (const response of responses) {
      assert.ok(
        !`${response.head}\n${response.text}`.includes('evil.example'),
        `${what}: ${response.status} ${response.head}`,
      )
      const { location } = response.headers
      if (location) assert.equal(new URL(location, world.app.url).origin, world.app.url, what)
    }
    const browser = new Jar()
    const { csrfToken } = (await world.get('/api/auth/csrf', { jar: browser, headers })).json()
    const started = await world.get('/api/auth/signin/google', {
      body: new URLSearchParams({ csrfToken }).toString(),
      headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
      jar: browser,
    })
    const authorizationUrl = new URL(started.headers.location ?? '')
    assert.equal(authorizationUrl.searchParams.get('redirect_uri'), `${world.app.url}/api/auth/callback/google`, what)
  }
  const { port } = new URL(world.app.url)
  for (const line of [
    'GET http://evil.example/dashboard HTTP/1.1',
    `GET http://evil.example:${port}/api/auth/signin HTTP/1.1`,
    'GET //evil.example/dashboard HTTP/1.1',
    'GET /\\evil.example/dashboard HTTP/1.1',
  ]) {
    const response = await callRaw(world.app.url, `${line}\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
    const location = response.headers.location ?? '/'
    assert.equal(new URL(location, world.app.url).origin, world.app.url, `${line}: ${location}`)
  }
  for (const headers of forgedHosts.slice(1, 5)) {
    const resetUrl = await resetUrlWith(world, headers)
    assert.ok(resetUrl === '' || new URL(resetUrl).origin === world.app.url, `${JSON.stringify(headers)}: ${resetUrl}`)
  }
})

check(
  'H-173',
  'an unknown Host header does not change the response',
  async (world) => {
    // Without a proxy nothing responds 421, so check that the Host header has no effect at all.
    const { jar } = await world.newSession()
    const seen = async (path: string, host?: string) => {
      // Streamed pages differ in chunk order, so compare the sorted words.
      const response = await world.get(path, {
        jar: jar.copy(),
        headers: { 'X-Request-Id': 'the-same-for-all', ...(host && { Host: host }) },
      })
      const normalize = (text: string) =>
        text.replaceAll(/nonce="[^"]+"|nonce-[^']+|\\"[\w+/]{22}==\\"|^Date: .*$|just now|\d+ \w+ ago/gim, '')
      return {
        status: response.status,
        head: normalize(response.head),
        text: normalize(response.text).split(/\W+/).sort().join(' '),
      }
    }
    for (const path of [
      '/',
      '/signin',
      '/dashboard',
      '/api/auth/session',
      '/api/health',
      '/robots.txt',
      '/no-such-page',
    ]) {
      const expected = await seen(path)
      for (const host of [
        'evil.example',
        'evil.example:443',
        '169.254.169.254',
        'localhost.evil.example',
        '[::1]',
        'x'.repeat(300),
      ])
        assert.deepEqual(await seen(path, host), expected, `${path} for ${host.slice(0, 30)}`)
    }
    const bare = await callRaw(world.app.url, 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n')
    assert.equal(bare.status, 400)
    const twice = await callRaw(
      world.app.url,
      'GET /signin HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    )
    assert.ok(!`${twice.head}${twice.text}`.includes('evil.example'))
  },
  { full: 'takes long' },
)

check(
  'H-174',
  'production does not start with a missing or invalid AUTH_URL',
  async (world) => {
    const wrong = [
      '',
      'app.example.com',
      'http://app.example.com',
      'https://app.example.com/',
      'https://app.example.com/path',
      '*',
    ]
    const ended: [string, Awaited<ReturnType<typeof runUntilExit>>][] = []
    for (let index = 0; index < wrong.length; index += 2)
      ended.push(
        ...(await Promise.all(
          wrong
            .slice(index, index + 2)
            .map(
              async (value): Promise<(typeof ended)[number]> => [
                value,
                await runUntilExit({ ...world.env, AUTH_URL: value }),
              ],
            ),
        )),
      )
    for (const [value, { code, output, hasResponded }] of ended) {
      assert.deepEqual([code, hasResponded], [1, false], value)
      assert.match(output, /AUTH_URL: (is missing|is not an origin|must be https)/, value)
    }
  },
  { full: 'takes long' },
)
