import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../scripts/ports.ts'
import { pool } from '../db/client'
import { defineLimit } from './limit'
import { redis } from './redis'

const refused = { code: 'rate_limited', retryAfter: expect.any(Number) }
const key = () => crypto.randomUUID()

async function countAccepted(tries: number, work: () => Promise<void>): Promise<number> {
  const results = await Promise.allSettled(Array.from({ length: tries }, work))
  return results.filter(({ status }) => status === 'fulfilled').length
}

describe('a limit in PostgreSQL', () => {
  const limit = defineLimit('test_pg', { points: 5, seconds: 60 })

  test('lets through as many as it says, and says when to come back', async () => {
    const who = key()
    for (let tries = 0; tries < 5; tries++) await limit.consume(who)
    await expect(limit.consume(who)).rejects.toMatchObject(refused)
    await expect(limit.consume(who)).rejects.toThrow(/Try again in (\d+ seconds|1 minute)/)
    await expect(limit.consume(key())).resolves.toBeUndefined()
  })

  test('counts many at once one by one', async () => {
    const who = key()
    expect(await countAccepted(50, () => limit.consume(who))).toBe(5)
  })

  test('forgets when it is told to', async () => {
    const who = key()
    for (let tries = 0; tries < 5; tries++) await limit.consume(who)
    await limit.reset(who)
    await expect(limit.consume(who)).resolves.toBeUndefined()
  })

  test('opens again when the time is over', async () => {
    const short = defineLimit('test_short', { points: 1, seconds: 1 })
    const who = key()
    await short.consume(who)
    await expect(short.consume(who)).rejects.toMatchObject(refused)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await expect(short.consume(who)).resolves.toBeUndefined()
  })

  test('keeps no address in clear, nor in a way that guesses could be held against, and an end for every row', async () => {
    await limit.consume('ada@example.com')
    const { rows } = await pool.query('select key, expire from rate_limits')
    expect(JSON.stringify(rows)).not.toContain('ada')
    expect(JSON.stringify(rows)).not.toContain(createHash('sha256').update('ada@example.com').digest('base64url'))
    for (const { expire } of rows) expect(Number(expire)).toBeGreaterThan(0)
  })
})

const hasRedis = spawnSync('redis-server', ['--version']).status === 0
test.runIf(process.env.REQUIRE_REDIS)('Redis is there where it must be', () => {
  expect(hasRedis).toBe(true)
})

describe.runIf(hasRedis)('a limit in Redis', () => {
  let server: ChildProcess
  let limit: ReturnType<typeof defineLimit>
  beforeAll(async () => {
    const port = await freePort()
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

  test('counts many at once one by one, leaves PostgreSQL alone, and forgets by itself', async () => {
    const who = key()
    const before = await pool.query('select from rate_limits')
    expect(await countAccepted(50, () => limit.consume(who))).toBe(5)
    expect((await pool.query('select from rate_limits')).rowCount).toBe(before.rowCount)
    const keys = (await redis()?.keys('test_redis*')) ?? []
    expect(keys).toHaveLength(1)
    expect(await redis()?.ttl(keys[0] ?? '')).toBeGreaterThan(0)
  })

  test('goes on in PostgreSQL, quickly, when Redis dies in the middle', async () => {
    const who = key()
    for (let tries = 0; tries < 3; tries++) await limit.consume(who)
    server.kill('SIGKILL')
    await new Promise((resolve) => server.once('exit', resolve))
    const start = Date.now()
    expect(await countAccepted(50, () => limit.consume(who))).toBeLessThanOrEqual(5)
    expect(Date.now() - start).toBeLessThan(2_000)
    await expect(limit.consume(who)).rejects.toMatchObject(refused)
  })
})
