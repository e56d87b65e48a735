// K. Where people are led, and whose name the app answers to.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { runUntilExit } from '../support/server.ts'
import { check } from './checks.ts'
import { call, callRaw, Jar } from './client.ts'
import { agree, comeBack, start } from './oauth-journey.ts'
import { strangeAddress } from './strange-address.ts'
import { password, submit, type World } from './world.ts'

/** Every way in that takes a place to go to: where does it lead with this value? Paths of this app, without its origin. */
async function placesFor(world: World, value: unknown): Promise<string[]> {
  const person = await world.newPerson()
  const jar = new Jar()
  const body = { email: person.email, password, callbackUrl: value }
  const asJson = await call(world.app.url, '/api/auth/signin', { body: { ...body, redirect: false } })
  const redirected = await call(world.app.url, '/api/auth/signin', { body, jar })
  assert.deepEqual([asJson.status, redirected.status], [200, 302], JSON.stringify(value))
  const places = [asJson.json().url, redirected.headers.location ?? '']
  if (typeof value === 'string') {
    // The page sends on whoever is signed in.
    const page = await call(world.app.url, `/signin?${new URLSearchParams({ callbackUrl: value })}`, { jar })
    assert.equal(page.status, 307, JSON.stringify(value))
    places.push((page.headers.location ?? '').replace(/^\/dashboard$/, '/'))
  }
  return places
}

const isOurs = (world: World, place: string, what: unknown) => {
  assert.equal(new URL(place, world.app.url).origin, world.app.url, `${JSON.stringify(what)} leads to ${place}`)
  assert.match(place, /^\/(?![/\\])/, JSON.stringify(what))
}

async function leadHome(world: World, values: unknown[]): Promise<void> {
  for (const value of values)
    for (const place of await placesFor(world, value)) {
      isOurs(world, place, value)
      assert.equal(place, '/', JSON.stringify(value))
    }
}

check('H-163', 'addresses that run something lead home', async (world) => {
  await leadHome(world, [
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

check('H-164', 'slashes and backslashes lead home, or to a path that does nothing', async (world) => {
  await leadHome(world, [
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
    for (const place of await placesFor(world, value)) isOurs(world, place, value)
})

check('H-165', 'other sites lead home, however they are written', async (world) => {
  const { host } = new URL(world.app.url)
  await leadHome(world, [
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

check('H-166', 'control characters and line separators lead home, and split no header', async (world) => {
  await leadHome(world, [
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
    for (const place of await placesFor(world, value)) {
      isOurs(world, place, value)
      assert.doesNotMatch(place, /[\r\n]/)
    }
  }
})

check('H-167', 'only pages are led to: not the API, not files of the framework', async (world) => {
  await leadHome(world, [
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
  for (const place of await placesFor(world, '/apiary')) assert.equal(place, '/apiary')
})

check('H-168', 'a value of 10 KB, a list or an object leads home', async (world) => {
  await leadHome(world, [`/${'x'.repeat(10_000)}`, ['/x'], { toString: '/x' }, 7, true, null, ''])
  const { email } = await world.newPerson()
  const twice = await world.get('/signin?callbackUrl=/a&callbackUrl=//evil.example', {
    jar: await world.signIn({ id: '', email }),
  })
  assert.deepEqual([twice.status, twice.headers.location], [307, '/dashboard'])
})

check('H-169', 'a stored place that was tampered with leads home', async (world) => {
  for (const planted of [
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
    const authorization = await start(world.app, 'github', jar)
    assert.notEqual(jar.get('plinth.callback-url'), '')
    const callback = await agree(authorization, 'github', `led.${crypto.randomUUID()}@example.com`)
    jar.values.set('plinth.callback-url', encodeURIComponent(planted))
    const answer = await comeBack(world.app, callback, jar)
    assert.equal(answer.status, 302, planted)
    const { origin, pathname } = new URL(answer.headers.location ?? '', world.app.url)
    assert.equal(origin, world.app.url, planted)
    assert.ok(['/dashboard', '/signin'].includes(pathname), `${planted} leads to ${pathname}`)
  }
  // Asked for at the start, too.
  for (const asked of ['https://evil.example', '//evil.example', '/api/auth/signout']) {
    const jar = new Jar()
    const callback = await agree(
      await start(world.app, 'google', jar, asked),
      'google',
      `led.${crypto.randomUUID()}@example.com`,
    )
    const answer = await comeBack(world.app, callback, jar)
    assert.equal(answer.headers.location, `${world.app.url}/dashboard`, asked)
  }
})

check('H-170', 'whatever address is made up, Node and Chromium agree that it stays here', async (world) => {
  const { jar } = await world.newSession()
  const values = [
    ...new Set([
      ...fc.sample(strangeAddress, 260),
      ...fc.sample(strangeAddress, 140).map((value) => `/${value}`),
      ...fc.sample(fc.webUrl(), 50),
      ...fc.sample(fc.string({ unit: 'binary' }), 50),
    ]),
  ]
  const places: [value: string, place: string][] = []
  for (const value of values) {
    const answer = await world.get(`/signin?${new URLSearchParams({ callbackUrl: value.toWellFormed() })}`, {
      jar: jar.copy(),
    })
    assert.equal(answer.status, 307, JSON.stringify(value))
    const place = answer.headers.location ?? ''
    isOurs(world, place, value)
    places.push([value, place])
  }
  const context = await (await world.browser()).newContext()
  try {
    const page = await context.newPage()
    await page.goto(`${world.app.url}/welcome`)
    const origins = await page.evaluate(
      (given) =>
        given.map((place) => {
          const link = document.createElement('a')
          link.href = place
          return [new URL(place, location.href).origin, link.origin]
        }),
      places.map(([, place]) => place),
    )
    for (const [index, pair] of origins.entries())
      for (const origin of pair) assert.equal(origin, world.app.url, JSON.stringify(places[index]))
  } finally {
    await context.close()
  }
  const kept = places.filter(([, place]) => place !== '/dashboard').length
  assert.ok(kept > 20, 'hardly any address was followed, so little was shown')
  return `${places.length} addresses, ${kept} of them followed`
})

const claims: Record<string, string>[] = [
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

/** Sends a request for a new password with these claims, and says where the link in its mail leads, if one came. */
async function linkAfter(world: World, headers: Record<string, string>): Promise<string> {
  const { email } = await world.newPerson()
  await submit(world, 'askForReset', { email }, { path: '/forgot', headers, may500: true })
  const [mail] = await world.mailsTo(email)
  return /https?:\/\/\S+/.exec(mail?.text ?? '')?.[0] ?? ''
}

check('H-171', 'the link in a mail leads to the app’s own host, whatever host was asked', async (world) => {
  assert.equal(new URL(await linkAfter(world, {})).origin, world.app.url)
  // Next refuses an action when host and origin differ; as a page of that host would send it, it may go through.
  const asked: Record<string, string>[] = [
    { Host: 'evil.example' },
    { Host: 'evil.example', Origin: 'http://evil.example' },
  ]
  for (const headers of asked) {
    const link = await linkAfter(world, headers)
    assert.ok(link === '' || new URL(link).origin === world.app.url, link)
  }
})

check(
  'H-172',
  'no redirect, page, cookie or address given to a provider follows a host that the caller made up',
  async (world) => {
    const { email, jar } = await world.newSession()
    for (const headers of claims) {
      const what = JSON.stringify(headers)
      const answers = [
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
      for (const answer of answers) {
        assert.ok(
          !`${answer.head}\n${answer.text}`.includes('evil.example'),
          `${what}: ${answer.status} ${answer.head}`,
        )
        const { location } = answer.headers
        if (location) assert.equal(new URL(location, world.app.url).origin, world.app.url, what)
      }
      const browser = new Jar()
      const { csrfToken } = (await world.get('/api/auth/csrf', { jar: browser, headers })).json()
      const started = await world.get('/api/auth/signin/google', {
        body: new URLSearchParams({ csrfToken }).toString(),
        headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        jar: browser,
      })
      const led = new URL(started.headers.location ?? '')
      assert.equal(led.searchParams.get('redirect_uri'), `${world.app.url}/api/auth/callback/google`, what)
    }
    const { port } = new URL(world.app.url)
    for (const line of [
      'GET http://evil.example/dashboard HTTP/1.1',
      `GET http://evil.example:${port}/api/auth/signin HTTP/1.1`,
      'GET //evil.example/dashboard HTTP/1.1',
      'GET /\\evil.example/dashboard HTTP/1.1',
    ]) {
      const answer = await callRaw(world.app.url, `${line}\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)
      const location = answer.headers.location ?? '/'
      assert.equal(new URL(location, world.app.url).origin, world.app.url, `${line}: ${location}`)
    }
    for (const headers of claims.slice(1, 5)) {
      const link = await linkAfter(world, headers)
      assert.ok(link === '' || new URL(link).origin === world.app.url, `${JSON.stringify(headers)}: ${link}`)
    }
  },
)

check('H-173', 'to a host that is not its own the app says what it always says', async (world) => {
  // There is no proxy of ours to answer 421; so the better question is whether the name changes anything at all.
  const { jar } = await world.newSession()
  const seen = async (path: string, host?: string) => {
    // Pages differ in the order in which their parts are sent, so what is compared is which words they hold.
    const answer = await world.get(path, {
      jar: jar.copy(),
      headers: { 'X-Request-Id': 'the-same-for-all', ...(host && { Host: host }) },
    })
    const plain = (text: string) => text.replaceAll(/nonce="[^"]+"|nonce-[^']+|\\"[\w+/]{22}==\\"|^Date: .*$/gim, '')
    return { status: answer.status, head: plain(answer.head), text: plain(answer.text).split(/\W+/).sort().join(' ') }
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
    const right = await seen(path)
    for (const host of [
      'evil.example',
      'evil.example:443',
      '169.254.169.254',
      'localhost.evil.example',
      '[::1]',
      'x'.repeat(300),
    ])
      assert.deepEqual(await seen(path, host), right, `${path} for ${host.slice(0, 30)}`)
  }
  const bare = await callRaw(world.app.url, 'GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n')
  assert.equal(bare.status, 400)
  const twice = await callRaw(
    world.app.url,
    'GET /signin HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
  )
  assert.ok(!`${twice.head}${twice.text}`.includes('evil.example'))
})

check('H-174', 'without its own origin, or with a wrong one, production does not start', async (world) => {
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
  for (const [value, { code, output, answered }] of ended) {
    assert.deepEqual([code, answered], [1, false], value)
    assert.match(output, /AUTH_URL: (is missing|is not an origin|must be https)/, value)
  }
})
