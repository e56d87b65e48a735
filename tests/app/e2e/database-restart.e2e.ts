import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createServer } from '../../../scripts/postgres.ts'
import { appSlug } from '../../../src/brand.ts'
import { attemptSignIn } from '../support/attempt-sign-in.ts'
import { runDb } from '../support/database.ts'
import { expect, randomIp, test } from '../support/e2e-test.ts'
import { newUser } from '../support/new-user.ts'
import { type RunningServer, startServer } from '../support/server.ts'

/** One app process with its own PostgreSQL, which is stopped, started and frozen. The app is never restarted. */
test.describe('when the database', () => {
  test.describe.configure({ mode: 'serial' })

  const credentials = { email: 'editor@example.com', password: 'here-for-one-test-8' }
  let folder: string
  let home: string
  let database: Awaited<ReturnType<typeof createServer>>
  let node: RunningServer
  let cookie: string
  let user: unknown

  test.beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'plinth-restart-'))
    // PostgreSQL may run as another OS user than the tests.
    chmodSync(folder, 0o755)
    home = join(folder, 'postgres')
    database = await createServer(home)
    await database.start()
    runDb('migrate', database.url)
    runDb('seed', database.url, credentials.password)
    node = await startServer('start', {
      DATABASE_URL: database.url,
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
      ALLOW_SEEDED_PEOPLE: '1',
      TRUSTED_PROXY_HOPS: '1',
      TIMEOUT_FACTOR: '1',
    })
    const response = await signIn()
    cookie = new RegExp(`${appSlug}\\.session=[\\w-]+`).exec(response.headers.get('set-cookie') ?? '')?.[0] ?? ''
    user = (await response.json()).user
    expect(user).toMatchObject({ email: credentials.email })
  })
  test.afterAll(async () => {
    await node?.stop()
    await database?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = (path: string) => fetch(node.url + path, { headers: { cookie } })
  const signIn = () => attemptSignIn(node.url, { ...credentials, ip: randomIp() })
  const requests = { session: () => ask('/api/auth/session'), signIn, readiness: () => ask('/api/health/ready') }

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

  const becomesReady = () => expect.poll(async () => (await ask('/api/health/ready')).status).toBe(200)

  /** Every connection of the pool works: none has leaked. */
  async function expectWholePool(): Promise<void> {
    await becomesReady()
    // All of them are opened within 1.5 s, or the request gets 503: a busy machine may need another attempt.
    await expect
      .poll(async () => {
        const responses = await Promise.all(Array.from({ length: 30 }, () => ask('/api/auth/session')))
        return responses.filter(({ status }) => status !== 200).length
      })
      .toBe(0)
    expect((await signIn()).status).toBe(200)
  }

  test('is stopped, every request that needs it gets 503, and no session ends', async () => {
    await expectSignedIn()
    await database.stop()
    for (const [what, call] of Object.entries(requests)) await expectUnavailable(await call(), what)
    expect((await ask('/api/health')).status).toBe(200)
  })

  test('is started again, the same session works for the same user', async () => {
    await database.start()
    await becomesReady()
    await expectSignedIn()
    await expectWholePool()
  })

  /** The longest timeouts (src/core/db/client.ts) are six seconds. The rest is for a machine that is busy. */
  const maxQueryMs = 6_000 + 24_000

  /** Stops the processes of PostgreSQL with SIGSTOP, like a hanging disk or network. Returns a function that resumes them. */
  async function freeze(): Promise<() => void> {
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query('select pid from pg_stat_activity where application_name = $1', [appSlug])
    await client.end()
    const server = Number(readFileSync(join(home, 'data', 'postmaster.pid'), 'utf8').split('\n')[0])
    const processes = [server, ...rows.map(({ pid }) => Number(pid))]
    for (const pid of processes) process.kill(pid, 'SIGSTOP')
    return () => {
      for (const pid of processes) process.kill(pid, 'SIGCONT')
    }
  }

  test('hangs, every request that needs it gets 503 within the timeout, and the app recovers', async () => {
    await expectSignedIn()
    const thaw = await freeze()
    try {
      const calls = Object.entries(requests).flatMap(([what, call]) =>
        Array.from({ length: 8 }, () => ({ what, call })),
      )
      const start = Date.now()
      await Promise.all(
        calls.map(async ({ what, call }) => {
          await expectUnavailable(await call(), what)
          expect(Date.now() - start, what).toBeLessThan(maxQueryMs)
        }),
      )
      expect((await ask('/api/health')).status).toBe(200)
    } finally {
      thaw()
    }
    await becomesReady()
    await expectSignedIn()
    await expectWholePool()
  })

  test('hangs during many sign-ins, no pool connection leaks', async () => {
    const emails = await Promise.all(Array.from({ length: 20 }, () => newUser({}, database.url)))
    for (let round = 0; round < 3; round++) {
      const crowd = emails.map(async (email) => {
        // Spread over the duration of one sign-in, so that some are frozen inside a transaction.
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 200))
        const start = Date.now()
        const { status } = await attemptSignIn(node.url, { ...credentials, email, ip: randomIp() })
        return { status, time: Date.now() - start }
      })
      await new Promise((resolve) => setTimeout(resolve, 100))
      const thaw = await freeze()
      try {
        for (const { status, time } of await Promise.all(crowd)) {
          expect([200, 503]).toContain(status)
          expect(time).toBeLessThan(maxQueryMs)
        }
      } finally {
        thaw()
      }
    }
    await becomesReady()
    await expectSignedIn()
    await expectWholePool()
  })
})
