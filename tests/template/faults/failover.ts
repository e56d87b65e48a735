// PostgreSQL failover: the primary dies, or a switchover is requested.
import assert from 'node:assert/strict'
import { check } from '../../app/support/checks.ts'
import { runDb } from '../../app/support/database.ts'
import type { World } from '../../app/support/test-world.ts'
import { type Attempt, everyKind, Load, waitUntil } from './support/load.ts'
import { withDatabase } from './support/own-server.ts'
import { Patroni } from './support/patroni.ts'

interface FailoverSetup {
  patroni: Patroni
  here: World
}
const setups = new WeakMap<World, Promise<FailoverSetup>>()

function failoverSetup(world: World): Promise<FailoverSetup> {
  const cached = setups.get(world)
  if (cached) return cached
  const started = (async () => {
    const patroni = await Patroni.start()
    world.atEndOfGroup(async () => {
      setups.delete(world)
      await patroni.stop()
    })
    runDb('migrate', patroni.url)
    const node = await world.node('two servers', { DATABASE_URL: patroni.url, WORKER: 'apart' })
    return { patroni, here: withDatabase(world, patroni.url, node) }
  })()
  setups.set(world, started)
  return started
}

const isWrite = ({ kind }: Attempt) => kind !== 'page' && kind !== 'session'

/** Runs a load during the failover. Returns the longest time without a successful write, and a summary. */
async function loadDuring(
  { patroni, here }: FailoverSetup,
  failover: () => Promise<unknown>,
): Promise<{ gap: number; measured: string }> {
  const mix = everyKind().filter((kind) => kind !== 'signOut')
  const load = await Load.start(
    { url: here.app.url, query: here.query.bind(here) },
    { inFlight: 8, perSecond: 60, mix },
  )
  await load.waitForCount(150)
  const before = await patroni.leader()
  await failover()
  await waitUntil('there is another leader', async () => !['', before].includes(await patroni.leader()), 60_000)
  await waitUntil('it is ready', async () => (await here.get('/api/health/ready')).status === 200, 60_000)
  await load.waitForCount(load.attempts.length + 200)
  await load.stop()
  for (const { kind, status, text } of load.failed()) {
    const how = `${kind} ${status} ${text.slice(0, 200)}`
    // Public pages keep working, and everything else responds with 503: no other error, and nobody is signed out.
    assert.notEqual(kind, 'page', how)
    assert.ok(status === 503 || /"code":"unavailable"/.test(text), how)
  }
  assert.deepEqual(await load.findLostWrites(), [])
  const gap = load.longestGap(isWrite)
  return { gap, measured: `no successful write for ${(gap / 1000).toFixed(1)} s; ${load.summary()}` }
}

check(
  'H-297',
  'when the primary PostgreSQL dies, the standby takes over within 30 seconds; no confirmed write is lost, nobody is signed out',
  async (world) => {
    const setup = await failoverSetup(world)
    let killed = ''
    const { gap, measured } = await loadDuring(setup, async () => {
      killed = await setup.patroni.killLeader()
    })
    assert.ok(gap < 30_000, measured)
    // The killed server rejoins as the standby.
    setup.patroni.startMember(killed)
    await waitUntil('both servers are up again', () => setup.patroni.isHealthy(), 60_000)
    return measured
  },
  { slowReason: 'needs Patroni and etcd' },
)

check(
  'H-298',
  'a planned switchover takes seconds',
  async (world) => {
    const setup = await failoverSetup(world)
    const { gap, measured } = await loadDuring(setup, () => setup.patroni.switchOver())
    assert.ok(gap < 15_000, measured)
    return measured
  },
  { slowReason: 'needs Patroni and etcd' },
)
