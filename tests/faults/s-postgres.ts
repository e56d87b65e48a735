// S. PostgreSQL goes away, hangs, is slow, is cut off in the middle, lags behind, is full, is changed under way.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { type Migration, migrate } from '../../src/core/db/migrate.ts'
import { verdict } from '../hostile/actions.ts'
import { assertSoon, check, hasModule, skip } from '../hostile/checks.ts'
import type { Answer, Jar } from '../hostile/client.ts'
import { keepSecret } from '../hostile/oracles.ts'
import { percentile } from '../hostile/statistics.ts'
import { type Person, someToken, submit, type World } from '../hostile/world.ts'
import { runDb } from '../support/database.ts'
import { elsewhere, ownServer } from './elsewhere.ts'
import { digestOf, sleep, until } from './load.ts'
import { Cluster, examine, ownFolder, runProgram, temporaryFolder } from './postgres.ts'
import { type Loss, watchStatements } from './statements.ts'

const chosen = 'an entirely different horse 3'
keepSecret(chosen)

/** A minute of everything, instead of seconds. */
const isLong = Boolean(process.env.LONG)

const together = <T>(times: number, work: (index: number) => Promise<T>) =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)))

const isUnavailable = (answer: Answer) => {
  assert.equal(answer.status, 503, answer.text)
  assert.ok(Number(answer.headers['retry-after']) >= 1, 'no Retry-After')
  // Nobody is signed out by it.
  assert.deepEqual(answer.setCookies, [])
}

/** Whatever needs the database, one way each. */
const needy = (world: World, { jar, email }: Person & { jar: Jar }) => ({
  'the session': () => world.get('/api/auth/session', { jar: jar.copy() }),
  'signing in': () => world.try(email),
  readiness: () => world.get('/api/health/ready'),
  'signing out': () => world.get('/api/auth/signout', { method: 'POST', jar: jar.copy() }),
})

/** Whatever needs none. In less time than anybody waits for a database that hangs, however busy this machine is. */
async function assertRest(world: World): Promise<void> {
  for (const path of ['/api/health', '/', '/signin']) {
    const answer = await world.get(path)
    assert.equal(answer.status, 200, path)
    assertSoon(answer.milliseconds < 5_000, `${path} took ${answer.milliseconds} ms`)
  }
}

/** The same person, and every connection that the node may hold works: none was lost on the way. */
async function assertWhole(world: World, { email, jar }: Person & { jar: Jar }): Promise<void> {
  const sessions = await together(30, () => world.session(jar))
  assert.deepEqual([...new Set(sessions.map((session) => session?.user.email))], [email])
  assert.equal((await world.try(email)).status, 200)
}

check(
  'H-299',
  'while PostgreSQL is stopped what needs it is 503 and the rest is served; when it is back all goes on by itself',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const here = elsewhere(world, cluster.url(), await world.node('stopped', { ...env, WORKER: 'inside' }))
    const person = await here.newSession()
    await cluster.stop()
    const waits: number[] = []
    const end = Date.now() + (isLong ? 60_000 : 6_000)
    while (Date.now() < end) {
      for (const [what, ask] of Object.entries(needy(here, person))) {
        const answer = await ask()
        isUnavailable(answer)
        assertSoon(answer.milliseconds < 6_000, `${what} took ${answer.milliseconds} ms`)
        waits.push(answer.milliseconds)
      }
      assert.equal(verdict(await submit(here, 'askForReset', { email: person.email })), 'unavailable')
      await assertRest(here)
      await sleep(300)
    }
    await cluster.start()
    const back = await until('it is ready', async () => (await here.get('/api/health/ready')).status === 200)
    await assertWhole(here, person)
    // The worker, too.
    assert.equal(verdict(await submit(here, 'askForReset', { email: person.email })), 'ok')
    const mailed = await until('a mail', async () => (await here.mailsTo(person.email)).length === 1, 45_000)
    return `503 after ${Math.max(...waits).toFixed(0)} ms at most; ready ${back.toFixed(0)} ms after its start, the mail after ${mailed.toFixed(0)} ms more`
  },
)

check(
  'H-300',
  'while PostgreSQL stands still every request ends with 503 in time; then all is as before',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const here = elsewhere(world, cluster.url(), await world.node('frozen', env))
    const person = await here.newSession()
    await assertWhole(here, person)
    // The longest that a query may take (src/core/db/client.ts), and a second; sign-in waits for the hasher as well.
    const longest = 6_000 + 1_000
    const thaw = cluster.freeze()
    let slowest = 0
    try {
      await together(32, async (index) => {
        const asked = Object.entries(needy(here, person))
        const [what, ask] = asked[index % asked.length] ?? assert.fail()
        const answer = await ask()
        isUnavailable(answer)
        assertSoon(answer.milliseconds < longest + 3_000, `${what} took ${answer.milliseconds} ms`)
        slowest = Math.max(slowest, answer.milliseconds)
      })
      await assertRest(here)
    } finally {
      thaw()
    }
    // It has to work through what was sent to it meanwhile.
    await until('ready again', async () => (await here.get('/api/health/ready')).status === 200, 5_000)
    await assertWhole(here, person)
    const held = await cluster.query(`select pid from pg_stat_activity where application_name = 'plinth'`)
    assert.ok(held.length <= 10 + 10 + 1, `${held.length} connections are held`)
    return `the slowest of 32 ended after ${slowest.toFixed(0)} ms`
  },
)

check(
  'H-301',
  'when all connections are busy whoever finds none free is told so in time, and the rest is served',
  async (world) => {
    const { cluster, wire, env } = await ownServer(world)
    const node = await world.node('five connections', { ...env, DATABASE_POOL_MAX: '5' })
    const here = elsewhere(world, cluster.url(), node)
    const person = await here.newSession()
    await assertWhole(here, person)
    wire.delay = 1_000
    let answers: Answer[]
    try {
      answers = await together(30, () => here.get('/api/auth/session', { jar: person.jar.copy() }))
    } finally {
      wire.delay = 0
    }
    const [served, refused] = [200, 503].map((status) => answers.filter((answer) => answer.status === status))
    assert.ok(served && refused && served.length + refused.length === 30)
    // Five at once, and the five whose turn comes within a second and a half.
    assert.ok(served.length >= 5 && served.length <= 15, `${served.length} were served`)
    for (const answer of refused) isUnavailable(answer)
    const slowest = Math.max(...refused.map(({ milliseconds }) => milliseconds))
    assertSoon(slowest < 1_500 + 3_000, `refused after ${slowest} ms`)
    await until('it is well again', async () => (await here.get('/api/health/ready')).status === 200)
    await assertWhole(here, person)
    return `${served.length} served, ${refused.length} refused after ${slowest.toFixed(0)} ms at most`
  },
)

check('H-302', 'a database that answers late makes everything late, and nothing piles up', async (world) => {
  const { cluster, wire, env } = await ownServer(world)
  const here = elsewhere(world, cluster.url(), await world.node('frozen', env))
  const person = await here.newSession()
  await assertWhole(here, person)
  const ask = () => here.get('/api/auth/session', { jar: person.jar.copy() })
  wire.delay = 200
  try {
    const alone = await ask()
    assert.ok(alone.milliseconds > 190, `${alone.milliseconds} ms: it was not late`)
    // More than ten connections can do: 50 in a second.
    const end = Date.now() + (isLong ? 60_000 : 4_000)
    const answers: Answer[] = []
    await together(60, async () => {
      while (Date.now() < end) answers.push(await ask())
    })
    const served = answers.filter(({ status }) => status === 200)
    for (const answer of answers) if (answer.status !== 200) isUnavailable(answer)
    const slowest = percentile(
      answers.map(({ milliseconds }) => milliseconds),
      0.99,
    )
    // A second and a half for a connection, and the query.
    assertSoon(slowest < 1_500 + 200 + 3_000, `${slowest} ms`)
    const after = await ask()
    assert.equal(after.status, 200)
    assertSoon(after.milliseconds < alone.milliseconds + 1_500, `${after.milliseconds} ms after the crowd`)
    return `${served.length} of ${answers.length} served, 99 of 100 answers within ${slowest.toFixed(0)} ms; alone ${alone.milliseconds.toFixed(0)} ms before and ${after.milliseconds.toFixed(0)} ms after`
  } finally {
    wire.delay = 0
  }
})

/** Something that is done in one transaction, and what can be seen of it in the database. */
interface Step {
  what: string
  /** Somebody new to do it to. */
  prepare(): Promise<{ act(): Promise<'done' | 'unavailable' | string>; traces(): Promise<number[]> }>
  /** What there is to see when nothing was done, and when all was. */
  none: number[]
  all: number[]
}

const settled = ({ status }: Answer) => (status === 200 ? 'done' : status === 503 ? 'unavailable' : `status ${status}`)

function steps(world: World): Step[] {
  const count = async (text: string, values: unknown[]) => Number((await world.query(text, values))[0].count)
  const events = (kind: string, target: string) =>
    count('select count(*) from audit_events where kind = $1 and target_id = $2', [kind, target])
  const sessions = ({ id }: Person) => count('select count(*) from sessions where user_id = $1', [id])
  const mails = ({ id }: Person) =>
    count(`select count(*) from jobs.job where name = 'mail.password_changed' and data->>'userId' = $1`, [id])
  return [
    {
      what: 'signing in',
      none: [0, 0],
      all: [1, 1],
      prepare: async () => {
        const person = await world.newPerson()
        return {
          act: async () => settled(await world.try(person.email)),
          traces: async () => [await sessions(person), await events('session.started', person.id)],
        }
      },
    },
    {
      what: 'choosing a new password',
      none: [0, 1, 1, 0],
      all: [1, 0, 0, 1],
      prepare: async () => {
        const person = await world.newPerson()
        await world.enter(person)
        const token = someToken()
        await world.query(
          `insert into tokens (hash, purpose, user_id, expires_at) values ($1, 'reset', $2, now() + interval '1 hour')`,
          [digestOf(token), person.id],
        )
        return {
          act: async () => {
            const said = verdict(await submit(world, 'chooseNewPassword', { token, password: chosen }))
            return said.startsWith('to ') || said === 'ok' ? 'done' : said
          },
          traces: async () => [
            await count('select count(*) from passwords where user_id = $1 and hash <> $2', [person.id, world.hash]),
            await sessions(person),
            await count(`select count(*) from tokens where user_id = $1 and purpose = 'reset'`, [person.id]),
            await mails(person),
          ],
        }
      },
    },
    ...(hasModule('admin')
      ? [
          {
            what: 'deleting somebody',
            none: [1, 1, 0],
            all: [0, 0, 1],
            prepare: async () => {
              const admin = await world.newSession({ role: 'admin' })
              const person = await world.newPerson()
              await world.enter(person)
              return {
                act: async () => {
                  const said = verdict(
                    await submit(
                      world,
                      'deleteUser',
                      { userId: person.id, confirmation: person.email },
                      { jar: admin.jar.copy() },
                    ),
                  )
                  return said.startsWith('to ') ? 'done' : said
                },
                traces: async () => [
                  await count('select count(*) from users where id = $1', [person.id]),
                  await sessions(person),
                  await events('person.deleted', person.id),
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
  'whichever statement the connection is lost at, before or after it was carried out, all is done or nothing',
  async (world) => {
    const { cluster, wire, env } = await ownServer(world)
    const here = elsewhere(world, cluster.url(), await world.node('frozen', env))
    const watch = watchStatements(wire)
    const found: string[] = []
    try {
      for (const { what, prepare, none, all } of steps(here)) {
        // Once undisturbed: queues are made when they are first needed.
        await until('it is well', async () => (await here.get('/api/health/ready')).status === 200)
        const whole = await prepare()
        assert.deepEqual([await whole.act(), await whole.traces()], ['done', all], what)
        let statements = 0
        for (const loss of ['the statement is lost', 'its answer is lost'] satisfies Loss[]) {
          for (let number = 1; ; number++) {
            const { act, traces } = await prepare()
            watch.arm(number, loss)
            const said = await act()
            const hasCut = watch.disarm()
            const left = await traces()
            const where = `${what}, ${loss} at ${number}: it said ${said}, and left ${left}`
            assert.ok(['done', 'unavailable'].includes(said), where)
            assert.ok(
              [none, all].some((whole) => String(whole) === String(left)),
              where,
            )
            if (said === 'done') assert.deepEqual(left, all, where)
            if (!hasCut) {
              assert.equal(said, 'done', where)
              break
            }
            statements = Math.max(statements, number)
          }
        }
        found.push(`${what}: ${statements} statements`)
      }
    } finally {
      wire.onSent = undefined
    }
    return found.join('; ')
  },
)

check(
  'H-304',
  'of a copy that lags behind lists are late and nothing else: sessions, roles and people are read where they are written',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const copy = await Cluster.copy((data) =>
      runProgram('pg_basebackup', [
        '--dbname',
        cluster.url(),
        '--pgdata',
        data,
        '--write-recovery-conf',
        '--checkpoint=fast',
      ]),
    )
    world.atEndOfGroup(() => copy.remove())
    await copy.start()
    const node = await world.node('reads lists from a copy', { ...env, DATABASE_REPLICA_URL: copy.url() })
    const here = elsewhere(world, cluster.url(), node)
    const [leaving, admin] = [await here.newSession(), await here.newSession({ role: 'admin' })]
    const rising = await here.newSession({ role: 'viewer' })
    const hasModule = (await here.get('/admin/audit', { jar: admin.jar.copy() })).status === 200
    /** The audit log is a list. */
    const isListed = async () =>
      (await here.get('/admin/audit', { jar: admin.jar.copy() })).text.includes('copy.checked')
    const isKnown = async (id: string) =>
      (await copy.query('select from sessions where user_id = $1', [id])).length === 1
    await until('the copy follows', () => isKnown(rising.id))
    await copy.query('select pg_wal_replay_pause()')
    await until('it stands still', async () => {
      const [{ state }] = await copy.query('select pg_get_wal_replay_pause_state() as state')
      return state === 'paused'
    })
    assert.equal(
      (await here.get('/api/auth/signout', { body: { redirect: false }, jar: leaving.jar.copy() })).status,
      200,
    )
    await here.query(`update users set role = 'editor' where id = $1`, [rising.id])
    await here.query(`insert into audit_events (kind) values ('copy.checked')`)
    const joined = await here.newSession()
    if (hasModule) assert.equal(await isListed(), false, 'the list was not read from the copy')
    assert.equal(await here.session(leaving.token), null)
    assert.equal((await here.session(rising.token)).user.role, 'editor')
    assert.equal((await here.session(joined.token)).user.id, joined.id)
    // And the copy knows nothing of all that.
    assert.deepEqual([await isKnown(leaving.id), await isKnown(joined.id)], [true, false])
    await copy.query('select pg_wal_replay_resume()')
    await until('the copy follows again', async () => !(await isKnown(leaving.id)) && (await isKnown(joined.id)))
    if (!hasModule) return
    await until('the list does, too', isListed)
    await copy.stop()
    assert.ok(await isListed(), 'without the copy there is no list')
  },
)

/** Whether a disk of a few megabytes can be made here: only by root, and not in every container. */
const canMount = (() => {
  const folder = temporaryFolder('mount')
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0
  if (isMounted) spawnSync('umount', [folder])
  rmSync(folder, { recursive: true, force: true })
  return isMounted
})()

/** A small disk for the time of some work. */
async function withDisk(megabytes: number, work: (folder: string) => Promise<string>): Promise<string> {
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

/** The disk under the tables: what must be written is refused, what is only read goes on. */
async function fillTables(world: World): Promise<string> {
  return withDisk(64, async (folder) => {
    const cluster = await Cluster.create()
    try {
      await cluster.query(`create tablespace small location '${ownFolder(join(folder, 'tables'))}'`, [], 'postgres')
      await cluster.query('create database plinth tablespace small', [], 'postgres')
      runDb('migrate', cluster.url())
      const node = await world.node('full tables', { DATABASE_URL: cluster.url(), WORKER: 'apart' })
      const here = elsewhere(world, cluster.url(), node)
      const person = await here.newSession()
      await here.query('create table filler (text text)')
      // Smaller and smaller, until nothing more fits; then the last gaps in the table that every sign-in writes to.
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
      for (let tries = 0; tries < 5; tries++) isUnavailable(await here.try(person.email))
      assert.equal(await sessions(), before)
      assert.equal((await here.session(person.jar)).user.id, person.id)
      await assertRest(here)
      await here.query('drop table filler')
      assert.equal((await here.try(person.email)).status, 200)
      await assertWhole(here, person)
      examine(cluster)
    } finally {
      await cluster.remove()
    }
    return 'the tables’ disk: 503 for what is written, 200 for what is read'
  })
}

const full = 'a full disk under PostgreSQL is 503, spoils nothing, and all goes on when there is space again'
if (canMount)
  check('H-316', full, fillTables, {
    waits: 'the disk under the log (WAL), where the server itself goes down',
    long: 'takes a minute',
  })
else skip('H-316', full, 'needs a small disk of its own, which only root can make')

const change = (name: string, sql: string): Migration => ({ owner: 'faults', name, sql, checksum: name })

check(
  'H-319',
  'tables are widened and narrowed while people read and write, and no write waits longer than the migration may',
  async (world) => {
    const { cluster, env } = await ownServer(world)
    const here = elsewhere(world, cluster.url(), await world.node('frozen', env))
    const person = await here.newSession()
    let isOver = false
    let longest = 0
    const writing = (async () => {
      while (!isOver) {
        const start = performance.now()
        await here.query('update users set name = $2 where id = $1', [person.id, String(start)])
        longest = Math.max(longest, performance.now() - start)
        await sleep(5)
      }
    })()
    const failed: number[] = []
    const reading = together(4, async () => {
      while (!isOver) {
        const { status } = await here.get('/api/auth/session', { jar: person.jar.copy() })
        if (status !== 200) failed.push(status)
        await sleep(20)
      }
    })
    const reader = new pg.Client({ connectionString: cluster.url() })
    await reader.connect()
    const found: string[] = []
    try {
      // What this machine makes anybody wait just now.
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
        // It gives up after 300 ms and lets everybody else go first.
        assert.ok(
          longest < 300 + Math.max(200, 3 * usual),
          `${migration.name}: a write took ${longest} ms, else ${usual} ms`,
        )
        found.push(`${migration.name} ${longest.toFixed(0)} ms`)
      }
    } finally {
      isOver = true
      await reader.end()
      await Promise.all([writing, reading])
    }
    assert.deepEqual(failed, [])
    return `the longest write: ${found.join(', ')}`
  },
)
