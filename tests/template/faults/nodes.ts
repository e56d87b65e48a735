// Faults of the app's own nodes, behind HAProxy with the shipped configuration.

import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { assertFast, check } from '../../app/support/checks.ts'
import { hasModule } from '../../app/support/has-module.ts'
import { type RunningServer, startServer } from '../../app/support/server.ts'
import { hiddenFields, multipart } from '../../app/support/server-actions.ts'
import type { World } from '../../app/support/test-world.ts'
import { Fleet } from './support/fleet.ts'
import { cookieName, HttpClient, isRead, Load, newTokens, waitUntil } from './support/load.ts'

/** Milliseconds; HAProxy notices within one second. */
const drain = 2_000
const stuckMs = 5_000

const fleets = new WeakMap<World, Promise<Fleet>>()

/** Three nodes shared by all checks; nodes that the previous check ended are restarted. */
async function fleetOf(world: World): Promise<Fleet> {
  const known = await fleets.get(world)
  if (known) {
    await known.restartDeadNodes()
    return known
  }
  const preload = pathToFileURL(join(import.meta.dirname, 'support', 'stuck-on-signal.mjs')).href
  const env = { DRAIN_MS: String(drain), NODE_OPTIONS: `--import ${preload}`, STUCK_MS: String(stuckMs) }
  const started = Fleet.start(world, { env })
  fleets.set(world, started)
  world.atEndOfGroup(async () => {
    fleets.delete(world)
    await (await started).stop()
  })
  return started
}

/** Measures the event loop delay of this process: time measurements are off by up to this much. */
function measureLag(): () => number {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  return () => {
    delay.disable()
    return Math.round(delay.max / 1e6)
  }
}

const measureTime = async (work: Promise<unknown>) => {
  const start = performance.now()
  await work
  return performance.now() - start
}

const formatSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

/** A request whose body is sent slowly, so that it lasts as long as the check wants. Resolves with the raw response. */
function sendSlowly(url: string, certificate: string | undefined): { finish: () => void; result: Promise<string> } {
  const { port, hostname, host } = new URL(url)
  const socket = certificate
    ? connectTls({ port: Number(port), host: '127.0.0.1', servername: hostname, ca: certificate })
    : connect(Number(port), '127.0.0.1')
  const body = '{"redirect":false}'
  const head = [
    'POST /api/auth/signout HTTP/1.1',
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'Connection: close',
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 1)}`)
  let text = ''
  socket.setEncoding('utf8')
  socket.on('data', (chunk) => (text += chunk))
  const result = new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve(`${text}${error.message}`))
    socket.on('close', () => resolve(text))
  })
  return { finish: () => socket.write(body.slice(1)), result }
}

check(
  'H-289',
  'SIGTERM under load drains a node without a failed request, and closes all connections',
  async (world) => {
    const fleet = await fleetOf(world)
    let took = 0
    const load = await Load.during(fleet, { perSecond: 200 }, async (load) => {
      await load.waitForCount(300)
      const node = fleet.node(0)
      // A keep-alive connection, and one that a browser would open in advance.
      const client = new HttpClient({ url: node.url, query: fleet.query })
      assert.equal((await client.request({ path: '/api/health' })).status, 200)
      const unused = connect(Number(new URL(node.url).port), '127.0.0.1')
      unused.on('error', () => {})
      await waitUntil('a connection', () => unused.readyState === 'open')

      node.signal('SIGTERM')
      const exit = measureTime(node.exited)
      await sleep(200)
      const ready = await client.request({ path: '/api/health/ready' })
      assert.deepEqual([ready.status, ready.headers.connection, ready.headers['retry-after']], [503, 'close', '5'])
      took = await exit
      client.end()
      assert.equal(await node.exited, 143)
      assert.ok(took >= drain && took <= drain + 10_000, `it ended after ${formatSeconds(took)}`)
      await waitUntil('its connections to the database end', async () => (await fleet.connectionsOf(0)) === 0)
      await load.waitForMore(200)
    })
    await load.assertAllGood()
    return `${load.summary()}; it ended after ${formatSeconds(took)}`
  },
)

check(
  'H-290',
  'a request that takes 20 seconds completes on a node that received SIGTERM meanwhile',
  async (world) => {
    const fleet = await fleetOf(world)
    // The proxy sends each request to the node with the fewest connections.
    const slow = fleet.nodes.map(() => sendSlowly(fleet.url, fleet.certificate))
    await sleep(500)
    const node = fleet.node(1)
    node.signal('SIGTERM')
    const exit = measureTime(node.exited)
    await sleep(20_000)
    for (const { finish } of slow) finish()
    for (const { result } of slow) assert.match(await result, /^HTTP\/1.1 200 [\s\S]*\{"url":"\/"\}/)
    const took = await exit
    assert.equal(await node.exited, 143)
    assert.ok(took >= 20_000, `the node had ended after ${formatSeconds(took)}`)
    return `it ended ${formatSeconds(took - 20_000)} after that`
  },
  { slowReason: 'takes half a minute' },
)

check(
  'H-291',
  'a second SIGTERM ends a node at once; otherwise it ends when a request takes too long',
  async (world) => {
    const start = (DRAIN_MS: string) =>
      startServer('start', { ...world.env, DRAIN_MS }).then((node) => {
        world.watchOutput(node)
        return node
      })
    const [twice, echoed, patient] = (await Promise.all(['60000', '1500', '0'].map(start))) as [
      RunningServer,
      RunningServer,
      RunningServer,
    ]
    const nodes = [twice, echoed, patient]
    try {
      // During a request, and with a drain time of sixty seconds.
      const cut = sendSlowly(twice.url, undefined)
      const endless = sendSlowly(patient.url, undefined)
      await sleep(300)
      for (const node of nodes) node.signal('SIGTERM')
      const ends = nodes.map((node) => measureTime(node.exited))
      // A node counts the time between signals from when it has noticed the first, and it may be busy after its start.
      for (const node of nodes) await waitUntil('a node drains', () => node.output().includes('received, draining'))
      // npm and a service manager may both forward the same signal: that does not count as a second one.
      await sleep(50)
      echoed.signal('SIGTERM')
      await sleep(1_500)
      twice.signal('SIGTERM')
      const [atOnce = 0, drained = 0, late = 0] = await Promise.all(ends)
      assert.ok(atOnce < 5_000, `after a second signal it ended after ${formatSeconds(atOnce)}`)
      assert.ok(
        drained >= 1_500 && drained < 11_500,
        `after a duplicate signal it ended after ${formatSeconds(drained)}`,
      )
      assert.ok(late >= 20_000 && late <= 30_000, `it waited ${formatSeconds(late)} for a request that never ends`)
      assert.deepEqual(await Promise.all(nodes.map((node) => node.exited)), [143, 143, 1])
      assert.equal(await cut.result, '')
      await endless.result
      // For a process that the system kills, the kernel closes its connections.
      return `at once after ${formatSeconds(atOnce)}, gave up waiting after ${formatSeconds(late)}`
    } finally {
      await Promise.all(nodes.map((node) => node.kill()))
    }
  },
  { slowReason: 'takes half a minute' },
)

check(
  'H-292',
  'a rolling restart of all nodes under 10,000 requests: none fails, and pages loaded before still work',
  async (world) => {
    const fleet = await fleetOf(world)
    const client = new HttpClient(fleet)
    const form = hasModule('account') ? await openForm(fleet, client) : undefined
    const start = performance.now()
    const load = await Load.during(fleet, {}, async (load) => {
      await load.waitForCount(1_000)
      for (const index of fleet.nodes.keys()) {
        const node = fleet.node(index)
        node.signal('SIGTERM')
        assert.ok((await measureTime(node.exited)) <= drain + 10_000)
        assert.equal(await node.exited, 143)
        await fleet.restartNode(index)
        await load.waitForCount(3_000 * (index + 1))
      }
      await load.waitForCount(10_000)
    })
    await load.assertAllGood()
    await form?.()
    // A browser tab of another build gets an error, and its script reloads the page.
    const foreign = await client.request({
      method: 'POST',
      path: '/signin',
      headers: { 'Next-Action': '00'.repeat(21), Origin: fleet.url, 'Content-Type': 'text/plain;charset=UTF-8' },
      body: '[]',
    })
    client.end()
    assert.ok([404, 409].includes(foreign.status), `an unknown action returned ${foreign.status}`)
    return `${load.summary()}; ${Math.round(load.attempts.length / ((performance.now() - start) / 1000))} a second`
  },
  { slowReason: 'takes minutes' },
)

/** Loads a page with a form now, to be submitted later to every node, like a browser without JavaScript. */
async function openForm(fleet: Fleet, client: HttpClient): Promise<() => Promise<void>> {
  const [user] = await fleet.query(
    `insert into users (email, name, email_verified_at) values ($1, 'Old tab', now()) returning id`,
    [`tab-${crypto.randomUUID()}@example.com`],
  )
  const [token = ''] = await newTokens(fleet, user.id, 1)
  const Cookie = `${cookieName(fleet)}=${token}`
  const page = await client.request({ path: '/account/profile', headers: { Cookie } })
  const hidden = hiddenFields(page.text, 'name')
  assert.ok(hidden.length > 0, 'the page has no form')
  return async () => {
    for (const [index, node] of fleet.nodes.entries()) {
      const { body, headers } = await multipart([...hidden, ['name', `Old tab ${index}`]])
      const direct = new HttpClient({ url: node.url, query: fleet.query })
      const { host } = new URL(fleet.url)
      const result = await direct.request({
        method: 'POST',
        path: '/account/profile',
        headers: { ...headers, Cookie, Host: host, Origin: fleet.url, 'Sec-Fetch-Site': 'same-origin' },
        body: String(body),
      })
      direct.end()
      assert.equal(result.status, 200)
      const [{ name }] = await fleet.query('select name from users where id = $1', [user.id])
      assert.equal(name, `Old tab ${index}`)
    }
  }
}

check('H-293', 'when a node is killed no read fails, and of the writes at most those in progress', async (world) => {
  const fleet = await fleetOf(world)
  const inFlight = 8
  let [killedAt, noticed, late] = [0, 0, 0]
  const load = await Load.during(fleet, { inFlight, isBrowser: true }, async (load) => {
    await load.waitForCount(300)
    const lag = measureLag()
    killedAt = Date.now()
    const dead = fleet.node(2).kill()
    noticed = await fleet.waitForState(2, 'DOWN')
    late = lag()
    await dead
    await load.waitForMore(300)
  })
  const failed = load.failed()
  assert.equal(failed.filter(isRead).length, 0, load.summary())
  assert.ok(failed.length <= inFlight, load.summary())
  const after = failed.filter(({ startedAt }) => startedAt > killedAt + 1_000 + late)
  assertFast(after.length === 0, `requests that started later failed too: ${load.summary()}`)
  assert.deepEqual(await load.findLostWrites(), [])
  assertFast(noticed <= 2_000 + late, `the proxy noticed after ${formatSeconds(noticed)}`)
  return `${load.summary()}; the proxy noticed after ${formatSeconds(noticed)}`
})

check('H-294', 'the last remaining node serves what it can, and the rest gets 503 with Retry-After', async (world) => {
  const fleet = await fleetOf(world)
  await Promise.all([1, 2].map((index) => fleet.node(index).kill()))
  await Promise.all([1, 2].map((index) => fleet.waitForState(index, 'DOWN')))
  const load = await Load.runUntilCount(fleet, 80, { inFlight: 4, perSecond: 20 })
  await load.assertAllGood()
  return `${load.summary()}; beyond 500 requests at once: ${await saturateProxy(fleet, 500)}`
})

/** Uses up all connections that the proxy allows to a node, sends more requests, and releases them. */
async function saturateProxy(fleet: Fleet, maxConnections: number): Promise<string> {
  const { host } = new URL(fleet.url)
  const sessions = Array.from({ length: maxConnections / 100 }, () =>
    connectHttp2(fleet.url.replace('localhost', '127.0.0.1'), { ca: fleet.certificate, servername: 'localhost' }),
  )
  const client = new HttpClient(fleet)
  try {
    const bodies = sessions.flatMap((session) =>
      Array.from({ length: 100 }, () => {
        const stream = session.request({
          ':method': 'POST',
          ':path': '/api/auth/signout',
          ':authority': host,
          'content-type': 'application/json',
          'content-length': '18',
        })
        stream.resume()
        stream.write('{')
        return stream
      }),
    )
    const statuses = bodies.map(
      (stream) =>
        new Promise<number>((resolve) => {
          stream.on('response', (headers) => resolve(headers[':status'] ?? 0))
          stream.on('error', () => resolve(0))
        }),
    )
    const askForSession = () => client.request({ path: '/api/auth/session' })
    await waitUntil('the proxy is saturated', async () => (await askForSession()).status === 503)
    const refused = await Promise.all(Array.from({ length: 5 }, askForSession))
    for (const { status, headers } of refused) assert.deepEqual([status, headers['retry-after']], [503, '5'])
    for (const stream of bodies) stream.end('"redirect":false}')
    const answered = await Promise.all(statuses)
    assert.deepEqual([...new Set(answered)], [200])
    assert.equal((await client.request({ path: '/api/auth/session' })).status, 200)
    return `503 with Retry-After, and all ${answered.length} got a response`
  } finally {
    client.end()
    for (const session of sessions) session.destroy()
  }
}

/** Records every name change with a trigger, so that a duplicate is noticed. */
async function countRenames(fleet: Fleet): Promise<() => Promise<number>> {
  await fleet.query(`
    create table fault_names (name text);
    create function fault_note() returns trigger language plpgsql as
      'begin insert into fault_names values (new.name); return new; end';
    create trigger fault_note after update of name on users for each row execute function fault_note()`)
  return async () => {
    const twice = await fleet.query('select name from fault_names group by name having count(*) > 1')
    await fleet.query('drop trigger fault_note on users; drop function fault_note; drop table fault_names')
    return twice.length
  }
}

check(
  'H-295',
  'a node that hangs for ten seconds is taken out within two, and does nothing twice when it resumes',
  async (world) => {
    const fleet = await fleetOf(world)
    const twice = await countRenames(fleet)
    const inFlight = 8
    let [noticed, late] = [0, 0]
    const load = await Load.during(fleet, { inFlight }, async (load) => {
      await load.waitForCount(300)
      const lag = measureLag()
      const node = fleet.node(0)
      node.signal('SIGSTOP')
      const stoppedAt = Date.now()
      try {
        noticed = await fleet.waitForState(0, 'DOWN')
        late = lag()
        await sleep(10_000 - (Date.now() - stoppedAt))
      } finally {
        node.signal('SIGCONT')
      }
      await fleet.waitForState(0, 'UP')
      await load.waitForMore(300)
    })
    assert.equal(await twice(), 0)
    const summary = `${load.summary()}; the proxy noticed after ${formatSeconds(noticed)}`
    assert.equal(load.failed().filter(isRead).length, 0, summary)
    assert.ok(load.failed().length <= inFlight, summary)
    assert.deepEqual(await load.findLostWrites(), [])
    assertFast(noticed <= 2_000 + late, summary)
    return summary
  },
)

check('H-296', 'a node whose main thread is blocked for five seconds is neither alive nor ready', async (world) => {
  const fleet = await fleetOf(world)
  let noticed = 0
  const load = await Load.during(fleet, {}, async (load) => {
    await load.waitForCount(300)
    const node = fleet.node(1)
    node.signal('SIGUSR2')
    const direct = new HttpClient({ url: node.url, query: fleet.query })
    const isSilent = async () => (await direct.request({ path: '/api/health', timeout: 2_000 })).status === 0
    // Requests that arrived before the signal may still get a response.
    const [, after] = await Promise.all([
      waitUntil('a node that does not respond', isSilent, 15_000),
      fleet.waitForState(1, 'DOWN'),
    ])
    noticed = after
    await fleet.waitForState(1, 'UP')
    assert.equal((await direct.request({ path: '/api/health' })).status, 200)
    direct.end()
    await load.waitForMore(300)
  })
  assert.equal(load.failed().filter(isRead).length, 0, load.summary())
  assert.deepEqual(await load.findLostWrites(), [])
  return `${load.summary()}; the proxy noticed after ${formatSeconds(noticed)}`
})
