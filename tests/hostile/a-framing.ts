// A. How requests are framed, and how much of anything is taken. At a node, and at HAProxy in front of two.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { everyAction } from './actions.ts'
import { addressesOf } from './addresses.ts'
import { assertSoon, check, hasModule } from './checks.ts'
import { type Answer, call, callRaw, exchange, open } from './client.ts'
import { addedWait, waitsDuring } from './patience.ts'
import { percentile } from './statistics.ts'
import { act, everyAddress, image, password, submit, type World } from './world.ts'

const places = async (world: World) => [world.app.url, (await world.front()).url] as const
const json = { 'Content-Type': 'application/json' }

/** The bytes of a request, with the right host. */
const bytesOf = (url: string, line: string, headers: string[] = [], body = '') =>
  [`${line} HTTP/1.1`, `Host: ${new URL(url).host}`, ...headers, '', body].join('\r\n')

const signInWith = (url: string, headers: string[], body: string) =>
  bytesOf(url, 'POST /api/auth/signin', ['Content-Type: application/json', ...headers], body)

/** How many answers are in what came back, and how each begins. */
const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

async function stillStands(world: World): Promise<void> {
  const front = await world.front()
  for (const { url } of [world.app, front, ...front.nodes])
    assert.deepEqual((await call(url, '/api/health')).json(), { status: 'ok' })
}

check('H-001', 'health is answered at once, in one word, to anybody, and starts nothing', async (world) => {
  const [node, front] = await places(world)
  // The least that Node can do, and the least that the proxy can do, say how fast this machine is just now.
  const bare = createServer((_, response) =>
    response
      .setHeader('X-Content-Type-Options', 'nosniff')
      .setHeader('Content-Type', 'application/json; charset=utf-8')
      .end('{}'),
  )
  await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
  const bareUrl = `http://localhost:${(bare.address() as AddressInfo).port}`
  const least: Record<string, () => Promise<Answer>> = {
    [node]: () => call(bareUrl, '/'),
    [front]: () => call(front, '/api/health', { headers: { Host: 'evil.example' } }),
  }
  const measured: string[] = []
  try {
    for (const [url, askLeast] of Object.entries(least)) {
      const answer = await call(url, '/api/health')
      assert.deepEqual([answer.status, answer.text], [200, '{"status":"ok"}'])
      assert.deepEqual(answer.setCookies, [])
      assert.match(answer.headers['cache-control'] ?? '', /no-store/)
      let added = Number.POSITIVE_INFINITY
      for (let round = 0; round < 3 && added > 20; round++) {
        const waits: number[] = []
        const others: number[] = []
        for (let ask = 0; ask < 100; ask++) {
          waits.push((await call(url, '/api/health')).milliseconds)
          others.push((await askLeast()).milliseconds)
        }
        added = Math.min(added, percentile(waits, 0.99) - percentile(others, 0.99))
      }
      assertSoon(added < 50, `99 of 100 take up to ${added.toFixed(0)} ms more than the least possible`)
      measured.push(Math.max(0, added).toFixed(1))
    }
  } finally {
    bare.closeAllConnections()
    await new Promise((resolve) => bare.close(resolve))
  }
  return `99 of 100 within ${measured.join(' ms more than the least possible at the node, ')} ms more through the proxy`
})

check('H-002', 'methods that nobody needs are 405 at the proxy, and end no node', async (world) => {
  const [node, front] = await places(world)
  for (const method of ['TRACE', 'FOO', 'PROPFIND', 'TRACK', 'DEBUG']) {
    const answer = await callRaw(front, bytesOf(front, `${method} /api/health`, ['Connection: close']))
    assert.equal(answer.status, 405, method)
    assert.equal(answer.headers.allow, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
  }
  const { host } = new URL(front)
  for (const target of [host, '/api/health', 'evil.example:443']) {
    const answer = await callRaw(front, bytesOf(front, `CONNECT ${target}`, ['Connection: close']))
    assert.ok([400, 405].includes(answer.status), `CONNECT ${target}: ${answer.status}`)
  }
  // Next knows no word for TRACE but 500; Node itself hangs up on CONNECT, and on methods that it does not know.
  const traced = await callRaw(node, bytesOf(node, 'TRACE /api/health', ['Connection: close']), { may500: true })
  assert.ok([400, 405, 500].includes(traced.status), String(traced.status))
  assert.ok(!traced.text.includes('Host:'), 'the request came back')
  assert.equal((await callRaw(node, bytesOf(node, 'FOO /api/health', ['Connection: close']))).status, 400)
  assert.deepEqual(statusesIn(await exchange(node, bytesOf(node, 'CONNECT /api/health', ['Connection: close']))), [])
  await stillStands(world)
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const allowIn = (answer: Answer) =>
  [...answer.head.matchAll(/^allow: (.*)$/gim)].flatMap(([, names = '']) => names.split(/,\s*/)).sort()

/** What the contract says, for what every app has. */
const contract: Record<string, string[]> = {
  '/api/health': ['GET'],
  '/api/health/ready': ['GET'],
  '/api/auth/session': ['GET'],
  '/api/auth/signin': ['GET', 'POST'],
  '/api/auth/signout': ['POST'],
  ...(hasModule('landing') && { '/api/demo/landing': ['GET'] }),
  ...(hasModule('admin') && { '/api/demo/admin/users': ['GET'] }),
}

const withSelf = (given: string[]) => [...given, ...(given.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()

check(
  'H-003',
  'a method that an address does not have is 405 and says which it has, and looking changes nothing',
  async (world) => {
    const { jar } = await world.newSession({ role: 'admin' })
    const { url } = world.app
    let refused = 0
    // Next's own files know no OPTIONS.
    const routes = addressesOf('route').filter((path) => !['/robots.txt', '/icon.svg'].includes(path))
    for (const path of routes) {
      const allowed = allowIn(await call(url, path, { method: 'OPTIONS' }))
      if (contract[path]) assert.deepEqual(allowed, withSelf(contract[path]), path)
      for (const method of methods.filter((one) => !allowed.includes(one))) {
        const answer = await call(url, path, { method, jar: jar.copy() })
        assert.deepEqual([answer.status, allowIn(answer)], [405, allowed], `${method} ${path}`)
        if (method !== 'HEAD') assert.match(answer.text, /"code":"method_not_allowed"/, `${method} ${path}`)
        refused++
      }
    }
    assert.ok(Object.keys(contract).every((path) => routes.includes(path)))
    for (const path of ['/robots.txt', '/icon.svg', ...addressesOf('page')])
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await call(url, path, { method, jar: jar.copy() })
        assert.equal(answer.status, 405, `${method} ${path}`)
        assert.ok(allowIn(answer).includes('GET') && !allowIn(answer).includes(method), `${method} ${path}`)
        refused++
      }
    const before = await image(world)
    for (const path of everyAddress())
      for (const method of ['GET', 'HEAD']) await call(url, path, { method, jar: jar.copy() })
    assert.equal(await image(world), before)
    return `${refused} refusals`
  },
)

const smuggled = 'GET /admin HTTP/1.1\r\nHost: localhost\r\nX-Smuggled: 1\r\n\r\n'

check('H-004', 'a request that has two lengths brings no second one along', async (world) => {
  const [node, front] = await places(world)
  const both = (url: string, encoding: string) => [
    signInWith(url, ['Content-Length: 4', encoding], `0\r\n\r\n${smuggled}`),
    signInWith(url, [encoding, 'Content-Length: 4'], `5c\r\n${smuggled}\r\n0\r\n\r\n`),
    signInWith(url, [`Content-Length: ${smuggled.length + 5}`, encoding], `0\r\n\r\n${smuggled}`),
  ]
  for (const bytes of both(node, 'Transfer-Encoding: chunked'))
    assert.deepEqual(statusesIn(await exchange(node, bytes)), [400])
  for (const encoding of [
    'Transfer-Encoding: chunked',
    'transfer-encoding: Chunked',
    'Transfer-Encoding : chunked',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: x',
    'Transfer-Encoding: x\r\nTransfer-Encoding: chunked',
    'Transfer-Encoding:\tchunked',
  ])
    for (const bytes of both(front, encoding)) {
      const [received, ...others] = await Promise.all([
        exchange(front, bytes, { silence: 1000 }),
        ...Array.from({ length: 4 }, () => call(front, '/robots.txt')),
      ])
      const statuses = statusesIn(received)
      // One length may be believed and the other ignored, as long as both sides of the proxy agree on which.
      assert.ok(statuses.length <= 1, `${encoding}: ${statuses}`)
      for (const other of others) assert.match(other.text, /^User-Agent/i)
    }
  // HTTP/2 says a length of its own; what the header says beside it must agree.
  for (const length of ['4', '0', '1000']) {
    const status = await overHttp2(world, front, { 'content-length': length }, `0\r\n\r\n${smuggled}`)
    assert.ok(status === undefined || status >= 400, `content-length ${length}: ${status}`)
    assert.match((await call(front, '/robots.txt')).text, /^User-Agent/i)
  }
  await stillStands(world)
})

/** The status of a sign-in over HTTP/2, or none when the stream is given up. */
async function overHttp2(world: World, url: string, headers: Record<string, string>, body: string) {
  const { certificate } = await world.front()
  const session = connectHttp2(url, { ca: certificate, servername: 'localhost' })
  try {
    return await new Promise<number | undefined>((resolve) => {
      session.on('error', () => resolve(undefined))
      const stream = session.request({
        ':method': 'POST',
        ':path': '/api/auth/signin',
        'content-type': 'application/json',
        ...headers,
      })
      stream.on('response', (answer) => resolve(answer[':status']))
      stream.on('error', () => resolve(undefined))
      stream.on('close', () => resolve(undefined))
      stream.setTimeout(8000, () => stream.close())
      stream.end(body)
    })
  } finally {
    session.destroy()
  }
}

check('H-005', 'a length that is said twice, or is no number, is 400', async (world) => {
  for (const url of await places(world))
    for (const length of [
      '4\r\nContent-Length: 5',
      '+4',
      '-4',
      '0x4',
      '4, 5',
      '4 4',
      '4.0',
      '4e0',
      '٤',
      '18446744073709551620',
    ])
      assert.equal((await callRaw(url, signInWith(url, [`Content-Length: ${length}`], '{  }'))).status, 400, length)
})

check('H-006', 'an encoding that nobody knows is refused', async (world) => {
  for (const url of await places(world))
    for (const encoding of [
      ': xchunked',
      ' : chunked',
      ': chunked, identity',
      ': chunked, chunked',
      ': chunked\r\nTransfer-Encoding: identity',
      ':\x0bchunked',
      ': "chunked"',
      ': gzip',
    ]) {
      const bytes = signInWith(url, [`Transfer-Encoding${encoding}`, 'Connection: close'], '0\r\n\r\n')
      const { status } = await callRaw(url, bytes)
      // HAProxy's word for an encoding before the last one is 422.
      assert.ok([400, 422, 501].includes(status), `${encoding}: ${status}`)
    }
})

check('H-007', 'what is sent never becomes a header of the answer', async (world) => {
  const line = '\r\nSet-Cookie: s=1\r\nX-Injected: 1'
  const isWhole = (answer: Answer, what: string) =>
    assert.doesNotMatch(answer.head, /^(x-injected|set-cookie: s=)/im, what)
  const values = [
    `/x${line}`,
    '/x\nSet-Cookie: s=1',
    '/x\rX-Injected: 1',
    '/x\u010d\u010aX-Injected: 1',
    '/x%0d%0aX-Injected:%201',
  ]
  for (const url of await places(world)) {
    const node = { url }
    for (const callbackUrl of values) {
      const { email } = await world.newPerson()
      const query = new URLSearchParams({ callbackUrl })
      isWhole(await call(url, '/api/auth/signin', { body: { email, password, callbackUrl } }), callbackUrl)
      isWhole(await call(url, `/api/auth/signout?${query}`, { method: 'POST' }), callbackUrl)
      isWhole(
        await call(url, `/signin?${query}`, { jar: await world.signIn({ id: '', email }, { node }) }),
        callbackUrl,
      )
      isWhole(await call(url, `/x%0d%0aX-Injected:%201/${encodeURIComponent(line)}/`), 'in the path')
      isWhole(await call(url, '/api/health', { headers: { 'X-Request-Id': 'x%0d%0aX-Injected: 1' } }), 'in an id')
    }
  }
  if (hasModule('account')) {
    const { jar, id } = await world.newSession()
    isWhole(await submit(world, 'updateProfile', { name: `Ada${line}` }, { jar }), 'as a name')
    assert.deepEqual(await world.query('select name from users where id = $1', [id]), [{ name: 'Somebody' }])
  }
})

check('H-008', 'a header of 20 KB is 431', async (world) => {
  for (const url of await places(world)) {
    assert.equal((await call(url, '/api/health', { headers: { 'X-Long': 'x'.repeat(20_000) } })).status, 431)
    const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`X-Many-${index}`, 'x'.repeat(12)]))
    // HAProxy counts them, and does not read on.
    assert.equal((await call(url, '/api/health', { headers: many })).status, url === world.app.url ? 431 : 400)
  }
  await stillStands(world)
})

check('H-009', 'cookies without sense or number harm nobody, and two sessions are none', async (world) => {
  for (const url of await places(world)) {
    const person = await world.newPerson()
    const jar = await world.signIn(person, { node: { url } })
    const name = [...jar.values.keys()].find((key) => key.endsWith('plinth.session')) ?? ''
    const own = `${name}=${jar.token}`
    const other = (await world.signIn(await world.newPerson(), { node: { url } })).token
    const session = async (cookie: string) => {
      const answer = await call(url, '/api/auth/session', { headers: { Cookie: cookie } })
      assert.equal(answer.status, 200, cookie.slice(0, 40))
      const page = await call(url, '/dashboard', { headers: { Cookie: cookie } })
      assert.equal(page.status, answer.json() ? 200 : 307, cookie.slice(0, 40))
      return answer.json()?.user.id ?? null
    }
    const crowd = Array.from({ length: 200 }, (_, index) => `c${index}=${index}`).join('; ')
    for (const noise of [
      crowd,
      `x=${'x'.repeat(8192)}`,
      '%E0%A4%A',
      'x=%E0%A4%A',
      '=',
      ';;;',
      'x',
      '__proto__=1; constructor=2',
      '\x80=\xff',
    ])
      assert.deepEqual([await session(`${noise}; ${own}`), await session(noise)], [person.id, null], noise.slice(0, 40))
    for (const twice of [`${own}; ${name}=${other}`, `${own}; ${own}`, `${name}=; ${own}`, `${own}; ${name}=x`])
      assert.equal(await session(twice), null, 'two sessions')
  }
})

check('H-010', 'nothing but what is served is served', async (world) => {
  for (const url of await places(world))
    for (const path of [
      '/%00',
      '/%ff',
      '/%',
      '/%c0%ae%c0%ae/etc/passwd',
      '/..%2f..%2fetc/passwd',
      '/..%5c..%5cetc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/.env',
      '/.git/config',
      '/server.js',
      '/package.json',
      '/node_modules/next/package.json',
      '/.next/BUILD_ID',
      '/_next/../../package.json',
      '/_next/static/../server/app/page.js',
      '/_next/static/..%2f..%2fserver/server-reference-manifest.json',
      '/_next/server/server-reference-manifest.json',
      '/src/core/env.ts',
    ]) {
      const answer = await callRaw(url, bytesOf(url, `GET ${path}`, ['Connection: close']))
      assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`)
      assert.doesNotMatch(answer.text, /root:x:|"dependencies"|DATABASE_URL|exportedName/, path)
    }
})

check('H-011', 'thousands of keys in a query are refused, or cost nothing', async (world) => {
  const [node, front] = await places(world)
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join('&')
  const tooMany = 'a&'.repeat(10_000)
  assert.equal((await call(node, `/api/health?${tooMany}`)).status, 431)
  assert.equal((await call(front, `/api/health?${tooMany}`)).status, 414)
  // The most that still gets through.
  const queries = {
    [node]: ['a&'.repeat(7000), keys(2400), 'a[]=1&'.repeat(2200)],
    [front]: ['a&'.repeat(4000), keys(1400)],
  }
  let most = 0
  for (const [url, all] of Object.entries(queries))
    for (const query of all)
      for (const path of ['/api/health', '/signin']) {
        const added = await addedWait(url, async () => {
          for (let count = 0; count < 3; count++) assert.equal((await call(url, `${path}?${query}`)).status, 200, path)
        })
        assertSoon(added < 200, `${path} with ${query.slice(0, 12)}…: others waited ${added.toFixed(0)} ms longer`)
        most = Math.max(most, added)
      }
  return `others waited ${most.toFixed(0)} ms longer at most`
})

check('H-012', '300 connections that never finish their request are closed, and hold up nobody', async (world) => {
  const { url } = await world.front()
  const quiet = await waitsDuring(url, () => new Promise((resolve) => setTimeout(resolve, 400)))
  const lives: number[] = []
  const start = performance.now()
  const slow = Array.from({ length: 300 }, () => {
    const socket = open(url)
    socket.on('error', () => {})
    socket.write(bytesOf(url, 'GET /api/health', ['X-Slow: ']).trimEnd())
    return { socket, isClosed: new Promise<void>((resolve) => socket.on('close', () => resolve())) }
  })
  const drip = setInterval(() => {
    for (const { socket } of slow) if (!socket.destroyed) socket.write('x')
  }, 1000)
  let waits: number[] = []
  try {
    const all = Promise.all(slow.map(({ isClosed }) => isClosed.then(() => lives.push(performance.now() - start))))
    const patience = new Promise((_, reject) =>
      setTimeout(() => reject(new Error(`${300 - lives.length} of 300 are open after 20 s`)), 20_000).unref(),
    )
    waits = await waitsDuring(url, () => Promise.race([all, patience]))
  } finally {
    clearInterval(drip)
    for (const { socket } of slow) socket.destroy()
  }
  const [usual, now] = [percentile(quiet, 0.99), percentile(waits.slice(20), 0.99)]
  assertSoon(now < usual + 200, `99 of 100 took up to ${now.toFixed(0)} ms, ${usual.toFixed(0)} ms before`)
  // Five seconds, and as long as it takes to greet so many at once.
  const longest = Math.max(...lives) / 1000
  assertSoon(longest < 10, `the last was closed after ${longest.toFixed(1)} s`)
  return `closed after ${longest.toFixed(1)} s; 99 of 100 others within ${now.toFixed(0)} ms (${usual.toFixed(0)} ms before)`
})

const tooLarge = (answer: Answer) => assert.deepEqual([answer.status, answer.json().code], [413, 'too_large'])

check('H-013', 'a body of one byte too many is 413 before anybody reads what it says', async (world) => {
  for (const url of await places(world)) {
    const sent = (size: number) => call(url, '/api/auth/signin', { body: '['.repeat(size), headers: json })
    // What is not too large is read, and found to be no JSON.
    assert.equal((await sent(16 * 1024)).json().code, 'malformed')
    tooLarge(await sent(16 * 1024 + 1))
    const added = await addedWait(url, () => sent(16 * 1024 + 1))
    assertSoon(added < 200, `others waited ${added.toFixed(0)} ms longer`)
  }
})

check('H-014', 'a body without an end is 413 after 16 KiB, and the connection is closed', async (world) => {
  for (const url of await places(world)) {
    const socket = open(url)
    const received: Buffer[] = []
    let sent = 0
    const chunk = `400\r\n${'x'.repeat(1024)}\r\n`
    const isClosed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
    socket.on('error', () => {})
    socket.on('data', (bytes) => received.push(bytes))
    socket.write(signInWith(url, ['Transfer-Encoding: chunked'], ''))
    const timer = setInterval(() => {
      if (socket.destroyed) return
      socket.write(chunk)
      sent++
    }, 5)
    const giveUp = setTimeout(() => socket.destroy(), 15_000)
    const start = performance.now()
    await isClosed
    clearInterval(timer)
    clearTimeout(giveUp)
    const seconds = (performance.now() - start) / 1000
    assert.deepEqual(statusesIn(Buffer.concat(received).toString('latin1')), [413], url)
    assertSoon(seconds < 12, `${url} took ${sent} KiB, for ${seconds.toFixed(1)} s`)
  }
})

check('H-015', 'a million keys are 413, and nobody waits for them to be read', async (world) => {
  const body = Buffer.from(`{${Array.from({ length: 1e6 }, (_, index) => `"k${index}":1`).join()}}`)
  const megabytes = (body.length / 1e6).toFixed(0)
  const measured: string[] = []
  for (const url of await places(world)) {
    const { host } = new URL(url)
    // HAProxy answers at once, and hangs up on whoever goes on sending: they may never see what it said.
    const part = url === world.app.url ? body : body.subarray(0, 64 * 1024)
    const added = await addedWait(url, async () => {
      const head = bytesOf(url, 'POST /api/auth/signin', [
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ])
      const received = await exchange(url, head + part.toString('latin1'))
      assert.deepEqual(statusesIn(received), [413], host)
    })
    assertSoon(added < 200, `others waited ${added.toFixed(0)} ms longer`)
    measured.push(added.toFixed(0))
  }
  return `${megabytes} MB; others waited ${measured.join(' ms longer at the node, ')} ms longer behind the proxy`
})

/** Megabytes of memory that a process holds. */
const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

check('H-016', 'an action with a body that is too large does nothing, and is not kept in memory', async (world) => {
  const { email } = await world.newPerson()
  const before = await image(world)
  const [node, front] = await places(world)
  const measured: string[] = []
  for (const url of [node, front])
    for (const size of [64 * 1024 + 1, 1_100_000]) {
      for (const input of [
        { email, password, callbackUrl: 'x'.repeat(size) },
        { email: `${'x'.repeat(size)}@example.com`, password },
      ]) {
        const answer = await act(world, 'signIn', input, {
          node: { url },
          headers: { Origin: 'https://evil.example' },
          may500: true,
        })
        assert.deepEqual(answer.setCookies, [])
      }
    }
  // What nobody read must not stand in the way of whoever comes next on the same connection.
  const action = `Next-Action: ${everyAction().find(({ name }) => name === 'askForReset')?.id}`
  for (const path of ['/forgot', '/welcome'])
    for (const size of [200_000, 400_000, 900_000]) {
      const own = [`Origin: ${node}`, 'Sec-Fetch-Site: same-origin', 'Content-Type: text/plain']
      const first = bytesOf(node, `POST ${path}`, [...own, action, `Content-Length: ${size}`], 'x'.repeat(size))
      const next = bytesOf(node, 'GET /api/health', ['Connection: close'])
      const start = performance.now()
      await exchange(node, first + next)
      assert.ok(performance.now() - start < 5_000, `after ${size} bytes to ${path} the connection is stuck`)
    }
  const whole = Buffer.alloc(60_000_000, 'x')
  for (const url of [node, front]) {
    const server = url === node ? [world.app] : (await world.front()).nodes
    const start = server.reduce((sum, { pid }) => sum + memoryOf(pid), 0)
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, server.reduce((sum, { pid }) => sum + memoryOf(pid), 0) - start)
    }, 10)
    for (let round = 0; round < 3; round++) {
      const answer = await act(world, 'signIn', {}, { node: { url }, body: whole, may500: true }).catch(
        (error) => error,
      )
      // Whoever is still sending when they are refused may find the connection gone.
      if (answer instanceof Error) assert.match(answer.message, /EPIPE|ECONNRESET|socket hang up/)
      else assert.ok([400, 403, 413, 500].includes(answer.status), String(answer.status))
    }
    clearInterval(watch)
    assert.ok(most < 100 * server.length, `${most.toFixed(0)} MB more while 180 MB were sent`)
    measured.push(most.toFixed(0))
  }
  assert.equal(await image(world), before)
  await stillStands(world)
  return `${measured.join(' MB at the node, ')} MB behind the proxy`
})

check('H-017', 'JSON that is nested without end is refused at once', async (world) => {
  for (const url of await places(world)) {
    const sent = (body: string) => call(url, '/api/auth/signin', { body, headers: json })
    tooLarge(await sent('['.repeat(100_000)))
    const deepest = [
      '['.repeat(16 * 1024),
      '[{"a":'.repeat(2700),
      `{"email":${'['.repeat(8000)}${']'.repeat(8000)},"password":"x"}`,
    ]
    for (const body of deepest) assert.ok([400, 422].includes((await sent(body)).status))
    const added = await addedWait(url, () => Promise.all(deepest.map(sent)))
    assertSoon(added < 200, `others waited ${added.toFixed(0)} ms longer`)
  }
})

check('H-018', 'what comes compressed is 415, and is not unpacked', async (world) => {
  const bomb = gzipSync(Buffer.alloc(10_000_000, ' '))
  assert.ok(bomb.length < 16 * 1024)
  for (const url of await places(world)) {
    for (const encoding of ['gzip', 'deflate', 'br', 'GZIP', 'identity, gzip', 'x']) {
      const answer = await call(url, '/api/auth/signin', {
        body: bomb,
        headers: { ...json, 'Content-Encoding': encoding },
      })
      assert.deepEqual([answer.status, answer.json().code], [415, 'unsupported_media_type'], encoding)
    }
    // An action reads it as it came: no text of its own.
    const acted = await act(
      world,
      'signIn',
      {},
      { node: { url }, body: bomb, headers: { 'Content-Encoding': 'gzip' }, may500: true },
    )
    assert.deepEqual(acted.setCookies, [])
  }
  await stillStands(world)
})
