// S. What was lost is brought back, as docs/backup.md says, command by command.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { root } from '../../scripts/root.ts'
import { verdict } from '../hostile/actions.ts'
import { check } from '../hostile/checks.ts'
import { submit, type World } from '../hostile/world.ts'
import { elsewhere, ownCluster } from './elsewhere.ts'
import { sleep, until } from './load.ts'
import { Cluster, ownFolder, postgresPrograms, temporaryFolder, unprivileged } from './postgres.ts'

/** The pieces of the page, in their order, with a folder of ours in place of its own. */
function readBlocks(kind: 'sh' | 'ini', folder: string): string[] {
  const page = readFileSync(join(root, 'docs', 'backup.md'), 'utf8')
  return [...page.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))].map(([, text = '']) =>
    text.replaceAll('/backup', folder),
  )
}

/** As the page has it: what touches the server's files as its user, the app's own commands as ourselves. */
function runBlock(block = '', env: Record<string, string> = {}): Promise<void> {
  const isOurs = block.startsWith('npm ')
  const child = spawn('bash', ['-euc', block], {
    ...(!isOurs && unprivileged),
    cwd: isOurs ? root : '/',
    env: { ...process.env, PATH: `${postgresPrograms()}:${process.env.PATH}`, ...env },
    // The server that one of them starts lives on, and would keep a pipe open.
    stdio: 'ignore',
  })
  return new Promise((resolve, reject) =>
    child.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`ended with ${code}:\n${block}`)))),
  )
}

/** How many rows each table has, and what is in them. */
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

/** A node on that database does what people need. */
async function assertWorks(world: World, name: string, url: string): Promise<World> {
  const here = elsewhere(world, url, await world.node(name, { DATABASE_URL: url, WORKER: 'apart' }))
  assert.equal((await here.get('/api/health/ready')).status, 200)
  const { jar, id, email } = await here.newSession()
  assert.equal((await here.session(jar)).user.id, id)
  assert.equal(verdict(await submit(here, 'askForReset', { email })), 'ok')
  assert.equal((await here.get('/dashboard', { jar })).status, 200)
  return here
}

check(
  'H-320',
  'a dump and the log bring everything back, to the row and to the second, and everybody can be signed out then',
  async (world) => {
    const folder = temporaryFolder('backup')
    world.atEndOfGroup(async () => rmSync(folder, { recursive: true, force: true }))
    ownFolder(join(folder, 'wal'))
    const [dump, restore, copy, recover, endSessions] = readBlocks('sh', folder)
    const archive = [...(readBlocks('ini', folder)[0] ?? '').matchAll(/^(\w+) = '?(.*?)'?$/gm)]
    const cluster = await ownCluster(world, Object.fromEntries(archive.map(([, name, value]) => [name, value])))
    const before = elsewhere(world, cluster.url(), world.app)
    const people = await before.newPeople(500)
    const signedOut = await before.enter(people[0] ?? assert.fail())

    // A dump, into a new server.
    const started = performance.now()
    await runBlock(dump, { DATABASE_URL: cluster.url() })
    const fresh = await Cluster.create()
    world.atEndOfGroup(() => fresh.remove())
    await runBlock(restore, { NEW_SERVER_URL: fresh.url('').replace(/\/$/, '') })
    const restored = performance.now() - started
    assert.deepEqual(await contentOf(fresh.url()), await contentOf(cluster.url()))
    const dumped = await assertWorks(world, 'dumped', fresh.url())
    assert.equal((await dumped.session(signedOut)).user.id, people[0]?.id)

    // The files and the log, to a moment.
    await runBlock(copy, { SERVER_URL: cluster.url('postgres') })
    await before.newPeople(20)
    await sleep(50)
    const [{ moment }] = await cluster.query('select clock_timestamp()::text as moment')
    const expected = await contentOf(cluster.url())
    await sleep(50)
    await cluster.query('delete from sessions')
    await cluster.query(`delete from users where email like 'crowd-%'`)
    const [{ file }] = await cluster.query('select pg_walfile_name(pg_switch_wal()) as file')
    await until('the log is kept', () => existsSync(join(folder, 'wal', file)))
    const back = await Cluster.copy((data, port) =>
      runBlock(recover, { RESTORED: data, RESTORED_PORT: String(port), MOMENT: moment }),
    )
    world.atEndOfGroup(() => back.remove())
    const isThere = async () => !(await back.query('select pg_is_in_recovery() as is_not'))[0].is_not
    const recovered = await until('it has arrived', isThere)
    assert.deepEqual(await contentOf(back.url()), expected)

    // Who was signed out after that moment is in again, until all are out.
    const node = await world.node('recovered', { DATABASE_URL: back.url(), WORKER: 'apart' })
    assert.notEqual(await world.session(signedOut, node), null)
    await runBlock(endSessions, { DATABASE_URL: back.url() })
    assert.equal(await world.session(signedOut, node), null)
    await assertWorks(world, 'recovered', back.url())
    return `dumped and restored in ${restored.toFixed(0)} ms; at the moment ${recovered.toFixed(0)} ms after its start`
  },
  { long: 'takes a minute' },
)
