// Backup and restore, with the commands from docs/backup.md.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { root } from '../../../scripts/root.ts'
import { submitAction } from '../../app/support/call-action.ts'
import { check } from '../../app/support/checks.ts'
import { verdict } from '../../app/support/server-actions.ts'
import type { World } from '../../app/support/test-world.ts'
import { waitUntil } from './support/load.ts'
import { ownCluster, withDatabase } from './support/own-server.ts'
import { Cluster, ownFolder, postgresPrograms, temporaryFolder, unprivileged } from './support/postgres.ts'

/** The code blocks of the page in order, with a temporary folder instead of /backup. */
function readBlocks(kind: 'sh' | 'ini', folder: string): string[] {
  const page = readFileSync(join(root, 'docs', 'backup.md'), 'utf8')
  return [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) =>
    text.replaceAll('/backup', folder),
  )
}

/** Runs a block: commands on the server's files as its user, npm commands as ourselves. */
function runBlock(block = '', env: Record<string, string> = {}): Promise<void> {
  const isNpmCommand = block.startsWith('npm ')
  const child = spawn('bash', ['-euc', block], {
    ...(!isNpmCommand && unprivileged),
    cwd: isNpmCommand ? root : '/',
    env: { ...process.env, PATH: `${postgresPrograms()}:${process.env.PATH}`, ...env },
    // One block starts a server that keeps running and would keep a pipe open.
    stdio: 'ignore',
  })
  return new Promise((resolve, reject) =>
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`ended with ${code}:\n${block}`)))),
  )
}

/** Row count and content hash of each table. */
async function contentOf(url: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const { rows: tables } = await client.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs') order by 1`,
    )
    const content: Record<string, string> = {}
    for (const { name } of tables) {
      const { rows } = await client.query(
        `select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as content from ${name} t`,
      )
      content[name] = rows[0].content
    }
    return content
  } finally {
    await client.end()
  }
}

/** Asserts that a node on that database works. */
async function assertWorks(world: World, name: string, url: string): Promise<World> {
  const testWorld = withDatabase(world, url, await world.node(name, { DATABASE_URL: url, WORKER: 'apart' }))
  assert.equal((await testWorld.get('/api/health/ready')).status, 200)
  const { jar, id, email } = await testWorld.newSession()
  assert.equal((await testWorld.getSession(jar)).user.id, id)
  assert.equal(verdict(await submitAction(testWorld, 'askForReset', { email })), 'ok')
  assert.equal((await testWorld.get('/dashboard', { jar })).status, 200)
  return testWorld
}

check(
  'H-320',
  'a dump and the WAL restore everything, to the row and to the second, and all sessions can then be ended',
  async (world) => {
    const folder = temporaryFolder('backup')
    world.atEndOfGroup(async () => rmSync(folder, { recursive: true, force: true }))
    ownFolder(join(folder, 'wal'))
    const [dump, restore, copy, recover, endSessions] = readBlocks('sh', folder)
    const archive = [...(readBlocks('ini', folder)[0] ?? '').matchAll(/^(\w+) = '?(.*?)'?$/gm)]
    const cluster = await ownCluster(world, Object.fromEntries(archive.map(([, name, value]) => [name, value])))
    const before = withDatabase(world, cluster.url(), world.app)
    const users = await before.newUsers(500)
    const sessionJar = await before.insertSession(users[0] ?? assert.fail())

    // Restore a dump into a new server.
    const started = performance.now()
    await runBlock(dump, { DATABASE_URL: cluster.url() })
    const fresh = await Cluster.create()
    world.atEndOfGroup(() => fresh.remove())
    await runBlock(restore, { NEW_SERVER_URL: fresh.url('').replace(/\/$/, '') })
    const restored = performance.now() - started
    assert.deepEqual(await contentOf(fresh.url()), await contentOf(cluster.url()))
    const dumped = await assertWorks(world, 'dumped', fresh.url())
    assert.equal((await dumped.getSession(sessionJar)).user.id, users[0]?.id)

    // Restore a base backup and the WAL, to a point in time.
    await runBlock(copy, { SERVER_URL: cluster.url('postgres') })
    await before.newUsers(20)
    await sleep(50)
    const [{ moment }] = await cluster.query('select clock_timestamp()::text as moment')
    const expected = await contentOf(cluster.url())
    await sleep(50)
    await cluster.query('delete from sessions')
    await cluster.query(`delete from users where email like 'crowd-%'`)
    const [{ file }] = await cluster.query('select pg_walfile_name(pg_switch_wal()) as file')
    await waitUntil('the WAL file is archived', () => existsSync(join(folder, 'wal', file)))
    const recoveredCluster = await Cluster.copy((data, port) =>
      runBlock(recover, { RESTORED: data, RESTORED_PORT: String(port), MOMENT: moment }),
    )
    world.atEndOfGroup(() => recoveredCluster.remove())
    const hasRecovered = async () => !(await recoveredCluster.query('select pg_is_in_recovery() as is_not'))[0].is_not
    const recovered = await waitUntil('recovery has ended', hasRecovered)
    assert.deepEqual(await contentOf(recoveredCluster.url()), expected)

    // Sessions that ended after that moment are valid again, until all sessions are ended.
    const node = await world.node('recovered', { DATABASE_URL: recoveredCluster.url(), WORKER: 'apart' })
    assert.notEqual(await world.getSession(sessionJar, node), null)
    await runBlock(endSessions, { DATABASE_URL: recoveredCluster.url() })
    assert.equal(await world.getSession(sessionJar, node), null)
    await assertWorks(world, 'recovered', recoveredCluster.url())
    return `dumped and restored in ${restored.toFixed(0)} ms; recovered to the moment in ${recovered.toFixed(0)} ms`
  },
  { slowReason: 'takes a minute' },
)
