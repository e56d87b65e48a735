// S. The PostgreSQL that takes writes dies, or hands over, and another takes its place.
import assert from 'node:assert/strict'
import { check } from '../hostile/checks.ts'
import type { World } from '../hostile/world.ts'
import { runDb } from '../support/database.ts'
import { elsewhere } from './elsewhere.ts'
import { type Attempt, everyKind, Load, until } from './load.ts'
import { Patroni } from './patroni.ts'

interface Place {
  patroni: Patroni
  here: World
}
const places = new WeakMap<World, Promise<Place>>()

function place(world: World): Promise<Place> {
  const known = places.get(world)
  if (known) return known
  const made = (async () => {
    const patroni = await Patroni.start()
    world.atEndOfGroup(async () => {
      places.delete(world)
      await patroni.stop()
    })
    runDb('migrate', patroni.url)
    const node = await world.node('two servers', { DATABASE_URL: patroni.url, WORKER: 'apart' })
    return { patroni, here: elsewhere(world, patroni.url, node) }
  })()
  places.set(world, made)
  return made
}

const isWrite = ({ kind }: Attempt) => kind !== 'page' && kind !== 'session'

/** People use the app while that happens. Returns what was measured, for how long nothing could be written included. */
async function use({ patroni, here }: Place, what: () => Promise<unknown>): Promise<{ gap: number; measured: string }> {
  const mix = everyKind().filter((kind) => kind !== 'signOut')
  const load = await Load.start(
    { url: here.app.url, query: here.query.bind(here) },
    { inFlight: 8, perSecond: 60, mix },
  )
  await load.reach(150)
  const before = await patroni.leader()
  await what()
  await until('another leads', async () => !['', before].includes(await patroni.leader()), 60_000)
  await until('it is ready', async () => (await here.get('/api/health/ready')).status === 200, 60_000)
  await load.reach(load.attempts.length + 200)
  await load.stop()
  for (const { kind, status, text } of load.failed()) {
    const how = `${kind} ${status} ${text.slice(0, 200)}`
    // Pages of everybody go on, and the rest is told to come back: no other fault, and nobody is signed out.
    assert.notEqual(kind, 'page', how)
    assert.ok(status === 503 || /"code":"unavailable"/.test(text), how)
  }
  assert.deepEqual(await load.lost(), [])
  const gap = load.longestGap(isWrite)
  return { gap, measured: `nothing was written for ${(gap / 1000).toFixed(1)} s; ${load.summary()}` }
}

check(
  'H-297',
  'when the PostgreSQL that takes writes dies, another takes its place in half a minute; no promise is lost, nobody is signed out',
  async (world) => {
    const there = await place(world)
    let killed = ''
    const { gap, measured } = await use(there, async () => {
      killed = await there.patroni.killLeader()
    })
    assert.ok(gap < 30_000, measured)
    // What died comes back as the copy.
    there.patroni.revive(killed)
    await until('both are there again', () => there.patroni.isWhole(), 60_000)
    return measured
  },
  { long: 'needs Patroni and etcd' },
)

check(
  'H-298',
  'when it hands over as planned, it is a matter of seconds',
  async (world) => {
    const there = await place(world)
    const { gap, measured } = await use(there, () => there.patroni.switchOver())
    assert.ok(gap < 15_000, measured)
    return measured
  },
  { long: 'needs Patroni and etcd' },
)
