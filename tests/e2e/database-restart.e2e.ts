import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createServer } from '../../scripts/postgres.ts'
import { attempt } from '../support/attempt.ts'
import { runDb } from '../support/database.ts'
import { expect, someAddress, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { type RunningServer, startServer } from '../support/server.ts'

/** One node on a PostgreSQL of its own, which goes away under it and comes back. The node is never restarted. */
test.describe('when the database', () => {
  test.describe.configure({ mode: 'serial' })
  test.setTimeout(90_000)

  const person = { email: 'editor@example.com', password: 'here-for-one-test-8' }
  let folder: string
  let home: string
  let database: Awaited<ReturnType<typeof createServer>>
  let node: RunningServer
  let cookie: string
  let user: unknown

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-restart-'))
    // The server may run as another person than the tests.
    chmodSync(folder, 0o755)
    home = join(folder, 'postgres')
    database = await createServer(home)
    await database.start()
    runDb('migrate', database.url)
    runDb('seed', database.url, person.password)
    node = await startServer('start', {
      DATABASE_URL: database.url,
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
      ALLOW_SEEDED_PEOPLE: '1',
      TRUSTED_PROXY_HOPS: '1',
    })
    const response = await signIn()
    cookie = /plinth\.session=[\w-]+/.exec(response.headers.get('set-cookie') ?? '')?.[0] ?? ''
    user = (await response.json()).user
    expect(user).toMatchObject({ email: person.email })
  })
  test.afterAll(async () => {
    await node?.stop()
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (path: string) => fetch(node.url + path, { headers: { cookie } })
  const signIn = () => attempt(node.url, { ...person, address: someAddress() })
  const everything = { session: () => ask('/api/auth/session'), signIn, readiness: () => ask('/api/health/ready') }

  async function expectSignedIn(): Promise<void> {
    const response = await ask('/api/auth/session')
    expect([response.status, await response.json()]).toEqual([200, { user, expires: expect.any(String) }])
  }

  async function expectUnavailable(response: Response, what: string): Promise<void> {
    expect(response.status, what).toBe(503)
    expect(response.headers.get('retry-after'), what).toBe('5')
    expect(response.headers.get('set-cookie'), what).toBeNull()
    await response.text()
  }

  /** Every connection that the node may hold works: none was lost on the way. */
  async function expectWholePool(): Promise<void> {
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask('/api/auth/session')))
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200))
    expect((await signIn()).status).toBe(200)
  }

  test('is stopped, everything that needs it says so, and nobody is signed out', async () => {
    await expectSignedIn()
    await database.stop()
    for (const [what, call] of Object.entries(everything)) await expectUnavailable(await call(), what)
    expect((await ask('/api/health')).status).toBe(200)
  })

  test('is started again, the same session goes on as the same person', async () => {
    await database.start()
    await expectSignedIn()
    expect((await ask('/api/health/ready')).status).toBe(200)
    await expectWholePool()
  })

  /** The longest that a query may take (src/core/db/client.ts), and a second. */
  const longest = 6_000 + 1_000

  /** The server and the connections of the node stand still, as with a disk or a network that hangs. */
  async function freeze(): Promise<() => void> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query("select pid from pg_stat_activity where application_name = 'plinth'")
    await client.end()
    const server = Number(readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
    const processes = [server, ...rows.map(({ pid }) => Number(pid))]
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    return () => {
      for (const pid of processes) process.kill(pid, 'SIGCONT')
    }
  }

  test('hangs, every request that needs it ends with 503 in time, and afterwards all is as before', async () => {
    await expectSignedIn()
    const thaw = await freeze()
    try {
      const calls = Object.entries(everything).flatMap(([what, call]) =>
        Array.from({ length: 8 }, () => ({ what, call })),
      )
      const start = Date.now()
      await Promise.all(
        calls.map(async ({ what, call }) => {
          await expectUnavailable(await call(), what)
          expect(Date.now() - start, what).toBeLessThan(longest)
        }),
      )
      const health = Date.now()
      expect((await ask('/api/health')).status).toBe(200)
      expect(Date.now() - health).toBeLessThan(1_000)
    } finally {
      thaw()
    }
    await expectSignedIn()
    await expectWholePool()
  })

  test('hangs in the middle of many sign-ins, no connection is lost by it', async () => {
    const people = await Promise.all(Array.from({ length: 20 }, () => newPerson({}, database.url)))
    for (let round = 0; round < 3; round++) {
      const crowd = people.map(async (email) => {
        // Spread over the time that one takes, so that some are caught inside a transaction.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
        const start = Date.now()
        const { status } = await attempt(node.url, { ...person, email, address: someAddress() })
        return { status, time: Date.now() - start }
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      const thaw = await freeze()
      try {
        for (const { status, time } of await Promise.all(crowd)) {
          expect([200, 503]).toContain(status)
          // Two seconds more, for those who were waiting for the hasher.
          expect(time).toBeLessThan(longest + 2_000)
        }
      } finally {
        thaw()
      }
    }
    await expectSignedIn()
    await expectWholePool()
  })
})
