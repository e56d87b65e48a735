// H. Which other sites may call the API from their pages.
import assert from 'node:assert/strict'
import { runUntilExit } from '../support/server.ts'
import { check } from './checks.ts'
import { type Answer, type Call, call, callRaw } from './client.ts'
import { image, nobody, password, type World, wrongPassword } from './world.ts'

const friend = 'https://a.test'
const friendly = (world: World) => world.node('friend', { CORS_ORIGINS: friend })
const trusting = (world: World) =>
  world.node('friend with cookies', { CORS_ORIGINS: `${friend}, https://b.test:8443`, CORS_CREDENTIALS: 'true' })

const grants = (answer: Answer) => Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))
const isGranted = (answer: Answer, origin = friend) => {
  assert.equal(answer.headers['access-control-allow-origin'], origin)
  assert.match(answer.headers.vary ?? '', /\borigin\b/i)
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

check('H-123', 'without CORS_ORIGINS no answer grants anything to anybody', async (world) => {
  for (const path of paths) {
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const answer = await world.get(path, {
        method,
        headers: { Origin: 'https://evil.example', 'Access-Control-Request-Method': 'POST' },
      })
      assert.deepEqual(grants(answer), [], `${method} ${path}`)
    }
  }
})

check(
  'H-124',
  'a listed origin is named in the answer, with Vary, and cookies only where the deployer said so',
  async (world) => {
    for (const [node, isTrusted] of [
      [await friendly(world), false],
      [await trusting(world), true],
    ] as const) {
      for (const path of ['/api/health', '/api/auth/session']) {
        const answer = await call(node.url, path, { headers: { Origin: friend, 'Sec-Fetch-Site': 'cross-site' } })
        isGranted(answer)
        assert.equal(answer.headers['access-control-allow-credentials'], isTrusted ? 'true' : undefined)
        assert.equal(answer.headers['cross-origin-resource-policy'], 'cross-origin')
        // A cache must not hand one caller's grant to another.
        const stranger = await call(node.url, path)
        assert.match(stranger.headers.vary ?? '', /\borigin\b/i)
        assert.deepEqual(grants(stranger), [])
      }
    }
    isGranted(
      await call((await trusting(world)).url, '/api/health', { headers: { Origin: 'https://b.test:8443' } }),
      'https://b.test:8443',
    )
  },
)

check('H-125', 'an origin that only looks like a listed one gets nothing', async (world) => {
  const node = await friendly(world)
  const { email } = await world.newPerson()
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
    `${friend} ${friend}`,
    '*',
  ]
  for (const origin of lookAlikes) {
    for (const path of ['/api/health', '/api/auth/session']) {
      const answer = await call(node.url, path, { headers: { Origin: origin } })
      assert.deepEqual(grants(answer), [], origin)
      assert.match(answer.headers.vary ?? '', /\borigin\b/i)
    }
    assert.deepEqual(grants(await preflight(node.url, '/api/auth/signin', { Origin: origin })), [], origin)
    const post = await call(node.url, '/api/auth/signin', { body: { email, password }, headers: { Origin: origin } })
    assert.deepEqual([post.status, post.json().code, grants(post)], [403, 'cross_site', []], origin)
  }
})

const settings = (world: World, more: Record<string, string>) => ({
  ...world.env,
  AUTH_URL: 'https://app.example.com',
  ...more,
})

check('H-126', 'a star for all sites does not start, with credentials or without', async (world) => {
  const starts = await Promise.all([
    runUntilExit(settings(world, { CORS_ORIGINS: '*', CORS_CREDENTIALS: 'true' })),
    runUntilExit(settings(world, { CORS_ORIGINS: '*' })),
  ])
  for (const { code, output, answered } of starts) {
    assert.deepEqual([code, answered], [1, false])
    assert.match(output, /CORS_ORIGINS: holds something that is not exactly an origin/)
  }
})

check(
  'H-127',
  'a path, a slash at the end, a pattern or a gap in the list does not start, and says what is wrong',
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
    // Two at a time: each is a whole process.
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
    for (const [value, { code, output, answered }] of ended) {
      assert.deepEqual([code, answered], [1, false], value)
      assert.match(
        output,
        /CORS_ORIGINS: holds something that is not exactly an origin\. .*https:\/\/a\.example\.com/,
        value,
      )
    }
  },
)

check('H-128', 'a preflight grants the methods and headers of the contract, for ten minutes at most', async (world) => {
  const node = await friendly(world)
  for (const [path, methods] of [
    ['/api/health', 'GET, HEAD'],
    ['/api/auth/session', 'GET, HEAD'],
    ['/api/auth/signin', 'GET, HEAD, POST'],
    ['/api/auth/signout', 'POST'],
  ] as const) {
    const answer = await preflight(node.url, path, {
      Origin: friend,
      'Access-Control-Request-Method': 'DELETE',
      'Access-Control-Request-Headers': 'x-evil, x-forwarded-for, cookie, next-action',
    })
    assert.equal(answer.status, 204)
    isGranted(answer)
    assert.equal(answer.headers['access-control-allow-methods'], methods, path)
    assert.equal(answer.headers['access-control-allow-headers'], 'Authorization, Content-Type')
    assert.ok(Number(answer.headers['access-control-max-age']) <= 600)
  }
})

check('H-129', 'a preflight runs nothing and sets no cookie', async (world) => {
  const node = await trusting(world)
  const { jar, id } = await world.newSession()
  const before = await image(world)
  const compared = await world.comparisons(async () => {
    for (const path of [
      '/api/auth/signin',
      '/api/auth/signout',
      '/api/auth/session',
      '/api/auth/signin/google',
      '/api/auth/csrf',
    ]) {
      const how: Call = {
        method: 'OPTIONS',
        jar: jar.copy(),
        headers: { Origin: friend, 'Access-Control-Request-Method': 'POST', 'Content-Type': 'application/json' },
        body: JSON.stringify({ email: nobody(), password }),
      }
      const answer = await call(node.url, path, how)
      assert.deepEqual([answer.status, answer.text, answer.setCookies], [204, '', []], path)
    }
  }, [node])
  assert.equal(compared, 0)
  assert.equal(await image(world), before)
  assert.equal((await world.session(jar)).user.id, id)
})

check('H-130', 'a public site gets no way into a private network', async (world) => {
  for (const node of [await friendly(world), await trusting(world)]) {
    for (const header of ['Access-Control-Request-Private-Network', 'Access-Control-Request-Local-Network']) {
      const answer = await preflight(node.url, '/api/auth/session', { Origin: friend, [header]: 'true' })
      assert.ok(!grants(answer).some((name) => /network/.test(name)), String(grants(answer)))
    }
  }
})

check('H-131', 'refusals and faults carry the same grants as good answers', async (world) => {
  const node = await friendly(world)
  const headers = { Origin: friend, 'Sec-Fetch-Site': 'cross-site' }
  const { email } = await world.newPerson()
  const seen: number[] = []
  const expectGrant = (answer: Answer, status: number) => {
    assert.equal(answer.status, status)
    isGranted(answer)
    assert.match(answer.headers['access-control-expose-headers'] ?? '', /Retry-After/)
    seen.push(status)
  }
  const signIn = (body: object, more: Call = {}) => call(node.url, '/api/auth/signin', { body, headers, ...more })
  const address = '198.51.100.31'
  for (let tries = 0; tries < 5; tries++)
    expectGrant(await signIn({ email, password: wrongPassword, redirect: false }, { address }), 401)
  expectGrant(await signIn({ email, password: wrongPassword, redirect: false }, { address }), 429)
  expectGrant(await signIn({}), 422)
  expectGrant(await signIn({ email, password: 'x'.repeat(17_000) }), 413)
  expectGrant(
    await call(node.url, '/api/auth/signin', { body: 'x', headers: { ...headers, 'Content-Type': 'text/plain' } }),
    415,
  )
  expectGrant(
    await call(node.url, '/api/auth/signin', {
      body: '{',
      headers: { ...headers, 'Content-Type': 'application/json' },
    }),
    400,
  )
  expectGrant(await call(node.url, '/api/health', { method: 'DELETE', headers }), 405)
  expectGrant(await call(node.url, '/api/auth/nothing', { headers }), 404)
  const { token } = await world.newSession()
  await world.query('alter table sessions rename to sessions_hidden')
  try {
    const authorized = { ...headers, Authorization: `Bearer ${token}` }
    const fault = await call(node.url, '/api/auth/session', { headers: authorized, may500: true })
    expectGrant(fault, 500)
    assert.deepEqual([fault.json().code, fault.json().detail], ['internal', 'Something went wrong on our side'])
  } finally {
    await world.query('alter table sessions_hidden rename to sessions')
  }
  // And a site that is not listed gets none, whatever the status.
  const evil = await call(node.url, '/api/auth/signin', { body: {}, headers: { Origin: 'https://evil.example' } })
  assert.deepEqual([evil.status, grants(evil)], [403, []])
  return `with ${[...new Set(seen)].join(', ')}`
})

check('H-132', 'two origins, or one with a line break inside, get nothing', async (world) => {
  const node = await friendly(world)
  const ask = (lines: string) =>
    callRaw(node.url, `GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n\r\n`)
  for (const lines of [
    `Origin: ${friend}\r\nOrigin: https://evil.example`,
    `Origin: https://evil.example\r\nOrigin: ${friend}`,
    `Origin: ${friend}, https://evil.example`,
    `Origin: ${friend}\r\nOrigin: ${friend}`,
  ]) {
    const answer = await ask(lines)
    assert.equal(answer.status, 200)
    assert.deepEqual(grants(answer), [], lines)
  }
  for (const lines of [
    `Origin: ${friend}\nX: y`,
    `Origin: ${friend}\r X: y`,
    `Origin: ${friend}\r\n https://evil.example`,
    `Origin: ${friend}\0`,
  ]) {
    const answer = await ask(lines)
    assert.ok(
      answer.status === 400 || grants(answer).length === 0,
      `${JSON.stringify(lines)}: ${answer.status} ${grants(answer)}`,
    )
  }
  // What a header injection would look like is another header, and no part of the grant.
  const split = await ask(`Origin: ${friend}\r\nX-Injected: yes`)
  assert.equal(split.headers['access-control-allow-origin'], friend)
  assert.equal(split.headers['x-injected'], undefined)
})
