import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { findFreePort } from '../../../scripts/ports.ts'
import { appSlug } from '../../../src/brand.ts'
import { attemptSignIn, countPasswordComparisons } from '../support/attempt-sign-in.ts'
import { completeOutput } from '../support/complete-output.ts'
import { expect, randomIp, test } from '../support/e2e-test.ts'
import { newUser } from '../support/new-user.ts'
import { type RunningServer, startServer } from '../support/server.ts'

test.describe('sign-in limits attempts', () => {
  test('for one account from one IP: the sixth in a minute gets 429, whether the account exists or not', async ({
    appUrl,
  }) => {
    for (const email of [`new-${crypto.randomUUID()}@example.com`, await newUser()]) {
      const ip = randomIp()
      const codes = []
      for (let tries = 0; tries < 6; tries++) codes.push((await attemptSignIn(appUrl, { email, ip })).status)
      expect(codes, email).toEqual([401, 401, 401, 401, 401, 429])
    }
  })

  test('for one account from many IPs, with Retry-After', async ({ appUrl }) => {
    const email = `target-${crypto.randomUUID()}@example.com`
    for (let tries = 0; tries < 10; tries++)
      expect((await attemptSignIn(appUrl, { email, ip: randomIp() })).status).toBe(401)
    const response = await attemptSignIn(appUrl, { email: email.toUpperCase(), ip: randomIp() })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(800)
  })

  test('of an attacker without locking out a trusted device', async ({ appUrl, password }) => {
    const email = await newUser()
    const first = await attemptSignIn(appUrl, { email, password, ip: randomIp() })
    const trustedDevice = new RegExp(`${appSlug}\\.device=[^;]+`).exec(first.headers.get('set-cookie') ?? '')?.[0] ?? ''
    let status = 0
    for (let tries = 0; tries < 12 && status !== 429; tries++)
      status = (await attemptSignIn(appUrl, { email, ip: randomIp() })).status
    expect(status).toBe(429)
    const withCookie = async (cookie: string) =>
      (await attemptSignIn(appUrl, { email, password, ip: randomIp(), headers: { cookie } })).status
    expect(await withCookie('')).toBe(429)
    expect(await withCookie(`${appSlug}.device=x.y`)).toBe(429)
    expect(await withCookie(trustedDevice)).toBe(200)
  })

  test('for many accounts from one IP, even with a forged X-Forwarded-For', async ({ appUrl }) => {
    const ownIp = randomIp()
    const statuses: number[] = []
    for (let round = 0; round < 13; round++) {
      const emails = Array.from({ length: 5 }, () => `spray-${crypto.randomUUID()}@example.com`)
      const responses = await Promise.all(
        emails.map((email) => attemptSignIn(appUrl, { email, ip: `${randomIp()}, ${ownIp}` })),
      )
      statuses.push(...responses.map(({ status }) => status))
    }
    expect(statuses).toEqual([...Array(60).fill(401), ...Array(5).fill(429)])
  })
})

/** Concurrent wrong attempts for one account from one IP, distributed over the nodes. */
async function sendAttempts(
  nodes: RunningServer[],
  target: { email: string; ip: string },
  tries: number,
): Promise<void> {
  const responses = await Promise.all(
    Array.from({ length: tries }, (_, index) => attemptSignIn(nodes[index % nodes.length]?.url ?? '', target)),
  )
  for (const { status } of responses) expect([401, 429]).toContain(status)
}

async function expectComparisons(nodes: RunningServer[], expected: number): Promise<void> {
  const outputs = await Promise.all(nodes.map(completeOutput))
  expect(countPasswordComparisons(outputs.join('\n'))).toBe(expected)
}

async function withTwoNodes(env: Record<string, string>, work: (nodes: RunningServer[]) => Promise<void>) {
  const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
  const settings = { DATABASE_URL, AUTH_SECRET, ALLOW_SEEDED_PEOPLE: '1', TRUSTED_PROXY_HOPS: '1', LOG_LEVEL: 'debug' }
  const nodes = await Promise.all([1, 2].map(() => startServer('start', { ...settings, ...env })))
  try {
    await work(nodes)
  } finally {
    await Promise.all(nodes.map((node) => node.stop()))
  }
}

/** Attempts per minute for one account from one IP. */
const limit = 5

test.describe('50 concurrent wrong attempts for one account, over two nodes,', () => {
  test.describe.configure({ mode: 'serial' })

  test('hash no more passwords than the limit, counted in PostgreSQL', async () => {
    const target = { email: await newUser(), ip: randomIp() }
    await withTwoNodes({}, async (nodes) => {
      await sendAttempts(nodes, target, 50)
      await expectComparisons(nodes, limit)
    })
  })

  const hasRedis = spawnSync('redis-server', ['--version']).status === 0
  test.describe('with Redis', () => {
    test.skip(!hasRedis && !process.env.REQUIRE_REDIS, 'there is no redis-server here')
    let redis: ChildProcess
    let env: Record<string, string>
    test.beforeEach(async () => {
      const port = await findFreePort()
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
      redis = spawn('redis-server', options, { stdio: 'ignore' })
      env = { REDIS_URL: `redis://127.0.0.1:${port}` }
    })
    const kill = async () => {
      if (redis.exitCode !== null || redis.signalCode !== null) return
      const isOver = new Promise((resolve) => redis.once('exit', resolve))
      redis.kill('SIGKILL')
      await isOver
    }
    test.afterEach(kill)

    test('hash no more passwords than the limit, from the first request on', async () => {
      const target = { email: await newUser(), ip: randomIp() }
      await withTwoNodes(env, async (nodes) => {
        await sendAttempts(nodes, target, 50)
        await expectComparisons(nodes, limit)
      })
    })

    test('hash no more passwords than the limit when Redis is killed halfway: blocked keys stay blocked', async () => {
      const target = { email: await newUser(), ip: randomIp() }
      await withTwoNodes(env, async (nodes) => {
        await sendAttempts(nodes, target, 25)
        await expectComparisons(nodes, limit)
        await kill()
        await sendAttempts(nodes, target, 25)
        await expectComparisons(nodes, limit)
        // A new key is now counted in PostgreSQL.
        await sendAttempts(nodes, { email: await newUser(), ip: randomIp() }, 25)
        await expectComparisons(nodes, 2 * limit)
      })
    })
  })
})
