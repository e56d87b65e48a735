// Scopes behind PgBouncer in transaction mode, where each transaction may use another connection of few.

import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { checkModule } from '../../app/support/checks.ts'
import type { World } from '../../app/support/test-world.ts'
import { addOrganization } from '../security/support/organization.ts'
import { rounds, seed } from '../support/rounds.ts'
import { ownServer } from './support/own-server.ts'
import { startPgBouncer } from './support/pgbouncer.ts'
import type { Report, Scene } from './support/scoped-work.ts'

const [organizationCount, userCount] = [6, 18]
/** As many as the pooler has: see support/pgbouncer.ts. */
const serverConnections = 5

interface Pooled {
  url: string
  pool: pg.Pool
}

/** The pooler, in front of a migrated database; `pool` goes around it. */
async function startPooled(world: World): Promise<Pooled> {
  const { cluster } = await ownServer(world)
  const pooler = await startPgBouncer(cluster.url(''))
  world.atEndOfGroup(pooler.stop)
  const pool = new pg.Pool({ connectionString: cluster.url(), max: 2 })
  pool.on('error', () => {})
  world.atEndOfGroup(() => pool.end())
  return { url: `${pooler.url}/plinth`, pool }
}

/** Organizations with overlapping members and a few rows each. */
async function prepare(pool: pg.Pool, turns: number): Promise<Scene> {
  await pool.query('delete from organizations_invitations')
  const { rows } = await pool.query<{ id: string }>(
    `insert into users (email, name, email_verified_at)
     select gen_random_uuid() || '@example.com', 'Test User', now() from generate_series(1, $1) returning id`,
    [userCount],
  )
  const users = rows.map(({ id }) => ({ id, scopeIds: [] as string[] }))
  const organizations: Scene['organizations'] = []
  for (let index = 0; index < organizationCount; index++) {
    const members = users.filter((_, position) => position % organizationCount === index || position % 4 === index % 4)
    const organization = await addOrganization(
      pool,
      members.map(({ id }, position) => ({ id, role: position === 0 ? 'admin' : 'editor' })),
    )
    for (const { scopeIds } of members) scopeIds.push(organization.id)
    organizations.push(organization)
    await pool.query(
      `insert into organizations_invitations (scope_id, email, role)
       select $1, n || '@' || $2 || '.example.com', 'viewer' from generate_series(1, 3) n`,
      [organization.id, organization.slug],
    )
  }
  return { organizations, users, seed, turns }
}

/** Runs the work in a process of its own, because the app reads DATABASE_URL once. */
function run(kind: 'work' | 'jobs', url: string, scene: Scene): Promise<Report> {
  const child = fork(join(import.meta.dirname, 'support', 'scoped-work.ts'), [kind], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'silent',
      DATABASE_URL: url,
      DATABASE_POOLER: 'transaction',
      DATABASE_POOL_MAX: '20',
      AUTH_URL: 'http://localhost:3000',
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    },
  })
  child.send(scene)
  return new Promise((resolve, reject) => {
    child.once('message', (report) => resolve(report as Report))
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it reported`)))
  })
}

/** Every row is in the scope that it was written in, and was changed only by members of its scope. */
async function assertRowsInPlace(pool: pg.Pool, { organizations }: Scene): Promise<number> {
  const { rows } = await pool.query<{ scope_id: string; email: string; is_foreign: boolean }>(
    `select scope_id, email, invited_by is not null and not exists (select from organizations_members as member
       where member.scope_id = invitation.scope_id and member.user_id = invited_by) as is_foreign
     from organizations_invitations as invitation`,
  )
  for (const { scope_id: scopeId, email, is_foreign: isForeign } of rows) {
    const organization = organizations.find(({ id }) => id === scopeId) ?? assert.fail(`${email} is in no organization`)
    assert.ok(email.endsWith(`@${organization.slug}.example.com`), `${email} is in ${organization.slug}`)
    assert.ok(!isForeign, `${email} was changed by another organization`)
  }
  return rows.length
}

/** A setting of a session, in contrast to one of a transaction, is seen by the next clients: so they do share connections. */
async function countLeftBehind(url: string): Promise<number> {
  const asClient = async (text: string) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return client.query(text).finally(() => client.end())
  }
  await asClient(`select set_config('test.left_behind', 'yes', false)`)
  const seen = await Promise.all(
    Array.from({ length: 20 }, () => asClient(`select current_setting('test.left_behind', true) as value`)),
  )
  return seen.filter(({ rows }) => rows[0].value === 'yes').length
}

checkModule(
  'organizations',
  'H-399',
  'behind a pooler in transaction mode no scope sees rows of another, and none leaves its role or scope on a connection',
  async (world) => {
    const { url, pool } = await startPooled(world)
    const scene = await prepare(pool, rounds(3_000, 1_000))
    const { leaks, counts, connections } = await run('work', url, scene)
    assert.deepEqual(leaks.slice(0, 10), [])
    for (const kind of ['read', 'readTwice', 'write', 'writeAll', 'fail', 'abandon', 'outside', 'outsider'])
      assert.ok((counts[kind] ?? 0) > scene.turns / 50, `${kind}: ${counts[kind]}`)
    assert.ok(connections > 1 && connections <= serverConnections, `${connections} connections`)
    const rows = await assertRowsInPlace(pool, scene)
    assert.equal(rows, organizationCount * 3 + (counts.write ?? 0))
    assert.ok((await countLeftBehind(url)) > 0, 'the clients do not share connections')
    return `${scene.turns} transactions on ${connections} connections: ${JSON.stringify(counts)}`
  },
  { slowReason: 'needs PgBouncer' },
)

checkModule(
  'organizations',
  'H-400',
  'behind a pooler in transaction mode jobs are enqueued and worked on in their scope, and not if the transaction fails',
  async (world) => {
    const { url, pool } = await startPooled(world)
    const scene = await prepare(pool, 0)
    const { leaks, counts } = await run('jobs', url, scene)
    assert.deepEqual(leaks.slice(0, 10), [])
    assert.equal(counts.job, 1 + userCount - Math.ceil(userCount / 3))
    assert.equal(await assertRowsInPlace(pool, scene), organizationCount * 3 + (counts.job ?? 0))
    return `${counts.job} jobs`
  },
  { slowReason: 'needs PgBouncer' },
)
