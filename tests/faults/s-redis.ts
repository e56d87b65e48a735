// S. Redis dies, falls silent, forgets everything, is full, or is replaced by its copy. Only counts of tries are in it.
import assert from 'node:assert/strict'
import { Redis } from 'ioredis'
import { assertSoon, check } from '../hostile/checks.ts'
import { median } from '../hostile/statistics.ts'
import { nobody, password, type World, wrongPassword } from '../hostile/world.ts'
import type { RunningServer } from '../support/server.ts'
import { startChaosProxy } from './chaos-proxy.ts'
import { until } from './load.ts'
import { startWatched } from './sentinel.ts'

/** Signs people in here and at a node that never had a Redis, in turn: what being without it costs. */
async function compareWithout(world: World, node: RunningServer): Promise<string> {
  // Others may use this machine, too: of three rounds one must show it.
  for (let round = 1; ; round++) {
    const [here, there]: [number[], number[]] = [[], []]
    for (const [index, { email }] of (await world.newPeople(30)).entries()) {
      const [where, times] = index % 2 ? ([node, here] as const) : ([world.app, there] as const)
      const answer = await world.try(email, password, { node: where })
      assert.equal(answer.status, 200, answer.text)
      times.push(answer.milliseconds)
    }
    const [mine, theirs] = [median(here), median(there)]
    const measured = `half sign in within ${mine.toFixed(0)} ms, with PostgreSQL alone within ${theirs.toFixed(0)} ms`
    if (mine < theirs + Math.max(10, theirs / 3)) return measured
    assert.ok(round < 3, measured)
  }
}

/** Ten wrong tries for one account, and no more. */
async function assertLimited(world: World, node: RunningServer): Promise<void> {
  const { email } = await world.newPerson()
  const seen: number[] = []
  for (let tries = 0; tries < 12; tries++) seen.push((await world.try(email, wrongPassword, { node })).status)
  assert.deepEqual(seen, [...Array(10).fill(401), 429, 429])
}

/** Tries are counted in Redis, and not beside it. */
async function isUsed(world: World, node: RunningServer, redis: Redis): Promise<boolean> {
  const before = await redis.dbsize()
  await world.try(nobody(), wrongPassword, { node })
  return (await redis.dbsize()) > before
}

const openRedis = (world: World, url: string) => {
  const client = new Redis(url)
  client.on('error', () => {})
  world.atEndOfGroup(async () => client.disconnect())
  return client
}

check('H-307', 'when Redis dies everybody signs in as before, as quickly, and the log says so', async (world) => {
  const server = await world.redis()
  const node = await world.node('redis dies', { REDIS_URL: server.url })
  const person = await world.newPerson()
  const jar = await world.signIn(person, { node })
  await server.kill()
  const measured = await compareWithout(world, node)
  assert.equal((await world.session(jar, node)).user.id, person.id)
  await assertLimited(world, node)
  assert.match(node.output(), /Redis is away; limits are counted in PostgreSQL/)
  return measured
})

check(
  'H-308',
  'when Redis takes everything and says nothing, the first waits half a second and nobody after',
  async (world) => {
    const server = await world.redis()
    const redis = openRedis(world, server.url)
    const wire = await startChaosProxy(Number(new URL(server.url).port))
    world.atEndOfGroup(wire.close)
    const node = await world.node('redis is silent', { REDIS_URL: `redis://127.0.0.1:${wire.port}` })
    await until('Redis is used', () => isUsed(world, node, redis))
    wire.isSwallowing = true
    const [person] = await world.newPeople(1)
    const first = await world.try(person?.email, password, { node })
    assert.equal(first.status, 200)
    assertSoon(first.milliseconds < 500 + 3_000, `${first.milliseconds} ms`)
    const measured = await compareWithout(world, node)
    await assertLimited(world, node)
    wire.isSwallowing = false
    // A connection that was made while nothing passed never comes to life.
    const back = await until('Redis is used again', () => isUsed(world, node, redis))
    return `the first ${first.milliseconds.toFixed(0)} ms; then ${measured}; used again ${back.toFixed(0)} ms after it spoke`
  },
)

check(
  'H-309',
  'when Sentinels put a copy in the place of a Redis that died, nobody notices, and it is used',
  async (world) => {
    const watched = await startWatched()
    world.atEndOfGroup(watched.stop)
    const node = await world.node('sentinels', { REDIS_URL: watched.url })
    const before = await watched.findFirst()
    const first = openRedis(world, `redis://127.0.0.1:${before}`)
    await until('Redis is used', () => isUsed(world, node, first))
    first.disconnect()
    const people = await world.newPeople(400)
    let signedIn = 0
    const signInNext = async () => {
      const answer = await world.try(people[signedIn++]?.email, password, { node })
      assert.equal(answer.status, 200, answer.text)
      assertSoon(answer.milliseconds < 6_000, `${answer.milliseconds} ms`)
    }
    watched.killFirst()
    const changed = await until(
      'another is in charge',
      async () => {
        await signInNext()
        return ![before, Number.NaN].includes(await watched.findFirst())
      },
      30_000,
    )
    const second = openRedis(world, `redis://127.0.0.1:${await watched.findFirst()}`)
    const used = await until('it is used', () => isUsed(world, node, second), 30_000)
    await assertLimited(world, node)
    return `in charge after ${changed.toFixed(0)} ms, used ${used.toFixed(0)} ms later; ${signedIn} signed in meanwhile`
  },
  { long: 'needs Sentinels' },
)

check(
  'H-310',
  'a Redis that forgot everything signs nobody out, and gives nobody more than a hundred wrong tries in a row',
  async (world) => {
    const server = await world.redis()
    const redis = openRedis(world, server.url)
    const node = await world.node('redis forgets', { REDIS_URL: server.url })
    await until('Redis is used', () => isUsed(world, node, redis))
    const person = await world.newPerson()
    const jar = await world.signIn(person, { node })
    await world.query('update passwords set failures = 95 where user_id = $1', [person.id])
    for (let tries = 0; tries < 5; tries++) {
      await redis.flushall()
      assert.equal((await world.try(person.email, wrongPassword, { node })).status, 401)
    }
    await redis.flushall()
    // Right, and too late: only a browser that is known may still use it.
    assert.equal((await world.try(person.email, password, { node })).status, 401)
    assert.equal((await world.session(jar, node)).user.id, person.id)
    assert.equal((await world.try(person.email, password, { node, jar })).status, 200)
  },
)

check('H-311', 'a Redis that is full is as good as none', async (world) => {
  const server = await world.redis()
  const redis = openRedis(world, server.url)
  const node = await world.node('redis is full', { REDIS_URL: server.url })
  await until('Redis is used', () => isUsed(world, node, redis))
  await redis.config('SET', 'maxmemory-policy', 'noeviction')
  await redis.config('SET', 'maxmemory', '1')
  await assert.rejects(redis.set('one', 'more'), /OOM/)
  const measured = await compareWithout(world, node)
  await assertLimited(world, node)
  await redis.config('SET', 'maxmemory', '0')
  await until('Redis is used again', () => isUsed(world, node, redis))
  return measured
})
