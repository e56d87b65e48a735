// S. What befalls the app's own nodes, behind HAProxy as it is shipped.
import assert from 'node:assert/strict'
import { connect as connectHttp2 } from 'node:http2'
import { connect } from 'node:net'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { connect as connectTls } from 'node:tls'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/root.ts'
import { hiddenFields, multipart } from '../hostile/actions.ts'
import { assertSoon, check, hasModule } from '../hostile/checks.ts'
import type { World } from '../hostile/world.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { Fleet } from './fleet.ts'
import { Caller, cookieName, isRead, Load, newTokens, sleep, until } from './load.ts'

/** Milliseconds: HAProxy notices within one second. */
const drain = 2_000
const stuck = 5_000

const fleets = new WeakMap<World, Promise<Fleet>>()

/** The same three nodes for every check; those that the last one ended are started again. */
async function fleetOf(world: World): Promise<Fleet> {
  const known = await fleets.get(world)
  if (known) {
    await known.mend()
    return known
  }
  const preload = pathToFileURL(join(root, 'tests', 'faults', 'stuck-on-signal.mjs')).href
  const env = { DRAIN_MS: String(drain), NODE_OPTIONS: `--import ${preload}`, STUCK_MS: String(stuck) }
  const started = Fleet.start(world, { env })
  fleets.set(world, started)
  world.atEndOfGroup(async () => {
    fleets.delete(world)
    await (await started).stop()
  })
  return started
}

/** How late this machine is with everything at the moment: what it says about time is wrong by this much. */
function measureLag(): () => number {
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  return () => {
    delay.disable()
    return Math.round(delay.max / 1e6)
  }
}

const timed = async (work: Promise<unknown>) => {
  const start = performance.now()
  await work
  return performance.now() - start
}

const inSeconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

/** A request whose body comes slowly: as long under way as the check likes. Resolves with all that was answered. */
function askSlowly(url: string, certificate: string | undefined): { finish: () => void; answer: Promise<string> } {
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
  const answer = new Promise<string>((resolve) => {
    socket.on('error', (error) => resolve(`${text}${error.message}`))
    socket.on('close', () => resolve(text))
  })
  return { finish: () => socket.write(body.slice(1)), answer }
}

check(
  'H-289',
  'a node that is told to end under load takes leave without a failed request, and keeps nothing',
  async (world) => {
    const fleet = await fleetOf(world)
    let took = 0
    const load = await Load.during(fleet, { perSecond: 200 }, async (load) => {
      await load.reach(300)
      const node = fleet.node(0)
      // One that is used and kept, and one that a browser would open ahead of time.
      const caller = new Caller({ url: node.url, query: fleet.query })
      assert.equal((await caller.ask({ path: '/api/health' })).status, 200)
      const unused = connect(Number(new URL(node.url).port), '127.0.0.1')
      unused.on('error', () => {})
      await until('a connection', () => unused.readyState === 'open')

      node.signal('SIGTERM')
      const exit = timed(node.exited)
      await sleep(200)
      const ready = await caller.ask({ path: '/api/health/ready' })
      assert.deepEqual([ready.status, ready.headers.connection, ready.headers['retry-after']], [503, 'close', '5'])
      took = await exit
      caller.end()
      assert.equal(await node.exited, 143)
      assert.ok(took >= drain && took <= drain + 10_000, `it ended after ${inSeconds(took)}`)
      await until('its connections to the database end', async () => (await fleet.connectionsOf(0)) === 0)
      await load.more(200)
    })
    await load.assertAllGood()
    return `${load.summary()}; it ended after ${inSeconds(took)}`
  },
)

check(
  'H-290',
  'a request that takes 20 seconds is answered by a node that was told to end meanwhile',
  async (world) => {
    const fleet = await fleetOf(world)
    // The proxy sends each to the node with the fewest.
    const slow = fleet.nodes.map(() => askSlowly(fleet.url, fleet.certificate))
    await sleep(500)
    const node = fleet.node(1)
    node.signal('SIGTERM')
    const exit = timed(node.exited)
    await sleep(20_000)
    for (const { finish } of slow) finish()
    for (const { answer } of slow) assert.match(await answer, /^HTTP\/1.1 200 [\s\S]*\{"url":"\/"\}/)
    const took = await exit
    assert.equal(await node.exited, 143)
    assert.ok(took >= 20_000, `the node had ended after ${inSeconds(took)}`)
    return `it ended ${inSeconds(took - 20_000)} after that`
  },
  { long: 'takes half a minute' },
)

check(
  'H-291',
  'told again to end, a node does so at once; without that, when what is under way takes too long',
  async (world) => {
    const start = (DRAIN_MS: string) =>
      startServer('start', { ...world.env, DRAIN_MS }).then((node) => {
        world.watch(node)
        return node
      })
    const [twice, echoed, patient] = (await Promise.all(['60000', '1500', '0'].map(start))) as [
      RunningServer,
      RunningServer,
      RunningServer,
    ]
    const nodes = [twice, echoed, patient]
    try {
      // In the middle of a request, and with sixty seconds to go.
      const cut = askSlowly(twice.url, undefined)
      const endless = askSlowly(patient.url, undefined)
      await sleep(300)
      for (const node of nodes) node.signal('SIGTERM')
      const ends = nodes.map((node) => timed(node.exited))
      // npm and a service manager may both pass the same signal on: that is not a second one.
      await sleep(50)
      echoed.signal('SIGTERM')
      await sleep(1_500)
      twice.signal('SIGTERM')
      const [atOnce = 0, drained = 0, late = 0] = await Promise.all(ends)
      assert.ok(atOnce < 5_000, `told again, it ended after ${inSeconds(atOnce)}`)
      assert.ok(drained >= 1_500 && drained < 11_500, `told twice in a breath, it ended after ${inSeconds(drained)}`)
      assert.ok(late >= 20_000 && late <= 30_000, `it waited ${inSeconds(late)} for a request without an end`)
      assert.deepEqual(await Promise.all(nodes.map((node) => node.exited)), [143, 143, 1])
      assert.equal(await cut.answer, '')
      await endless.answer
      // A node that the system ends leaves nothing behind either: whoever it was talking to is told by the kernel.
      return `at once after ${inSeconds(atOnce)}, patience ends after ${inSeconds(late)}`
    } finally {
      await Promise.all(nodes.map((node) => node.kill()))
    }
  },
  { long: 'takes half a minute' },
)

check(
  'H-292',
  'all nodes are started anew, one after the other, under 10 000 requests: none fails, and pages from before still work',
  async (world) => {
    const fleet = await fleetOf(world)
    const caller = new Caller(fleet)
    const form = hasModule('account') ? await openForm(fleet, caller) : undefined
    const start = performance.now()
    const load = await Load.during(fleet, {}, async (load) => {
      await load.reach(1_000)
      for (const index of fleet.nodes.keys()) {
        const node = fleet.node(index)
        node.signal('SIGTERM')
        assert.ok((await timed(node.exited)) <= drain + 10_000)
        assert.equal(await node.exited, 143)
        await fleet.revive(index)
        await load.reach(3_000 * (index + 1))
      }
      await load.reach(10_000)
    })
    await load.assertAllGood()
    await form?.()
    // A tab of another build is told so, and its script loads the page anew.
    const foreign = await caller.ask({
      method: 'POST',
      path: '/signin',
      headers: { 'Next-Action': '00'.repeat(21), Origin: fleet.url, 'Content-Type': 'text/plain;charset=UTF-8' },
      body: '[]',
    })
    caller.end()
    assert.ok([404, 409].includes(foreign.status), `an unknown action answered ${foreign.status}`)
    return `${load.summary()}; ${Math.round(load.attempts.length / ((performance.now() - start) / 1000))} a second`
  },
  { long: 'takes minutes' },
)

/** Loads a page with a form now, to be sent later to every node, as a browser without JavaScript does. */
async function openForm(fleet: Fleet, caller: Caller): Promise<() => Promise<void>> {
  const [person] = await fleet.query(
    `insert into users (email, name, email_verified_at) values ($1, 'Old tab', now()) returning id`,
    [`tab-${crypto.randomUUID()}@example.com`],
  )
  const [token = ''] = await newTokens(fleet, person.id, 1)
  const Cookie = `${cookieName(fleet)}=${token}`
  const page = await caller.ask({ path: '/account/profile', headers: { Cookie } })
  const hidden = hiddenFields(page.text, 'name')
  assert.ok(hidden.length > 0, 'the page has no form')
  return async () => {
    for (const [index, node] of fleet.nodes.entries()) {
      const { body, headers } = await multipart([...hidden, ['name', `Old tab ${index}`]])
      const direct = new Caller({ url: node.url, query: fleet.query })
      const { host } = new URL(fleet.url)
      const answer = await direct.ask({
        method: 'POST',
        path: '/account/profile',
        headers: { ...headers, Cookie, Host: host, Origin: fleet.url, 'Sec-Fetch-Site': 'same-origin' },
        body: String(body),
      })
      direct.end()
      assert.equal(answer.status, 200)
      const [{ name }] = await fleet.query('select name from users where id = $1', [person.id])
      assert.equal(name, `Old tab ${index}`)
    }
  }
}

check(
  'H-293',
  'of a node that is killed nobody who reads notices anything, and at most what was under way fails of the rest',
  async (world) => {
    const fleet = await fleetOf(world)
    const inFlight = 8
    let [killedAt, noticed, late] = [0, 0, 0]
    const load = await Load.during(fleet, { inFlight, isBrowser: true }, async (load) => {
      await load.reach(300)
      const lag = measureLag()
      killedAt = Date.now()
      const dead = fleet.node(2).kill()
      noticed = await fleet.sees(2, 'DOWN')
      late = lag()
      await dead
      await load.more(300)
    })
    const failed = load.failed()
    assert.equal(failed.filter(isRead).length, 0, load.summary())
    assert.ok(failed.length <= inFlight, load.summary())
    const after = failed.filter(({ startedAt }) => startedAt > killedAt + 1_000 + late)
    assert.equal(after.length, 0, `requests that began later failed as well: ${load.summary()}`)
    assert.deepEqual(await load.lost(), [])
    assertSoon(noticed <= 2_000 + late, `the proxy noticed after ${inSeconds(noticed)}`)
    return `${load.summary()}; the proxy noticed after ${inSeconds(noticed)}`
  },
)

check(
  'H-294',
  'one node that is left serves what it can, and what is beyond that hears when to come again',
  async (world) => {
    const fleet = await fleetOf(world)
    await Promise.all([1, 2].map((index) => fleet.node(index).kill()))
    await Promise.all([1, 2].map((index) => fleet.sees(index, 'DOWN')))
    const load = await Load.reaching(fleet, 80, { inFlight: 4, perSecond: 20 })
    await load.assertAllGood()
    return `${load.summary()}; beyond 500 requests at once: ${await crowd(fleet, 500)}`
  },
)

/** Takes up all that the proxy lets through to a node, asks for more, and lets go again. */
async function crowd(fleet: Fleet, most: number): Promise<string> {
  const { host } = new URL(fleet.url)
  const sessions = Array.from({ length: most / 100 }, () =>
    connectHttp2(fleet.url.replace('localhost', '127.0.0.1'), { ca: fleet.certificate, servername: 'localhost' }),
  )
  const caller = new Caller(fleet)
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
    await sleep(1_500)
    const refused = await Promise.all(Array.from({ length: 5 }, () => caller.ask({ path: '/api/auth/session' })))
    for (const { status, headers } of refused) assert.deepEqual([status, headers['retry-after']], [503, '5'])
    for (const stream of bodies) stream.end('"redirect":false}')
    const answered = await Promise.all(statuses)
    assert.deepEqual([...new Set(answered)], [200])
    assert.equal((await caller.ask({ path: '/api/auth/session' })).status, 200)
    return `503 with Retry-After, and all ${answered.length} were answered`
  } finally {
    caller.end()
    for (const session of sessions) session.destroy()
  }
}

/** Writes down every change of a name, so that one that was made twice is seen. */
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
  'a node that hangs for ten seconds is left out within two, and does nothing twice when it goes on',
  async (world) => {
    const fleet = await fleetOf(world)
    const twice = await countRenames(fleet)
    const inFlight = 8
    let [noticed, late] = [0, 0]
    const load = await Load.during(fleet, { inFlight }, async (load) => {
      await load.reach(300)
      const lag = measureLag()
      const node = fleet.node(0)
      node.signal('SIGSTOP')
      const stoppedAt = Date.now()
      try {
        noticed = await fleet.sees(0, 'DOWN')
        late = lag()
        await sleep(10_000 - (Date.now() - stoppedAt))
      } finally {
        node.signal('SIGCONT')
      }
      await fleet.sees(0, 'UP')
      await load.more(300)
    })
    assert.equal(await twice(), 0)
    const summary = `${load.summary()}; the proxy noticed after ${inSeconds(noticed)}`
    assert.equal(load.failed().filter(isRead).length, 0, summary)
    assert.ok(load.failed().length <= inFlight, summary)
    assert.deepEqual(await load.lost(), [])
    assertSoon(noticed <= 2_000 + late, summary)
    return summary
  },
)

check('H-296', 'a node whose thread is busy for five seconds is neither alive nor ready meanwhile', async (world) => {
  const fleet = await fleetOf(world)
  let noticed = 0
  const load = await Load.during(fleet, {}, async (load) => {
    await load.reach(300)
    const node = fleet.node(1)
    node.signal('SIGUSR2')
    const direct = new Caller({ url: node.url, query: fleet.query })
    const isSilent = async () => (await direct.ask({ path: '/api/health', timeout: 2_000 })).status === 0
    // What had arrived before the signal may still be answered.
    const [, after] = await Promise.all([until('a node that does not answer', isSilent, 2_000), fleet.sees(1, 'DOWN')])
    noticed = after
    await fleet.sees(1, 'UP')
    assert.equal((await direct.ask({ path: '/api/health' })).status, 200)
    direct.end()
    await load.more(300)
  })
  assert.equal(load.failed().filter(isRead).length, 0, load.summary())
  assert.deepEqual(await load.lost(), [])
  return `${load.summary()}; the proxy noticed after ${inSeconds(noticed)}`
})
