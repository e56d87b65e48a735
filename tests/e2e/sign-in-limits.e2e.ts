import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { freePort } from '../../scripts/ports.ts'
import { attempt, countComparisons } from '../support/attempt.ts'
import { expect, someAddress, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { type RunningServer, startServer } from '../support/server.ts'

test.describe('sign-in counts tries', () => {
  test('of one person from one address: the sixth in a minute is refused, known or not', async ({ appUrl }) => {
    for (const email of [`new-${crypto.randomUUID()}@example.com`, await newPerson()]) {
      const address = someAddress()
      const codes = []
      for (let tries = 0; tries < 6; tries++) codes.push((await attempt(appUrl, { email, address })).status)
      expect(codes, email).toEqual([401, 401, 401, 401, 401, 429])
    }
  })

  test('of one person from many addresses, and says when to come back', async ({ appUrl }) => {
    const email = `target-${crypto.randomUUID()}@example.com`
    for (let tries = 0; tries < 10; tries++)
      expect((await attempt(appUrl, { email, address: someAddress() })).status).toBe(401)
    const response = await attempt(appUrl, { email: email.toUpperCase(), address: someAddress() })
    expect(response.status).toBe(429)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(800)
  })

  test('of a stranger without locking out a browser that has signed in before', async ({ appUrl, password }) => {
    const email = await newPerson()
    const first = await attempt(appUrl, { email, password, address: someAddress() })
    const device = /plinth\.device=[^;]+/.exec(first.headers.get('set-cookie') ?? '')?.[0] ?? ''
    let status = 0
    for (let tries = 0; tries < 12 && status !== 429; tries++)
      status = (await attempt(appUrl, { email, address: someAddress() })).status
    expect(status).toBe(429)
    const withCookie = async (cookie: string) =>
      (await attempt(appUrl, { email, password, address: someAddress(), headers: { cookie } })).status
    expect(await withCookie('')).toBe(429)
    expect(await withCookie('plinth.device=x.y')).toBe(429)
    expect(await withCookie(device)).toBe(200)
  })

  test('of many people from one address, however the caller dresses it up', async ({ appUrl }) => {
    const own = someAddress()
    const statuses: number[] = []
    for (let round = 0; round < 13; round++) {
      const people = Array.from({ length: 5 }, () => `spray-${crypto.randomUUID()}@example.com`)
      const answers = await Promise.all(
        people.map((email) => attempt(appUrl, { email, address: `${someAddress()}, ${own}` })),
      )
      statuses.push(...answers.map(({ status }) => status))
    }
    expect(statuses).toEqual([...Array(60).fill(401), ...Array(5).fill(429)])
  })
})

/** Wrong tries for one person from one address, half of them at each node, all at once. */
async function rush(nodes: RunningServer[], who: { email: string; address: string }, tries: number): Promise<void> {
  const answers = await Promise.all(
    Array.from({ length: tries }, (_, index) => attempt(nodes[index % nodes.length]?.url ?? '', who)),
  )
  for (const { status } of answers) expect([401, 429]).toContain(status)
}

/** What the nodes have written arrives a little after their answers. */
async function comparisonsOf(nodes: RunningServer[]): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300))
  return nodes.reduce((sum, node) => sum + countComparisons(node.output()), 0)
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

/** The limit for one account from one address, in a minute. */
const limit = 5

test.describe('50 wrong tries at once for one person, over two nodes,', () => {
  test.describe.configure({ mode: 'serial' })
  test.setTimeout(60_000)

  test('reach the hasher no oftener than the limit says, counted in PostgreSQL', async () => {
    const who = { email: await newPerson(), address: someAddress() }
    await withTwoNodes({}, async (nodes) => {
      await rush(nodes, who, 50)
      expect(await comparisonsOf(nodes)).toBe(limit)
    })
  })

  const hasRedis = spawnSync('redis-server', ['--version']).status === 0
  test.describe('with Redis', () => {
    test.skip(!hasRedis && !process.env.REQUIRE_REDIS, 'there is no redis-server here')
    let redis: ChildProcess
    let env: Record<string, string>
    test.beforeEach(async () => {
      const port = await freePort()
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

    test('reach it no oftener than the limit says, from the first request on', async () => {
      const who = { email: await newPerson(), address: someAddress() }
      await withTwoNodes(env, async (nodes) => {
        await rush(nodes, who, 50)
        expect(await comparisonsOf(nodes)).toBe(limit)
      })
    })

    test('reach it no oftener either when Redis dies halfway: who was refused stays refused', async () => {
      const who = { email: await newPerson(), address: someAddress() }
      await withTwoNodes(env, async (nodes) => {
        await rush(nodes, who, 25)
        expect(await comparisonsOf(nodes)).toBe(limit)
        await kill()
        await rush(nodes, who, 25)
        expect(await comparisonsOf(nodes)).toBe(limit)
        // And whoever begins only now is counted in PostgreSQL.
        await rush(nodes, { email: await newPerson(), address: someAddress() }, 25)
        expect(await comparisonsOf(nodes)).toBe(2 * limit)
      })
    })
  })
})
