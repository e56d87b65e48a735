import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { findFreePort } from '../../../scripts/ports.ts'
import { pool } from '../db/client'
import { consumeAll, defineLimit, forgiveAll, silent } from './limit'
import { redis } from './redis'

const rejected = { code: 'rate_limited', retryAfter: expect.any(Number) }
const key = () => crypto.randomUUID()

/** Stops the clock of this node, after that many milliseconds. Rejections are cached by it; PostgreSQL counts by its own. */
const stopClock = (after = 0) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + after })
afterEach(() => vi.useRealTimers())

async function countAccepted(tries: number, work: () => Promise<void>): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: tries }, work))
  return results.filter(({ status }) => status === 'fulfilled').length
}

/** Several limits in one call, in whichever store is configured. */
function testSeveralLimits() {
  const prefix = `test_${key()}`
  /** The same limits as another node would define them. */
  const onNode = () => ({
    wide: defineLimit(`${prefix}_wide`, { points: 60, seconds: 600, successes: 600 }),
    narrow: defineLimit(`${prefix}_narrow`, { points: 5, seconds: 600 }),
    last: defineLimit(`${prefix}_last`, { points: 6, seconds: 600 }),
  })
  const { wide, narrow, last } = onNode()

  test('an attempt that a limit rejects counts against the limits before it, and not against those after it', async () => {
    const id = key()
    const attempt = () => consumeAll(wide.of(id), narrow.of(id), last.of(id))
    for (let tries = 0; tries < 5; tries++) expect(await attempt()).toBe(true)
    for (let tries = 0; tries < 10; tries++) await expect(attempt()).rejects.toMatchObject(rejected)
    expect([await last.tryConsume(id), await last.tryConsume(id)]).toEqual([true, false])
    let left = 0
    while (left < 60 && (await wide.tryConsume(id))) left++
    expect(left).toBe(45)
  })

  test('counts concurrent attempts of several nodes against several limits correctly', async () => {
    const id = key()
    const nodes = Array.from({ length: 8 }, onNode)
    const results = await Promise.all(
      nodes.flatMap((node) =>
        Array.from({ length: 7 }, () => consumeAll(node.wide.of(id), silent(node.narrow.of(id)), node.last.of(id))),
      ),
    )
    expect(results.filter(Boolean)).toHaveLength(5)
    expect([await last.tryConsume(id), await last.tryConsume(id)]).toEqual([true, false])
  })

  test('returns false beyond a silent limit, and throws beyond another', async () => {
    const id = key()
    for (let tries = 0; tries < 5; tries++) await narrow.consume(id)
    expect(await consumeAll(wide.of(id), silent(narrow.of(id)))).toBe(false)
    await expect(consumeAll(wide.of(id), narrow.of(id))).rejects.toMatchObject(rejected)
  })

  test('are forgiven together: a limit with successes keeps a part of the count, another none', async () => {
    const id = key()
    for (let tries = 0; tries < 20; tries++) {
      await consumeAll(wide.of(id), narrow.of(id), last.of(id))
      await forgiveAll(wide.of(id), narrow.of(id), last.of(id))
    }
    let left = 0
    while (left < 60 && (await wide.tryConsume(id))) left++
    expect(left).toBe(58)
    expect(await consumeAll(silent(narrow.of(id)), silent(last.of(id)))).toBe(true)
  })

  test('are counted and forgiven at the same time by several nodes, without a deadlock', async () => {
    const shared = key()
    const subjects = Array.from({ length: 4 }, key)
    const work = subjects.flatMap((id) =>
      Array.from({ length: 5 }, async () => {
        const node = onNode()
        const counts = [node.wide.of(shared), silent(node.narrow.of(id)), silent(node.last.of(id))]
        await consumeAll(...counts)
        await forgiveAll(...counts)
      }),
    )
    await expect(Promise.all(work)).resolves.toHaveLength(20)
  })
}

describe('several limits in PostgreSQL', testSeveralLimits)

describe('a limit in PostgreSQL', () => {
  const limit = defineLimit('test_pg', { points: 5, seconds: 60 })

  test('allows the configured number of attempts, and then says when to retry', async () => {
    const id = key()
    for (let tries = 0; tries < 5; tries++) await limit.consume(id)
    await expect(limit.consume(id)).rejects.toMatchObject(rejected)
    await expect(limit.consume(id)).rejects.toThrow(/Try again in (\d+ seconds|1 minute)/)
    await expect(limit.consume(key())).resolves.toBeUndefined()
  })

  test('counts concurrent attempts correctly', async () => {
    const id = key()
    expect(await countAccepted(50, () => limit.consume(id))).toBe(5)
  })

  test('can be reset', async () => {
    const id = key()
    for (let tries = 0; tries < 5; tries++) await limit.consume(id)
    await limit.forgive(id)
    await expect(limit.consume(id)).resolves.toBeUndefined()
  })

  test('returns whether an attempt was within the limit', async () => {
    const id = key()
    const taken = []
    for (let tries = 0; tries < 6; tries++) taken.push(await limit.tryConsume(id))
    expect(taken).toEqual([true, true, true, true, true, false])
  })

  test('counts a successful attempt as a fraction, but never as zero', async () => {
    const limitWithSuccesses = defineLimit('test_eased', { points: 5, seconds: 600, successes: 50 })
    const [wrong, right] = [key(), key()]
    for (let tries = 0; tries < 5; tries++) await limitWithSuccesses.consume(wrong)
    await expect(limitWithSuccesses.consume(wrong)).rejects.toMatchObject(rejected)
    let successes = 0
    while (successes < 100 && (await limitWithSuccesses.tryConsume(right))) {
      await limitWithSuccesses.forgive(right)
      successes++
    }
    // The remaining nine tenths of a point are not enough for another attempt.
    expect(successes).toBe(41)
  })

  test('is lifted on every node a second after one node has reset it', async () => {
    stopClock()
    const define = () => defineLimit('test_nodes', { points: 1, seconds: 600 })
    const [one, other] = [define(), define()]
    const id = key()
    await one.consume(id)
    await expect(one.consume(id)).rejects.toMatchObject(rejected)
    await other.forgive(id)
    stopClock(999)
    await expect(one.consume(id)).rejects.toThrow('Try again in 10 minutes')
    stopClock(1)
    await expect(one.consume(id)).resolves.toBeUndefined()
  })

  test('queries the store once a second during a flood of rejected attempts', async () => {
    stopClock()
    const limit = defineLimit('test_flood', { points: 1, seconds: 600 })
    const id = key()
    await limit.consume(id)
    const flood = async () => {
      for (let tries = 0; tries < 50; tries++) await limit.tryConsume(id)
      const { rows } = await pool.query(`select points from rate_limits where key like 'test_flood:%'`)
      return rows[0].points
    }
    expect(await flood()).toBe(2)
    stopClock(1_000)
    expect(await flood()).toBe(3)
  })

  test('allows attempts again when the time is over', async () => {
    const short = defineLimit('test_short', { points: 1, seconds: 60 })
    const id = key()
    await short.consume(id)
    await expect(short.consume(id)).rejects.toMatchObject(rejected)
    await pool.query(`update rate_limits set expire = expire - 60000 where key like 'test_short:%'`)
    await expect(short.consume(id)).rejects.toMatchObject(rejected)
    stopClock(60_000)
    await expect(short.consume(id)).resolves.toBeUndefined()
  })

  test('counts an attempt that does several things as that many', async () => {
    const id = key()
    await consumeAll(limit.of(id, 4))
    await expect(limit.tryConsume(id)).resolves.toBe(true)
    await expect(consumeAll(limit.of(id, 2))).rejects.toMatchObject(rejected)
    await expect(consumeAll(limit.of(key(), 6))).rejects.toMatchObject(rejected)
  })

  test('stores no email in plain text or as an unkeyed hash, and every row expires', async () => {
    await limit.consume('ada@example.com')
    const { rows } = await pool.query('select key, expire from rate_limits')
    // With the @, which no random key of another test contains.
    expect(JSON.stringify(rows)).not.toContain('ada@')
    expect(JSON.stringify(rows)).not.toContain(createHash('sha256').update('ada@example.com').digest('base64url'))
    for (const { expire } of rows) expect(Number(expire)).toBeGreaterThan(0)
  })
})

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
test.runIf(process.env.REQUIRE_REDIS)('redis-server is installed if REQUIRE_REDIS is set', () => {
  expect(hasRedis).toBe(true)
})

describe.runIf(hasRedis)('a limit in Redis', { tags: 'full' }, () => {
  let server: ChildProcess
  let limit: ReturnType<typeof defineLimit>
  beforeAll(async () => {
    const port = await findFreePort()
    server = spawn(
      'redis-server',
      ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
      { stdio: 'ignore' },
    )
    process.env.REDIS_URL = `redis://127.0.0.1:${port}`
    limit = defineLimit('test_redis', { points: 5, seconds: 60 })
    const client = redis()
    if (client?.status !== 'ready') await new Promise((resolve) => client?.once('ready', resolve))
  })
  afterAll(() => {
    redis()?.disconnect()
    server.kill('SIGKILL')
  })

  test('counts concurrent attempts correctly, does not use PostgreSQL, and expires', async () => {
    const id = key()
    const before = await pool.query('select from rate_limits')
    expect(await countAccepted(50, () => limit.consume(id))).toBe(5)
    expect((await pool.query('select from rate_limits')).rowCount).toBe(before.rowCount)
    const keys = (await redis()?.keys('test_redis*')) ?? []
    expect(keys).toHaveLength(1)
    expect(await redis()?.ttl(keys[0] ?? '')).toBeGreaterThan(0)
  })

  describe('several of them', testSeveralLimits)

  test('falls back to PostgreSQL quickly when Redis crashes', async () => {
    const id = key()
    for (let tries = 0; tries < 3; tries++) await limit.consume(id)
    server.kill('SIGKILL')
    await new Promise((resolve) => server.once('exit', resolve))
    const start = Date.now()
    expect(await countAccepted(50, () => limit.consume(id))).toBeLessThanOrEqual(5)
    expect(Date.now() - start).toBeLessThan(10_000)
    await expect(limit.consume(id)).rejects.toMatchObject(rejected)
  })
})
