// npm run bench:page -- <commit> [/path]: the time that a page takes an admin of 500 users, compared with an earlier commit, by
// default the list of users. Fails if it takes more than 1.15 times as long. Needs a production build, and the history of Git.
import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { root } from '../../../scripts/root.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { createDatabase, dropDatabase, findServer, runDb } from '../../app/support/database.ts'
import { type RunningServer, startServer } from '../../app/support/server.ts'
import { decide, median } from './decide.ts'
import { openClient, pinAway, pinLoad, pinnedToServerCore } from './load.ts'

showUsage('npm run bench:page -- <commit> [/path]')

const [commit, path = '/admin/users'] = process.argv.slice(2)
if (!commit) throw new Error('Which commit? npm run bench:page -- <commit> [/path]')
const limit = 1.15
const [restarts, turns, requests, warmUp] = [8, 20, 20, 300]
const token = randomBytes(32).toString('base64url')

/** Checks out the commit into another folder, and builds it with its own packages. */
function buildCommit(folder: string): void {
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C "$0"`, folder], { cwd: root })
  // Without the npm settings of this project, which `npm run` passes on.
  const own = Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_ENV$)/i.test(name))
  const env = Object.fromEntries(own) as unknown as NodeJS.ProcessEnv
  execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, env, stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, env, stdio: 'inherit' })
}

async function fill(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(
    `insert into users (email, name, role, email_verified_at, last_seen_at, created_at)
     select 'user-' || n || '@example.com', 'Ada ' || n, (array['viewer', 'editor', 'admin'])[n % 3 + 1], now(),
       now() - n * interval '1 hour', now() - n * interval '1 day'
     from generate_series(1, 500) as n`,
  )
  await client.query(
    "insert into sessions (user_id, token_hash) select id, $1 from users where email = 'user-2@example.com'",
    [createHash('sha256').update(token).digest()],
  )
  await client.query('analyze')
  await client.end()
}

interface Side {
  folder: string
  url: string
}

/** The ratio of the times per request, measured in turns: the second side to the first. */
async function compare(sides: Side[], restart: number): Promise<number> {
  const order = restart % 2 ? sides.toReversed() : sides
  const servers: RunningServer[] = []
  try {
    for (const { folder, url } of order) {
      const env = { DATABASE_URL: url, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' }
      servers.push(await startServer('start', env, { folder, commandPrefix: pinnedToServerCore }))
    }
    const clients = servers.map((server) => openClient([server], 1))
    const make = () => ({ path, headers: { cookie: `plinth.session=${token}` } })
    for (const client of clients) await client.load(make, warmUp)
    await keepDatabaseAway()
    const times = sides.map(() => [] as number[])
    for (let turn = 0; turn < turns; turn++) {
      const indexes = turn % 2 ? [1, 0] : [0, 1]
      for (const index of indexes) {
        const { rate } = await (clients[index] as (typeof clients)[number]).load(make, requests)
        times[sides.indexOf(order[index] as Side)]?.push(1000 / rate)
      }
    }
    for (const client of clients) client.close()
    const [before = 0, now = 0] = times.map(median)
    console.log(`  ${before.toFixed(2)} ms at ${commit}, ${now.toFixed(2)} ms now: ${(now / before).toFixed(3)}`)
    return now / before
  } finally {
    await Promise.all(servers.map((server) => server.stop()))
  }
}

async function keepDatabaseAway(): Promise<void> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pid from pg_stat_activity where pid <> pg_backend_pid()')
  pinAway(rows.map(({ pid }) => pid))
  await client.end()
}

const folder = mkdtempSync(join(tmpdir(), 'plinth-bench-'))
const server = await findServer()
const databases: string[] = []
try {
  buildCommit(folder)
  const sides: Side[] = []
  for (const sideFolder of [folder, root]) {
    const { url, name } = await createDatabase(server.url)
    databases.push(name)
    runDb('migrate', url, undefined, sideFolder)
    await fill(url)
    sides.push({ folder: sideFolder, url })
  }
  pinLoad()
  const ratios: number[] = []
  for (let restart = 0; restart < restarts; restart++) ratios.push(await compare(sides, restart))
  const verdict = decide(ratios, { most: limit })
  console.log(`${path} takes ${median(ratios).toFixed(3)} times as long as at ${commit}; at most ${limit}: ${verdict}`)
  if (verdict !== 'yes') process.exitCode = 1
} finally {
  for (const name of databases) await dropDatabase(server.url, name)
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}
