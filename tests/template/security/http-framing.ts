// HTTP framing and size limits, tested on one node directly and through HAProxy in front of two nodes.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { appSlug } from '../../../src/brand.ts'
import { callAction, submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, TooSlow } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { call, callRaw, exchange, type HttpResponse, open } from '../../app/support/http-client.ts'
import { listActions } from '../../app/support/server-actions.ts'
import { everyPath, password, snapshotState, type World } from '../../app/support/test-world.ts'
import { measureAddedLatency, measureLatencies } from './support/latency.ts'
import { routePaths } from './support/route-paths.ts'
import { percentile } from './support/statistics.ts'

const baseUrls = async (world: World) => [world.app.url, (await world.proxiedApp()).url] as const
const json = { 'Content-Type': 'application/json' }

/** The raw bytes of an HTTP/1.1 request with the correct Host header. */
const rawRequest = (url: string, line: string, headers: string[] = [], body = '') =>
  [`${line} HTTP/1.1`, `Host: ${new URL(url).host}`, ...headers, '', body].join('\r\n')

const rawSignIn = (url: string, headers: string[], body: string) =>
  rawRequest(url, 'POST /api/auth/signin', ['Content-Type: application/json', ...headers], body)

/** The status codes of all responses in the received bytes. */
const statusesIn = (received: string) =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))

async function assertAllHealthy(world: World): Promise<void> {
  const front = await world.proxiedApp()
  for (const { url } of [world.app, front, ...front.nodes])
    assert.deepEqual((await call(url, '/api/health')).json(), { status: 'ok' })
}

check(
  'H-001',
  'the health endpoint is public, fast and uncached, and sets no cookie',
  async (world) => {
    const [node, front] = await baseUrls(world)
    // A bare Node server and a request that HAProxy rejects itself are the baseline for this machine's current speed.
    const bare = createServer((_, response) =>
      response
        .setHeader('X-Content-Type-Options', 'nosniff')
        .setHeader('Content-Type', 'application/json; charset=utf-8')
        .end('{}'),
    )
    await new Promise<void>((resolve) => bare.listen(0, '127.0.0.1', resolve))
    const bareUrl = `http://localhost:${(bare.address() as AddressInfo).port}`
    const baseline: Record<string, () => Promise<HttpResponse>> = {
      [node]: () => call(bareUrl, '/'),
      [front]: () => call(front, '/api/health', { headers: { Host: 'evil.example' } }),
    }
    const measured: string[] = []
    try {
      for (const [url, requestBaseline] of Object.entries(baseline)) {
        const response = await call(url, '/api/health')
        assert.deepEqual([response.status, response.text], [200, '{"status":"ok"}'])
        assert.deepEqual(response.setCookies, [])
        assert.match(response.headers['cache-control'] ?? '', /no-store/)
        let added = Number.POSITIVE_INFINITY
        for (let round = 0; round < 3 && added > 20; round++) {
          const waits: number[] = []
          const others: number[] = []
          for (let ask = 0; ask < 100; ask++) {
            waits.push((await call(url, '/api/health')).milliseconds)
            others.push((await requestBaseline()).milliseconds)
          }
          added = Math.min(added, percentile(waits, 0.99) - percentile(others, 0.99))
        }
        assertFast(added < 50, `p99 is ${added.toFixed(0)} ms above the baseline`)
        measured.push(Math.max(0, added).toFixed(1))
      }
    } finally {
      bare.closeAllConnections()
      await new Promise((resolve) => bare.close(resolve))
    }
    return `p99 above the baseline: ${measured.join(' ms on the node, ')} ms through the proxy`
  },
  { full: 'measures time or memory' },
)

check(
  'H-002',
  'unsupported methods get 405 from the proxy and crash no node',
  async (world) => {
    const [node, front] = await baseUrls(world)
    for (const method of ['TRACE', 'FOO', 'PROPFIND', 'TRACK', 'DEBUG']) {
      const response = await callRaw(front, rawRequest(front, `${method} /api/health`, ['Connection: close']))
      assert.equal(response.status, 405, method)
      assert.equal(response.headers.allow, 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS')
    }
    const { host } = new URL(front)
    for (const target of [host, '/api/health', 'evil.example:443']) {
      const response = await callRaw(front, rawRequest(front, `CONNECT ${target}`, ['Connection: close']))
      assert.ok([400, 405].includes(response.status), `CONNECT ${target}: ${response.status}`)
    }
    // Next responds to TRACE with 500. Node closes the connection on CONNECT and rejects unknown methods with 400.
    const traced = await callRaw(node, rawRequest(node, 'TRACE /api/health', ['Connection: close']), { allow500: true })
    assert.ok([400, 405, 500].includes(traced.status), String(traced.status))
    assert.ok(!traced.text.includes('Host:'), 'the response echoes the request')
    assert.equal((await callRaw(node, rawRequest(node, 'FOO /api/health', ['Connection: close']))).status, 400)
    assert.deepEqual(
      statusesIn(await exchange(node, rawRequest(node, 'CONNECT /api/health', ['Connection: close']))),
      [],
    )
    await assertAllHealthy(world)
  },
  { full: 'needs other servers' },
)

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const allowIn = (response: HttpResponse) =>
  [...response.head.matchAll(/^allow: (.*)$/gim)].flatMap(([, names = '']) => names.split(/,\s*/)).sort()

/** The methods that the API contract allows for the paths that every app has. */
const contract: Record<string, string[]> = {
  '/api/health': ['GET'],
  '/api/health/ready': ['GET'],
  '/api/auth/session': ['GET'],
  '/api/search': ['GET'],
  '/api/auth/signin': ['GET', 'POST'],
  '/api/auth/signout': ['POST'],
  ...(hasModule('landing') && { '/api/demo/landing': ['GET'] }),
  ...(hasModule('admin') && { '/api/demo/admin/users': ['GET'] }),
}

/** Files that Next itself serves. They do not implement OPTIONS. */
const metadataFiles = ['/icon', '/apple-icon', '/manifest.webmanifest', '/opengraph-image']

const withImplicitMethods = (given: string[]) =>
  [...given, ...(given.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()

check(
  'H-003',
  'an unsupported method gets 405 with an Allow header, and GET and HEAD change nothing in the database',
  async (world) => {
    const { jar } = await world.newSession({ role: 'admin' })
    const { url } = world.app
    let rejected = 0
    const routes = routePaths('route').filter((path) => !metadataFiles.includes(path))
    for (const path of routes) {
      const allowed = allowIn(await call(url, path, { method: 'OPTIONS' }))
      if (contract[path]) assert.deepEqual(allowed, withImplicitMethods(contract[path]), path)
      for (const method of methods.filter((one) => !allowed.includes(one))) {
        const response = await call(url, path, { method, jar: jar.copy() })
        assert.deepEqual([response.status, allowIn(response)], [405, allowed], `${method} ${path}`)
        if (method !== 'HEAD') assert.match(response.text, /"code":"method_not_allowed"/, `${method} ${path}`)
        rejected++
      }
    }
    assert.ok(Object.keys(contract).every((path) => routes.includes(path)))
    // If a module has a page at `/`, `/welcome` is 404.
    for (const path of [...metadataFiles, ...routePaths('page').filter((one) => one !== '/welcome')])
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const response = await call(url, path, { method, jar: jar.copy() })
        assert.equal(response.status, 405, `${method} ${path}`)
        assert.ok(allowIn(response).includes('GET') && !allowIn(response).includes(method), `${method} ${path}`)
        rejected++
      }
    const before = await snapshotState(world)
    for (const path of everyPath())
      for (const method of ['GET', 'HEAD']) await call(url, path, { method, jar: jar.copy() })
    assert.equal(await snapshotState(world), before)
    return `${rejected} requests rejected with 405`
  },
)

const smuggled = 'GET /admin HTTP/1.1\r\nHost: localhost\r\nX-Smuggled: 1\r\n\r\n'

check(
  'H-004',
  'a request with two conflicting lengths smuggles no second request',
  async (world) => {
    const [node, front] = await baseUrls(world)
    const both = (url: string, encoding: string) => [
      rawSignIn(url, ['Content-Length: 4', encoding], `0\r\n\r\n${smuggled}`),
      rawSignIn(url, [encoding, 'Content-Length: 4'], `5c\r\n${smuggled}\r\n0\r\n\r\n`),
      rawSignIn(url, [`Content-Length: ${smuggled.length + 5}`, encoding], `0\r\n\r\n${smuggled}`),
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
        // The proxy may use one length and ignore the other, as long as the node uses the same one.
        assert.ok(statuses.length <= 1, `${encoding}: ${statuses}`)
        for (const other of others) assert.match(other.text, /^User-Agent/i)
      }
    // HTTP/2 frames carry their own length; a content-length header must match it.
    for (const length of ['4', '0', '1000']) {
      const status = await overHttp2(world, front, { 'content-length': length }, `0\r\n\r\n${smuggled}`)
      assert.ok(status === undefined || status >= 400, `content-length ${length}: ${status}`)
      assert.match((await call(front, '/robots.txt')).text, /^User-Agent/i)
    }
    await assertAllHealthy(world)
  },
  { full: 'takes long' },
)

/** The status of a sign-in over HTTP/2, or undefined when the stream is reset or closed without a response. */
async function overHttp2(world: World, url: string, headers: Record<string, string>, body: string) {
  const { certificate } = await world.proxiedApp()
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
      stream.on('response', (responseHeaders) => resolve(responseHeaders[':status']))
      stream.on('error', () => resolve(undefined))
      stream.on('close', () => resolve(undefined))
      stream.setTimeout(8000, () => stream.close())
      stream.end(body)
    })
  } finally {
    session.destroy()
  }
}

check(
  'H-005',
  'a duplicate or non-numeric Content-Length gets 400',
  async (world) => {
    for (const url of await baseUrls(world))
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
        assert.equal((await callRaw(url, rawSignIn(url, [`Content-Length: ${length}`], '{  }'))).status, 400, length)
  },
  { full: 'needs other servers' },
)

check(
  'H-006',
  'an unknown Transfer-Encoding is rejected',
  async (world) => {
    for (const url of await baseUrls(world))
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
        const bytes = rawSignIn(url, [`Transfer-Encoding${encoding}`, 'Connection: close'], '0\r\n\r\n')
        const { status } = await callRaw(url, bytes)
        // HAProxy responds 422 when chunked is not the last encoding.
        assert.ok([400, 422, 501].includes(status), `${encoding}: ${status}`)
      }
  },
  { full: 'needs other servers' },
)

check(
  'H-007',
  'request input never becomes a response header (CRLF injection)',
  async (world) => {
    const line = '\r\nSet-Cookie: s=1\r\nX-Injected: 1'
    const assertNoInjection = (response: HttpResponse, what: string) =>
      assert.doesNotMatch(response.head, /^(x-injected|set-cookie: s=)/im, what)
    const values = [
      `/x${line}`,
      '/x\nSet-Cookie: s=1',
      '/x\rX-Injected: 1',
      '/x\u010d\u010aX-Injected: 1',
      '/x%0d%0aX-Injected:%201',
    ]
    for (const url of await baseUrls(world)) {
      const node = { url }
      for (const callbackUrl of values) {
        const { email } = await world.newUser()
        const query = new URLSearchParams({ callbackUrl })
        assertNoInjection(await call(url, '/api/auth/signin', { body: { email, password, callbackUrl } }), callbackUrl)
        assertNoInjection(await call(url, `/api/auth/signout?${query}`, { method: 'POST' }), callbackUrl)
        assertNoInjection(
          await call(url, `/signin?${query}`, { jar: await world.signIn({ id: '', email }, { node }) }),
          callbackUrl,
        )
        assertNoInjection(await call(url, `/x%0d%0aX-Injected:%201/${encodeURIComponent(line)}/`), 'in the path')
        assertNoInjection(
          await call(url, '/api/health', { headers: { 'X-Request-Id': 'x%0d%0aX-Injected: 1' } }),
          'in a header',
        )
      }
    }
    if (hasModule('account')) {
      const { jar, id } = await world.newSession()
      assertNoInjection(await submitAction(world, 'updateProfile', { name: `Ada${line}` }, { jar }), 'as a name')
      assert.deepEqual(await world.query('select name from users where id = $1', [id]), [{ name: 'Test User' }])
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-008',
  'a header of 20 KB gets 431',
  async (world) => {
    for (const url of await baseUrls(world)) {
      assert.equal((await call(url, '/api/health', { headers: { 'X-Long': 'x'.repeat(20_000) } })).status, 431)
      const many = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`X-Many-${index}`, 'x'.repeat(12)]))
      // HAProxy limits the number of headers and responds 400.
      assert.equal((await call(url, '/api/health', { headers: many })).status, url === world.app.url ? 431 : 400)
    }
    await assertAllHealthy(world)
  },
  { full: 'needs other servers' },
)

check(
  'H-009',
  'malformed or too many cookies do no harm, and two session cookies count as none',
  async (world) => {
    for (const url of await baseUrls(world)) {
      const user = await world.newUser()
      const jar = await world.signIn(user, { node: { url } })
      const name = [...jar.values.keys()].find((key) => key.endsWith(`${appSlug}.session`)) ?? ''
      const own = `${name}=${jar.token}`
      const other = (await world.signIn(await world.newUser(), { node: { url } })).token
      const session = async (cookie: string) => {
        const response = await call(url, '/api/auth/session', { headers: { Cookie: cookie } })
        assert.equal(response.status, 200, cookie.slice(0, 40))
        const page = await call(url, '/dashboard', { headers: { Cookie: cookie } })
        assert.equal(page.status, response.json() ? 200 : 307, cookie.slice(0, 40))
        return response.json()?.user.id ?? null
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
        assert.deepEqual([await session(`${noise}; ${own}`), await session(noise)], [user.id, null], noise.slice(0, 40))
      for (const twice of [`${own}; ${name}=${other}`, `${own}; ${own}`, `${name}=; ${own}`, `${own}; ${name}=x`])
        assert.equal(await session(twice), null, 'two sessions')
    }
  },
  { full: 'needs other servers' },
)

check(
  'H-010',
  'path traversal and source or config file paths get 400 or 404',
  async (world) => {
    for (const url of await baseUrls(world))
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
        const response = await callRaw(url, rawRequest(url, `GET ${path}`, ['Connection: close']))
        assert.ok([400, 404].includes(response.status), `${path}: ${response.status}`)
        assert.doesNotMatch(response.text, /root:x:|"dependencies"|DATABASE_URL|exportedName/, path)
      }
  },
  { full: 'needs other servers' },
)

check(
  'H-011',
  'thousands of query keys are rejected or delay no other request',
  async (world) => {
    const [node, front] = await baseUrls(world)
    const keys = (count: number) => Array.from({ length: count }, (_, index) => `k${index}`).join('&')
    const tooMany = 'a&'.repeat(10_000)
    assert.equal((await call(node, `/api/health?${tooMany}`)).status, 431)
    assert.equal((await call(front, `/api/health?${tooMany}`)).status, 414)
    // The largest queries that the node and the proxy still accept.
    const queries = {
      [node]: ['a&'.repeat(7000), keys(2400), 'a[]=1&'.repeat(2200)],
      [front]: ['a&'.repeat(4000), keys(1400)],
    }
    let maxDelay = 0
    for (const [url, all] of Object.entries(queries))
      for (const query of all)
        for (const path of ['/api/health', '/signin']) {
          const added = await measureAddedLatency(url, async () => {
            for (let count = 0; count < 3; count++)
              assert.equal((await call(url, `${path}?${query}`)).status, 200, path)
          })
          assertFast(added < 200, `${path} with ${query.slice(0, 12)}…: other requests delayed ${added.toFixed(0)} ms`)
          maxDelay = Math.max(maxDelay, added)
        }
    return `other requests delayed by at most ${maxDelay.toFixed(0)} ms`
  },
  { full: 'measures time or memory' },
)

check(
  'H-012',
  '300 slowloris connections are closed and delay no other request',
  async (world) => {
    const { url } = await world.proxiedApp()
    const quiet = await measureLatencies(url, () => new Promise((resolve) => setTimeout(resolve, 400)))
    const lifetimes: number[] = []
    const start = performance.now()
    const slow = Array.from({ length: 300 }, () => {
      const socket = open(url)
      socket.on('error', () => {})
      socket.write(rawRequest(url, 'GET /api/health', ['X-Slow: ']).trimEnd())
      return { socket, isClosed: new Promise<void>((resolve) => socket.on('close', () => resolve())) }
    })
    const drip = setInterval(() => {
      for (const { socket } of slow) if (!socket.destroyed) socket.write('x')
    }, 1000)
    let waits: number[] = []
    try {
      const all = Promise.all(
        slow.map(({ isClosed }) => isClosed.then(() => lifetimes.push(performance.now() - start))),
      )
      const timeout = new Promise((_, reject) =>
        setTimeout(() => reject(new TooSlow(`${300 - lifetimes.length} of 300 still open after 20 s`)), 20_000).unref(),
      )
      waits = await measureLatencies(url, () => Promise.race([all, timeout]))
    } finally {
      clearInterval(drip)
      for (const { socket } of slow) socket.destroy()
    }
    const [usual, now] = [percentile(quiet, 0.99), percentile(waits.slice(20), 0.99)]
    assertFast(now < usual + 200, `p99 is ${now.toFixed(0)} ms, ${usual.toFixed(0)} ms before`)
    // The timeout is five seconds, plus the time to accept 300 connections at once.
    const longest = Math.max(...lifetimes) / 1000
    assertFast(longest < 10, `the last connection was closed after ${longest.toFixed(1)} s`)
    return `closed after ${longest.toFixed(1)} s; p99 of other requests ${now.toFixed(0)} ms, before ${usual.toFixed(0)}`
  },
  { full: 'measures time or memory' },
)

const assertTooLarge = (response: HttpResponse) =>
  assert.deepEqual([response.status, response.json().code], [413, 'too_large'])

check(
  'H-013',
  'a body one byte over the limit gets 413 before it is parsed',
  async (world) => {
    for (const url of await baseUrls(world)) {
      const sent = (size: number) => call(url, '/api/auth/signin', { body: '['.repeat(size), headers: json })
      // A body of exactly the limit is parsed, and rejected as malformed JSON.
      assert.equal((await sent(16 * 1024)).json().code, 'malformed')
      assertTooLarge(await sent(16 * 1024 + 1))
      const added = await measureAddedLatency(url, () => sent(16 * 1024 + 1))
      assertFast(added < 200, `other requests delayed by ${added.toFixed(0)} ms`)
    }
  },
  { full: 'measures time or memory' },
)

check(
  'H-014',
  'an endless chunked body gets 413 after 16 KiB and the connection is closed',
  async (world) => {
    for (const url of await baseUrls(world)) {
      const socket = open(url)
      const received: Buffer[] = []
      let sent = 0
      const chunk = `400\r\n${'x'.repeat(1024)}\r\n`
      const isClosed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
      socket.on('error', () => {})
      socket.on('data', (bytes) => received.push(bytes))
      socket.write(rawSignIn(url, ['Transfer-Encoding: chunked'], ''))
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
      assertFast(seconds < 12, `${url} accepted ${sent} KiB for ${seconds.toFixed(1)} s`)
    }
  },
  { full: 'measures time or memory' },
)

check(
  'H-015',
  'a JSON body with a million keys gets 413 and delays no other request',
  async (world) => {
    const body = Buffer.from(`{${Array.from({ length: 1e6 }, (_, index) => `"k${index}":1`).join()}}`)
    const megabytes = (body.length / 1e6).toFixed(0)
    const measured: string[] = []
    for (const url of await baseUrls(world)) {
      const { host } = new URL(url)
      // HAProxy responds at once and closes the connection, so a client that is still sending may never see the response.
      const part = url === world.app.url ? body : body.subarray(0, 64 * 1024)
      const added = await measureAddedLatency(url, async () => {
        const head = rawRequest(url, 'POST /api/auth/signin', [
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ])
        const received = await exchange(url, head + part.toString('latin1'))
        assert.deepEqual(statusesIn(received), [413], host)
      })
      assertFast(added < 200, `other requests delayed by ${added.toFixed(0)} ms`)
      measured.push(added.toFixed(0))
    }
    return `${megabytes} MB; other requests delayed by ${measured.join(' ms on the node, ')} ms behind the proxy`
  },
  { full: 'measures time or memory' },
)

/** Resident memory of a process, in megabytes. */
const memoryOf = (pid: number) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024

check(
  'H-016',
  'an action with an oversized body changes nothing and is not buffered in memory',
  async (world) => {
    const { email } = await world.newUser()
    const before = await snapshotState(world)
    const [node, front] = await baseUrls(world)
    const measured: string[] = []
    for (const url of [node, front])
      for (const size of [64 * 1024 + 1, 1_100_000]) {
        for (const input of [
          { email, password, callbackUrl: 'x'.repeat(size) },
          { email: `${'x'.repeat(size)}@example.com`, password },
        ]) {
          const response = await callAction(world, 'signIn', input, {
            node: { url },
            headers: { Origin: 'https://evil.example' },
            allow500: true,
          })
          assert.deepEqual(response.setCookies, [])
        }
      }
    // An unread body must not block the next request on the same keep-alive connection.
    const action = `Next-Action: ${listActions().find(({ name }) => name === 'askForReset')?.id}`
    for (const path of ['/forgot', '/signed-out'])
      for (const size of [200_000, 400_000, 900_000]) {
        const own = [`Origin: ${node}`, 'Sec-Fetch-Site: same-origin', 'Content-Type: text/plain']
        const first = rawRequest(node, `POST ${path}`, [...own, action, `Content-Length: ${size}`], 'x'.repeat(size))
        const next = rawRequest(node, 'GET /api/health', ['Connection: close'])
        const start = performance.now()
        await exchange(node, first + next)
        assertFast(performance.now() - start < 5_000, `after ${size} bytes to ${path} the connection is stuck`)
      }
    const whole = Buffer.alloc(200_000_000, 'x')
    for (const url of [node, front]) {
      const server = url === node ? [world.app] : (await world.proxiedApp()).nodes
      const start = server.reduce((sum, { pid }) => sum + memoryOf(pid), 0)
      let maxGrowth = 0
      const watch = setInterval(() => {
        maxGrowth = Math.max(maxGrowth, server.reduce((sum, { pid }) => sum + memoryOf(pid), 0) - start)
      }, 10)
      for (let round = 0; round < 3; round++) {
        const response = await callAction(world, 'signIn', {}, { node: { url }, body: whole, allow500: true }).catch(
          (error) => error,
        )
        // A client that is still sending when it is rejected may see the connection reset.
        if (response instanceof Error) assert.match(response.message, /EPIPE|ECONNRESET|socket hang up/)
        else assert.ok([400, 403, 413, 500].includes(response.status), String(response.status))
      }
      clearInterval(watch)
      assert.ok(maxGrowth < 150 * server.length, `memory grew by ${maxGrowth.toFixed(0)} MB while 600 MB were sent`)
      measured.push(maxGrowth.toFixed(0))
    }
    assert.equal(await snapshotState(world), before)
    await assertAllHealthy(world)
    return `memory growth: ${measured.join(' MB on the node, ')} MB behind the proxy`
  },
  { full: 'measures time or memory' },
)

check(
  'H-017',
  'deeply nested JSON is rejected and delays no other request',
  async (world) => {
    for (const url of await baseUrls(world)) {
      const sent = (body: string) => call(url, '/api/auth/signin', { body, headers: json })
      assertTooLarge(await sent('['.repeat(100_000)))
      const deepest = [
        '['.repeat(16 * 1024),
        '[{"a":'.repeat(2700),
        `{"email":${'['.repeat(8000)}${']'.repeat(8000)},"password":"x"}`,
      ]
      for (const body of deepest) assert.ok([400, 422].includes((await sent(body)).status))
      const added = await measureAddedLatency(url, () => Promise.all(deepest.map(sent)))
      assertFast(added < 200, `other requests delayed by ${added.toFixed(0)} ms`)
    }
  },
  { full: 'measures time or memory' },
)

check(
  'H-018',
  'a compressed request body gets 415 and is not decompressed',
  async (world) => {
    const bomb = gzipSync(Buffer.alloc(10_000_000, ' '))
    assert.ok(bomb.length < 16 * 1024)
    for (const url of await baseUrls(world)) {
      for (const encoding of ['gzip', 'deflate', 'br', 'GZIP', 'identity, gzip', 'x']) {
        const response = await call(url, '/api/auth/signin', {
          body: bomb,
          headers: { ...json, 'Content-Encoding': encoding },
        })
        assert.deepEqual([response.status, response.json().code], [415, 'unsupported_media_type'], encoding)
      }
      // Server actions ignore Content-Encoding and fail to parse the compressed bytes.
      const actionResponse = await callAction(
        world,
        'signIn',
        {},
        { node: { url }, body: bomb, headers: { 'Content-Encoding': 'gzip' }, allow500: true },
      )
      assert.deepEqual(actionResponse.setCookies, [])
    }
    await assertAllHealthy(world)
  },
  { full: 'needs other servers' },
)
