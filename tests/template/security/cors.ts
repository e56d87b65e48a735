// CORS.
import assert from 'node:assert/strict'
import { check } from '../../app/support/checks.ts'
import { type CallOptions, call, callRaw, type HttpResponse } from '../../app/support/http-client.ts'
import { runUntilExit } from '../../app/support/server.ts'
import { password, snapshotState, unusedEmail, type World, wrongPassword } from '../../app/support/test-world.ts'

const listedOrigin = 'https://a.test'
const corsNode = (world: World) => world.node('friend', { CORS_ORIGINS: listedOrigin })
const credentialsNode = (world: World) =>
  world.node('friend with cookies', { CORS_ORIGINS: `${listedOrigin}, https://b.test:8443`, CORS_CREDENTIALS: 'true' })

const corsHeaders = (response: HttpResponse) =>
  Object.keys(response.headers).filter((name) => name.startsWith('access-control-'))
const assertAllowed = (response: HttpResponse, origin = listedOrigin) => {
  assert.equal(response.headers['access-control-allow-origin'], origin)
  assert.match(response.headers.vary ?? '', /\borigin\b/i)
}

const preflight = (url: string, path: string, headers: Record<string, string>) =>
  call(url, path, { method: 'OPTIONS', headers: { 'Access-Control-Request-Method': 'POST', ...headers } })

const paths = [
  '/api/health',
  '/api/auth/session',
  '/api/auth/signin',
  '/api/auth/csrf',
  '/api/auth/providers',
  '/api/demo/landing',
  '/',
  '/signin',
]

check(
  'H-123',
  'without CORS_ORIGINS no response has Access-Control headers',
  async (world) => {
    for (const path of paths) {
      for (const method of ['GET', 'OPTIONS', 'POST']) {
        const response = await world.get(path, {
          method,
          headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
        })
        assert.deepEqual(corsHeaders(response), [], `${method} ${path}`)
      }
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-124',
  'a listed origin gets Allow-Origin and Vary: Origin, and Allow-Credentials only if configured',
  async (world) => {
    for (const [node, allowsCredentials] of [
      [await corsNode(world), false],
      [await credentialsNode(world), true],
    ] as const) {
      for (const path of ['/api/health', '/api/auth/session']) {
        const response = await call(node.url, path, {
          headers: { Origin: listedOrigin, 'Sec-Fetch-Site': 'cross-site' },
        })
        assertAllowed(response)
        assert.equal(response.headers['access-control-allow-credentials'], allowsCredentials ? 'true' : undefined)
        assert.equal(response.headers['cross-origin-resource-policy'], 'cross-origin')
        // Vary is set without an Origin too, or a cache could serve the wrong CORS headers.
        const withoutOrigin = await call(node.url, path)
        assert.match(withoutOrigin.headers.vary ?? '', /\borigin\b/i)
        assert.deepEqual(corsHeaders(withoutOrigin), [])
      }
    }
    assertAllowed(
      await call((await credentialsNode(world)).url, '/api/health', { headers: { Origin: 'https://b.test:8443' } }),
      'https://b.test:8443',
    )
  },
  { full: 'needs other servers' },
)

check(
  'H-125',
  'an origin that only resembles a listed one gets no CORS headers',
  async (world) => {
    const node = await corsNode(world)
    const { email } = await world.newUser()
    const lookAlikes = [
      'https://a.test.evil.com',
      'https://evil-a.test',
      'http://a.test',
      'https://a.test:444',
      'https://a.test:443',
      'https://A.TEST',
      'null',
      'https://a.test.',
      'https://a.test%60.evil',
      'https://a.test/',
      'https://a.test@evil.com',
      'https://a-test',
      'a.test',
      '//a.test',
      'https://a.test\thttps://evil.com',
      `${listedOrigin} ${listedOrigin}`,
      '*',
    ]
    for (const origin of lookAlikes) {
      for (const path of ['/api/health', '/api/auth/session']) {
        const response = await call(node.url, path, { headers: { Origin: origin } })
        assert.deepEqual(corsHeaders(response), [], origin)
        assert.match(response.headers.vary ?? '', /\borigin\b/i)
      }
      assert.deepEqual(corsHeaders(await preflight(node.url, '/api/auth/signin', { Origin: origin })), [], origin)
      const post = await call(node.url, '/api/auth/signin', { body: { email, password }, headers: { Origin: origin } })
      assert.deepEqual([post.status, post.json().code, corsHeaders(post)], [403, 'cross_site', []], origin)
    }
  },
  { full: 'needs other servers' },
)

const settings = (world: World, more: Record<string, string>) => ({
  ...world.env,
  AUTH_URL: 'https://app.example.com',
  ...more,
})

check(
  'H-126',
  'with CORS_ORIGINS=* the app does not start, with or without credentials',
  async (world) => {
    const starts = await Promise.all([
      runUntilExit(settings(world, { CORS_ORIGINS: '*', CORS_CREDENTIALS: 'true' })),
      runUntilExit(settings(world, { CORS_ORIGINS: '*' })),
    ])
    for (const { code, output, hasResponded } of starts) {
      assert.deepEqual([code, hasResponded], [1, false])
      assert.match(output, /CORS_ORIGINS: contains something that is not exactly an origin/)
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-127',
  'with a path, trailing slash, pattern or empty entry in CORS_ORIGINS the app exits with an explanation',
  async (world) => {
    const wrong = [
      'https://a.test/',
      'https://a.test/path',
      'https://*.a.test',
      '/^https:.*$/',
      'https://a.test,',
      ' ',
      'a.test',
      'null',
      'https://user@a.test',
      'https://A.test',
      'https://a.test:443',
      'ftp://a.test',
    ]
    const ended: [string, Awaited<ReturnType<typeof runUntilExit>>][] = []
    // Two at a time: each one starts a server process.
    for (let start = 0; start < wrong.length; start += 2)
      ended.push(
        ...(await Promise.all(
          wrong
            .slice(start, start + 2)
            .map(
              async (value): Promise<(typeof ended)[number]> => [
                value,
                await runUntilExit(settings(world, { CORS_ORIGINS: value })),
              ],
            ),
        )),
      )
    for (const [value, { code, output, hasResponded }] of ended) {
      assert.deepEqual([code, hasResponded], [1, false], value)
      assert.match(
        output,
        /CORS_ORIGINS: contains something that is not exactly an origin\. .*https:\/\/a\.example\.com/,
        value,
      )
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-128',
  'a preflight allows exactly the route’s methods and headers, for ten minutes at most',
  async (world) => {
    const node = await corsNode(world)
    for (const [path, methods] of [
      ['/api/health', 'GET, HEAD'],
      ['/api/auth/session', 'GET, HEAD'],
      ['/api/auth/signin', 'GET, HEAD, POST'],
      ['/api/auth/signout', 'POST'],
    ] as const) {
      const response = await preflight(node.url, path, {
        Origin: listedOrigin,
        'Access-Control-Request-Method': 'DELETE',
        'Access-Control-Request-Headers': 'x-evil, x-forwarded-for, cookie, next-action',
      })
      assert.equal(response.status, 204)
      assertAllowed(response)
      assert.equal(response.headers['access-control-allow-methods'], methods, path)
      assert.equal(response.headers['access-control-allow-headers'], 'Authorization, Content-Type')
      assert.ok(Number(response.headers['access-control-max-age']) <= 600)
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-129',
  'a preflight has no side effects and sets no cookie',
  async (world) => {
    const node = await credentialsNode(world)
    const { jar, id } = await world.newSession()
    const before = await snapshotState(world)
    const compared = await world.countPasswordComparisons(async () => {
      for (const path of [
        '/api/auth/signin',
        '/api/auth/signout',
        '/api/auth/session',
        '/api/auth/signin/google',
        '/api/auth/csrf',
      ]) {
        const how: CallOptions = {
          method: 'OPTIONS',
          jar: jar.copy(),
          headers: {
            Origin: listedOrigin,
            'Access-Control-Request-Method': 'POST',
            'Content-Type': 'application/json',
          },
          body: JSON.stringify({ email: unusedEmail(), password }),
        }
        const response = await call(node.url, path, how)
        assert.deepEqual([response.status, response.text, response.setCookies], [204, '', []], path)
      }
    }, [node])
    assert.equal(compared, 0)
    assert.equal(await snapshotState(world), before)
    assert.equal((await world.getSession(jar)).user.id, id)
  },
  { full: 'needs other servers' },
)

check(
  'H-130',
  'a preflight grants no private network access',
  async (world) => {
    for (const node of [await corsNode(world), await credentialsNode(world)]) {
      for (const header of ['Access-Control-Request-Private-Network', 'Access-Control-Request-Local-Network']) {
        const response = await preflight(node.url, '/api/auth/session', { Origin: listedOrigin, [header]: 'true' })
        assert.ok(!corsHeaders(response).some((name) => /network/.test(name)), String(corsHeaders(response)))
      }
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-131',
  'error responses have the same CORS headers as successful ones',
  async (world) => {
    const node = await corsNode(world)
    const headers = { Origin: listedOrigin, 'Sec-Fetch-Site': 'cross-site' }
    const { email } = await world.newUser()
    const seen: number[] = []
    const expectCorsHeaders = (response: HttpResponse, status: number) => {
      assert.equal(response.status, status)
      assertAllowed(response)
      assert.match(response.headers['access-control-expose-headers'] ?? '', /Retry-After/)
      seen.push(status)
    }
    const signIn = (body: object, more: CallOptions = {}) =>
      call(node.url, '/api/auth/signin', { body, headers, ...more })
    const ip = '198.51.100.31'
    for (let tries = 0; tries < 5; tries++)
      expectCorsHeaders(await signIn({ email, password: wrongPassword, redirect: false }, { ip }), 401)
    expectCorsHeaders(await signIn({ email, password: wrongPassword, redirect: false }, { ip }), 429)
    expectCorsHeaders(await signIn({}), 422)
    expectCorsHeaders(await signIn({ email, password: 'x'.repeat(17_000) }), 413)
    expectCorsHeaders(
      await call(node.url, '/api/auth/signin', { body: 'x', headers: { ...headers, 'Content-Type': 'text/plain' } }),
      415,
    )
    expectCorsHeaders(
      await call(node.url, '/api/auth/signin', {
        body: '{',
        headers: { ...headers, 'Content-Type': 'application/json' },
      }),
      400,
    )
    expectCorsHeaders(await call(node.url, '/api/health', { method: 'DELETE', headers }), 405)
    expectCorsHeaders(await call(node.url, '/api/auth/nothing', { headers }), 404)
    const { token } = await world.newSession()
    await world.query('alter table sessions rename to sessions_hidden')
    try {
      const authorized = { ...headers, Authorization: `Bearer ${token}` }
      const serverError = await call(node.url, '/api/auth/session', { headers: authorized, allow500: true })
      expectCorsHeaders(serverError, 500)
      assert.deepEqual([serverError.json().code, serverError.json().detail], ['internal', 'Something went wrong'])
    } finally {
      await world.query('alter table sessions_hidden rename to sessions')
    }
    // An unlisted origin gets no CORS headers on errors either.
    const evil = await call(node.url, '/api/auth/signin', { body: {}, headers: { Origin: 'https://evil.example' } })
    assert.deepEqual([evil.status, corsHeaders(evil)], [403, []])
    return `with ${[...new Set(seen)].join(', ')}`
  },
  { full: 'needs other servers' },
)

check(
  'H-132',
  'two Origin headers, or one with a line break, get no CORS headers',
  async (world) => {
    const node = await corsNode(world)
    const ask = (lines: string) =>
      callRaw(node.url, `GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n\r\n`)
    for (const lines of [
      `Origin: ${listedOrigin}\r\nOrigin: https://evil.example`,
      `Origin: https://evil.example\r\nOrigin: ${listedOrigin}`,
      `Origin: ${listedOrigin}, https://evil.example`,
      `Origin: ${listedOrigin}\r\nOrigin: ${listedOrigin}`,
    ]) {
      const response = await ask(lines)
      assert.equal(response.status, 200)
      assert.deepEqual(corsHeaders(response), [], lines)
    }
    for (const lines of [
      `Origin: ${listedOrigin}\nX: y`,
      `Origin: ${listedOrigin}\r X: y`,
      `Origin: ${listedOrigin}\r\n https://evil.example`,
      `Origin: ${listedOrigin}\0`,
    ]) {
      const response = await ask(lines)
      assert.ok(
        response.status === 400 || corsHeaders(response).length === 0,
        `${JSON.stringify(lines)}: ${response.status} ${corsHeaders(response)}`,
      )
    }
    // An injected request header is a separate header and is not reflected in the response.
    const split = await ask(`Origin: ${listedOrigin}\r\nX-Injected: yes`)
    assert.equal(split.headers['access-control-allow-origin'], listedOrigin)
    assert.equal(split.headers['x-injected'], undefined)
  },
  { full: 'needs other servers' },
)
