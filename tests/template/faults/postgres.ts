// PostgreSQL stops, hangs, is slow, loses connections, has a lagging replica, a full disk, or is migrated.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { appSlug } from '../../../src/brand.ts'
import { type Migration, migrate } from '../../../src/core/db/migrate.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { assertFast, check, skip } from '../../app/support/checks.ts'
import { runDb } from '../../app/support/database.ts'
import { hasModule } from '../../app/support/has-module.ts'
import type { HttpResponse, Jar } from '../../app/support/http-client.ts'
import { registerSecret } from '../../app/support/response-invariants.ts'
import { verdict } from '../../app/support/server-actions.ts'
import { randomToken, type TestUser, type World } from '../../app/support/test-world.ts'
import { percentile } from '../security/support/statistics.ts'
import { cutAtStatement, type Loss } from './support/cut-at-statement.ts'
import { digestOf, waitUntil } from './support/load.ts'
import { ownServer, withDatabase } from './support/own-server.ts'
import { Cluster, ownFolder, runProgram, temporaryFolder, verifyTables } from './support/postgres.ts'

const chosen = 'an entirely different horse 3'
registerSecret(chosen)

/** Runs the outages for a minute instead of seconds. */
const isLong = Boolean(process.env.LONG)

const concurrently = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

const isUnavailable = (response: HttpResponse) => {
  assert.equal(response.status, 503, response.text)
  assert.ok(Number(response.headers['retry-after']) >= 1, 'no Retry-After')
  // Nobody is signed out by it.
  assert.deepEqual(response.setCookies, [])
}

/** Requests that need the database, one of each kind. */
const databaseRequests = (world: World, { jar, email }: TestUser & { jar: Jar }) => ({
  'the session': () => world.get('/api/auth/session', { jar: jar.copy() }),
  'signing in': () => world.trySignIn(email),
  readiness: () => world.get('/api/health/ready'),
  'signing out': () => world.get('/api/auth/signout', { method: 'POST', jar: jar.copy() }),
})

/** Requests that need no database. They must be faster than the timeout of a hanging database. */
async function assertPublicPagesWork(world: World): Promise<void> {
  for (const path of ['/api/health', '/', '/signin']) {
    const response = await world.get(path)
    assert.equal(response.status, 200, path)
    assertFast(response.milliseconds < 5_000, `${path} took ${response.milliseconds} ms`)
  }
}

/** The same user is still signed in, and every pooled connection works: none was leaked. */
async function assertRecovered(world: World, { email, jar }: TestUser & { jar: Jar }): Promise<void> {
  const sessions = await concurrently(30, () => world.getSession(jar))
  assert.deepEqual([...new Set(sessions.map((session) => session?.user.email))], [email])
  assert.equal((await world.trySignIn(email)).status, 200)
}

check(
  'H-299',
  'while PostgreSQL is stopped requests that need it get 503 and others work; then everything recovers by itself',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const here = withDatabase(world, cluster.url(), await world.node('stopped', { ...env, WORKER: 'inside' }))
    const testUser = await here.newSession()
    await cluster.stop()
    const waits: number[] = []
    const end = Date.now() + (isLong ? 60_000 : 6_000)
    while (Date.now() < end) {
      for (const [what, ask] of Object.entries(databaseRequests(here, testUser))) {
        const response = await ask()
        isUnavailable(response)
        assertFast(response.milliseconds < 6_000, `${what} took ${response.milliseconds} ms`)
        waits.push(response.milliseconds)
      }
      assert.equal(verdict(await submitAction(here, 'askForReset', { email: testUser.email })), 'unavailable')
      await assertPublicPagesWork(here)
      await sleep(300)
    }
    await cluster.start()
    const back = await waitUntil('it is ready', async () => (await here.get('/api/health/ready')).status === 200)
    await assertRecovered(here, testUser)
    // The worker recovers too.
    assert.equal(verdict(await submitAction(here, 'askForReset', { email: testUser.email })), 'ok')
    const mailed = await waitUntil('an email', async () => (await here.emailsTo(testUser.email)).length === 1, 45_000)
    return `503 after ${Math.max(...waits).toFixed(0)} ms at most; ready ${back.toFixed(0)} ms after its start, the email after ${mailed.toFixed(0)} ms more`
  },
)

check(
  'H-300',
  'while PostgreSQL is frozen every request gets 503 in time; then everything works as before',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const here = withDatabase(world, cluster.url(), await world.node('frozen', env))
    const testUser = await here.newSession()
    await assertRecovered(here, testUser)
    // The query timeout (src/core/db/client.ts) and a second; sign-in also waits for the hash queue.
    const longest = 6_000 + 1_000
    const resume = cluster.freeze()
    let slowest = 0
    try {
      await concurrently(32, async (index) => {
        const asked = Object.entries(databaseRequests(here, testUser))
        const [what, ask] = asked[index % asked.length] ?? assert.fail()
        const response = await ask()
        isUnavailable(response)
        assertFast(response.milliseconds < longest + 3_000, `${what} took ${response.milliseconds} ms`)
        slowest = Math.max(slowest, response.milliseconds)
      })
      await assertPublicPagesWork(here)
    } finally {
      resume()
    }
    // PostgreSQL first works through the queries that were sent meanwhile.
    await waitUntil('ready again', async () => (await here.get('/api/health/ready')).status === 200, 5_000)
    await assertRecovered(here, testUser)
    const held = await cluster.query(`select pid from pg_stat_activity where application_name = '${appSlug}'`)
    assert.ok(held.length <= 10 + 10 + 1, `${held.length} connections are held`)
    return `the slowest of 32 ended after ${slowest.toFixed(0)} ms`
  },
)

check(
  'H-301',
  'when all connections are busy, requests that get none in time get 503, and the others are served',
  async (world) => {
    const { cluster, proxy, env } = await ownServer(world)
    const node = await world.node('five connections', { ...env, DATABASE_POOL_MAX: '5' })
    const here = withDatabase(world, cluster.url(), node)
    const testUser = await here.newSession()
    await assertRecovered(here, testUser)
    proxy.delay = 1_000
    let responses: HttpResponse[]
    try {
      responses = await concurrently(30, () => here.get('/api/auth/session', { jar: testUser.jar.copy() }))
    } finally {
      proxy.delay = 0
    }
    const [served, refused] = [200, 503].map((status) => responses.filter((response) => response.status === status))
    assert.ok(served && refused && served.length + refused.length === 30)
    // Five at once, and the five that get a connection within a second and a half.
    assert.ok(served.length >= 5 && served.length <= 15, `${served.length} were served`)
    for (const response of refused) isUnavailable(response)
    const slowest = Math.max(...refused.map(({ milliseconds }) => milliseconds))
    assertFast(slowest < 1_500 + 3_000, `rejected after ${slowest} ms`)
    await waitUntil('it is ready again', async () => (await here.get('/api/health/ready')).status === 200)
    await assertRecovered(here, testUser)
    return `${served.length} served, ${refused.length} rejected after ${slowest.toFixed(0)} ms at most`
  },
)

check('H-302', 'a slow database makes responses slow, and no backlog builds up', async (world) => {
  const { cluster, proxy, env } = await ownServer(world)
  const here = withDatabase(world, cluster.url(), await world.node('frozen', env))
  const testUser = await here.newSession()
  await assertRecovered(here, testUser)
  const ask = () => here.get('/api/auth/session', { jar: testUser.jar.copy() })
  proxy.delay = 200
  try {
    const alone = await ask()
    assert.ok(alone.milliseconds > 190, `${alone.milliseconds} ms: it was not delayed`)
    // More than ten connections can handle: 50 a second.
    const end = Date.now() + (isLong ? 60_000 : 4_000)
    const responses: HttpResponse[] = []
    await concurrently(60, async () => {
      while (Date.now() < end) responses.push(await ask())
    })
    const served = responses.filter(({ status }) => status === 200)
    for (const response of responses) if (response.status !== 200) isUnavailable(response)
    const slowest = percentile(
      responses.map(({ milliseconds }) => milliseconds),
      0.99,
    )
    // A second and a half for a connection, and the query.
    assertFast(slowest < 1_500 + 200 + 3_000, `${slowest} ms`)
    const after = await ask()
    assert.equal(after.status, 200)
    assertFast(after.milliseconds < alone.milliseconds + 1_500, `${after.milliseconds} ms after the load`)
    return `${served.length} of ${responses.length} served, p99 ${slowest.toFixed(0)} ms; alone ${alone.milliseconds.toFixed(0)} ms before and ${after.milliseconds.toFixed(0)} ms after`
  } finally {
    proxy.delay = 0
  }
})

/** An action that runs in one transaction, and its traces in the database. */
interface Step {
  what: string
  /** Prepares a new user for it. */
  prepare(): Promise<{ act(): Promise<'done' | 'unavailable' | string>; traces(): Promise<number[]> }>
  /** The traces if nothing was done, and if all was done. */
  none: number[]
  all: number[]
}

const outcomeOf = ({ status }: HttpResponse) =>
  status === 200 ? 'done' : status === 503 ? 'unavailable' : `status ${status}`

function steps(world: World): Step[] {
  const count = async (text: string, values: unknown[]) => Number((await world.query(text, values))[0].count)
  const events = (kind: string, target: string) =>
    count('select count(*) from audit_events where kind = $1 and target_id = $2', [kind, target])
  const sessions = ({ id }: TestUser) => count('select count(*) from sessions where user_id = $1', [id])
  const countEmails = ({ id }: TestUser) =>
    count(`select count(*) from jobs.job where name = 'mail.password_changed' and data->>'userId' = $1`, [id])
  return [
    {
      what: 'signing in',
      none: [0, 0],
      all: [1, 1],
      prepare: async () => {
        const testUser = await world.newUser()
        return {
          act: async () => outcomeOf(await world.trySignIn(testUser.email)),
          traces: async () => [await sessions(testUser), await events('session.started', testUser.id)],
        }
      },
    },
    {
      what: 'choosing a new password',
      none: [0, 1, 1, 0],
      all: [1, 0, 0, 1],
      prepare: async () => {
        const testUser = await world.newUser()
        await world.insertSession(testUser)
        const token = randomToken()
        await world.query(
          `insert into tokens (hash, purpose, user_id, expires_at) values ($1, 'reset', $2, now() + interval '1 hour')`,
          [digestOf(token), testUser.id],
        )
        return {
          act: async () => {
            const outcome = verdict(await submitAction(world, 'chooseNewPassword', { token, password: chosen }))
            return outcome.startsWith('to ') || outcome === 'ok' ? 'done' : outcome
          },
          traces: async () => [
            await count('select count(*) from passwords where user_id = $1 and hash <> $2', [testUser.id, world.hash]),
            await sessions(testUser),
            await count(`select count(*) from tokens where user_id = $1 and purpose = 'reset'`, [testUser.id]),
            await countEmails(testUser),
          ],
        }
      },
    },
    ...(hasModule('admin')
      ? [
          {
            what: 'deleting a user',
            none: [1, 1, 0],
            all: [0, 0, 1],
            prepare: async () => {
              const admin = await world.newSession({ role: 'admin' })
              const testUser = await world.newUser()
              await world.insertSession(testUser)
              return {
                act: async () => {
                  const outcome = verdict(
                    await submitAction(
                      world,
                      'deleteUser',
                      { userId: testUser.id, typedEmail: testUser.email },
                      { jar: admin.jar.copy() },
                    ),
                  )
                  return outcome.startsWith('to ') ? 'done' : outcome
                },
                traces: async () => [
                  await count('select count(*) from users where id = $1', [testUser.id]),
                  await sessions(testUser),
                  await events('person.deleted', testUser.id),
                ],
              }
            },
          },
        ]
      : []),
  ]
}

check(
  'H-303',
  'whichever statement the connection is lost at, before or after its execution, all is done or nothing',
  async (world) => {
    const { cluster, proxy, env } = await ownServer(world)
    const here = withDatabase(world, cluster.url(), await world.node('frozen', env))
    const watch = cutAtStatement(proxy)
    const found: string[] = []
    try {
      for (const { what, prepare, none, all } of steps(here)) {
        // Once undisturbed: queues are created on first use.
        await waitUntil('it is ready', async () => (await here.get('/api/health/ready')).status === 200)
        const whole = await prepare()
        assert.deepEqual([await whole.act(), await whole.traces()], ['done', all], what)
        let statements = 0
        for (const loss of ['the statement is lost', 'the response is lost'] satisfies Loss[]) {
          for (let number = 1; ; number++) {
            const { act, traces } = await prepare()
            watch.arm(number, loss)
            const outcome = await act()
            const hasCut = watch.disarm()
            const left = await traces()
            const where = `${what}, ${loss} at ${number}: it returned ${outcome}, and left ${left}`
            assert.ok(['done', 'unavailable'].includes(outcome), where)
            assert.ok(
              [none, all].some((whole) => String(whole) === String(left)),
              where,
            )
            if (outcome === 'done') assert.deepEqual(left, all, where)
            if (!hasCut) {
              assert.equal(outcome, 'done', where)
              break
            }
            statements = Math.max(statements, number)
          }
        }
        found.push(`${what}: ${statements} statements`)
      }
    } finally {
      proxy.onSent = undefined
    }
    return found.join('; ')
  },
)

check(
  'H-304',
  'a lagging read replica delays only lists: sessions, roles and users are read from the primary',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const replica = await Cluster.copy((data) =>
      runProgram('pg_basebackup', [
        '--dbname',
        cluster.url(),
        '--pgdata',
        data,
        '--write-recovery-conf',
        '--checkpoint=fast',
      ]),
    )
    world.atEndOfGroup(() => replica.remove())
    await replica.start()
    const node = await world.node('with a read replica', { ...env, DATABASE_REPLICA_URL: replica.url() })
    const here = withDatabase(world, cluster.url(), node)
    const [signedOutUser, admin] = [await here.newSession(), await here.newSession({ role: 'admin' })]
    const promotedUser = await here.newSession({ role: 'viewer' })
    const hasModule = (await here.get('/admin/audit', { jar: admin.jar.copy() })).status === 200
    /** The audit log page is read from the replica. */
    const isListed = async () =>
      (await here.get('/admin/audit', { jar: admin.jar.copy() })).text.includes('copy.checked')
    const isReplicated = async (id: string) =>
      (await replica.query('select from sessions where user_id = $1', [id])).length === 1
    await waitUntil('the replica has caught up', () => isReplicated(promotedUser.id))
    await replica.query('select pg_wal_replay_pause()')
    await waitUntil('replay is paused', async () => {
      const [{ state }] = await replica.query('select pg_get_wal_replay_pause_state() as state')
      return state === 'paused'
    })
    assert.equal(
      (await here.get('/api/auth/signout', { body: { redirect: false }, jar: signedOutUser.jar.copy() })).status,
      200,
    )
    await here.query(`update users set role = 'editor' where id = $1`, [promotedUser.id])
    await here.query(`insert into audit_events (kind) values ('copy.checked')`)
    const newUser = await here.newSession()
    if (hasModule) assert.equal(await isListed(), false, 'the list was not read from the replica')
    assert.equal(await here.getSession(signedOutUser.token), null)
    assert.equal((await here.getSession(promotedUser.token)).user.role, 'editor')
    assert.equal((await here.getSession(newUser.token)).user.id, newUser.id)
    // The replica has none of these changes.
    assert.deepEqual([await isReplicated(signedOutUser.id), await isReplicated(newUser.id)], [true, false])
    await replica.query('select pg_wal_replay_resume()')
    await waitUntil(
      'the replica has caught up again',
      async () => !(await isReplicated(signedOutUser.id)) && (await isReplicated(newUser.id)),
    )
    if (!hasModule) return
    await waitUntil('the list has caught up', isListed)
    await replica.stop()
    assert.ok(await isListed(), 'the list does not work without the replica')
  },
)

/** Whether a small tmpfs can be mounted here: only by root, and not in every container. */
const canMount = (() => {
  const folder = temporaryFolder('mount')
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (isMounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
  return isMounted
})()

/** Runs the work with a small disk. */
async function withSmallDisk(megabytes: number, work: (folder: string) => Promise<string>): Promise<string> {
  const folder = temporaryFolder('disk')
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0700,uid=65534,gid=65534`, 'tmpfs', folder])
  try {
    return await work(folder)
  } finally {
    execFileSync('umount', ['--lazy', folder])
    rmSync(folder, { recursive: true, force: true })
  }
}

const isFull = { code: '53100' }

/** A full disk under the tables: writes fail with 503, reads keep working. */
async function fillTables(world: World): Promise<string> {
  return withSmallDisk(64, async (folder) => {
    const cluster = await Cluster.create()
    try {
      await cluster.query(`create tablespace small location '${ownFolder(join(folder, 'tables'))}'`, [], 'postgres')
      await cluster.query('create database plinth tablespace small', [], 'postgres')
      runDb('migrate', cluster.url())
      const node = await world.node('full tables', { DATABASE_URL: cluster.url(), WORKER: 'apart' })
      const here = withDatabase(world, cluster.url(), node)
      const testUser = await here.newSession()
      await here.query('create table filler (text text)')
      // In smaller and smaller steps until nothing fits; then the last gaps in the table that every sign-in writes to.
      for (const rows of [10_000, 1_000, 100, 1]) {
        const fill = () => here.query(`insert into filler select repeat('x', 500) from generate_series(1, $1)`, [rows])
        await assert.rejects(async () => {
          for (;;) await fill()
        }, isFull)
      }
      await assert.rejects(async () => {
        for (;;) await here.query(`insert into audit_events (kind) values ('test.filled')`)
      }, isFull)
      const sessions = async () => (await here.query('select id from sessions')).length
      const before = await sessions()
      for (let tries = 0; tries < 5; tries++) isUnavailable(await here.trySignIn(testUser.email))
      assert.equal(await sessions(), before)
      assert.equal((await here.getSession(testUser.jar)).user.id, testUser.id)
      await assertPublicPagesWork(here)
      await here.query('drop table filler')
      assert.equal((await here.trySignIn(testUser.email)).status, 200)
      await assertRecovered(here, testUser)
      verifyTables(cluster)
    } finally {
      await cluster.remove()
    }
    return 'disk of the tables: 503 for writes, 200 for reads'
  })
}

const full = 'a full PostgreSQL disk causes 503, corrupts nothing, and everything works again when there is space'
if (canMount)
  check('H-316', full, fillTables, {
    notCovered: 'a full WAL disk, with which the server itself stops',
    slowReason: 'takes a minute',
  })
else skip('H-316', full, 'needs a small tmpfs, which only root can mount')

const change = (name: string, sql: string): Migration => ({ owner: 'faults', name, sql, checksum: name })

check(
  'H-319',
  'columns are added and dropped under load, and no write waits longer than the migration’s lock timeout',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const here = withDatabase(world, cluster.url(), await world.node('frozen', env))
    const testUser = await here.newSession()
    let isDone = false
    let longest = 0
    const writing = (async () => {
      while (!isDone) {
        const start = performance.now()
        await here.query('update users set name = $2 where id = $1', [testUser.id, String(start)])
        longest = Math.max(longest, performance.now() - start)
        await sleep(5)
      }
    })()
    const failed: number[] = []
    const reading = concurrently(4, async () => {
      while (!isDone) {
        const { status } = await here.get('/api/auth/session', { jar: testUser.jar.copy() })
        if (status !== 200) failed.push(status)
        await sleep(20)
      }
    })
    const reader = new pg.Client({ connectionString: cluster.url() })
    await reader.connect()
    const found: string[] = []
    try {
      // The usual wait on this machine right now.
      await sleep(1_500)
      const usual = longest
      for (const migration of [
        change('0000_expand', 'alter table users add column nickname text'),
        change('0001_index', '-- no transaction\ncreate index concurrently nicknames on users (nickname)'),
        change('0002_contract', 'alter table users drop column nickname'),
      ]) {
        longest = 0
        await reader.query('begin')
        await reader.query('select count(*) from users')
        const done = migrate(cluster.url(), [migration])
        await sleep(isLong ? 8_000 : 1_500)
        await reader.query('commit')
        await done
        // The migration gives up its lock after 300 ms and lets others go first.
        assertFast(
          longest < 300 + Math.max(200, 3 * usual),
          `${migration.name}: a write took ${longest} ms, usually ${usual} ms`,
        )
        found.push(`${migration.name} ${longest.toFixed(0)} ms`)
      }
    } finally {
      isDone = true
      await reader.end()
      await Promise.all([writing, reading])
    }
    assert.deepEqual(failed, [])
    return `the longest write: ${found.join(', ')}`
  },
)
