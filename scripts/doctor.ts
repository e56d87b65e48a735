import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import type pg from 'pg'
import { envFile, loadEnv } from './env-file.ts'
import { floorProblem, floors, isOlder } from './floors.ts'
import { root } from './root.ts'

type Finding = { state: 'ok' | 'note' | 'broken'; what: string; mend?: string }

const ok = (what: string): Finding => ({ state: 'ok', what })
const note = (what: string, mend?: string): Finding => ({ state: 'note', what, ...(mend && { mend }) })
const broken = (what: string, mend: string): Finding => ({ state: 'broken', what, mend })

function checkProgram(name: 'git' | 'npm', floor: string, without: string): Finding {
  const { status, stdout } = spawnSync(name, ['--version'], { encoding: 'utf8', shell: process.platform === 'win32' })
  const version = /\d+\.\d+\.\d+/.exec(stdout ?? '')?.[0]
  if (status !== 0 || !version) return note(`${name} is not installed`, without)
  return isOlder(version, floor) ? note(`${name} ${version} is older than ${floor}`, without) : ok(`${name} ${version}`)
}

function checkFloors(): Finding {
  const low = Object.keys(floors).flatMap((name) => {
    const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'))
    return floorProblem(name, version, name)
  })
  return low.length > 0
    ? broken('A package is too old', `${low.join('\n')}\nRun "npm ci", or raise it in package.json.`)
    : ok('No package is older than it may be')
}

/** What plinth.json remembers, compared with the folders; without one, this is the template itself. */
function checkModules(): Finding {
  const apps = join(root, 'src', 'app')
  const folders = readdirSync(apps).flatMap((name) => /^\((.+)\)$/.exec(name)?.[1] ?? [])
  const facts = (name: string) => join(apps, `(${name})`, 'module.json')
  const broke = folders.filter((name) => !existsSync(facts(name)))
  if (broke.length > 0) return broken(`src/app/(${broke[0]}) has no module.json`, 'See docs/modules.md.')
  const missing = folders.flatMap((name) => {
    const { requires = [] } = JSON.parse(readFileSync(facts(name), 'utf8')) as { requires?: string[] }
    return requires.filter((required) => !folders.includes(required)).map((required) => `${name} needs ${required}`)
  })
  if (missing.length > 0)
    return broken(`Modules are missing: ${missing.join(', ')}`, 'Add them: npx create-plinth add <module>')
  const file = join(root, 'plinth.json')
  const remembered: string[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).modules : []
  const gone = remembered.filter((name) => !folders.includes(name))
  return gone.length > 0
    ? note(
        `plinth.json names ${gone.join(', ')}, and the folder is not there`,
        'Removed by hand? Take it out of plinth.json as well, or the next upgrade cannot know.',
      )
    : ok(`Modules: ${folders.sort().join(', ') || 'none'}`)
}

function checkPackages(): Finding {
  const { status, stdout } = spawnSync('npm', ['ls', '--depth=0', '--json', '--silent'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  if (status === 0) return ok('Packages are installed as the lockfile says')
  const problems: string[] = JSON.parse(stdout || '{}').problems ?? ['npm could not list them']
  return broken(`Packages are not as they should be: ${problems[0]}`, 'Run "npm ci".')
}

function checkEnvFile(): Finding {
  return existsSync(envFile)
    ? ok('.env is there')
    : note('There is no .env', '"npm run dev" makes one. In production, set the variables in the environment.')
}

async function checkSettings(): Promise<Finding[]> {
  const { importSource } = await import('./source.ts')
  const [{ checkEnv, coreEnv }, { modules }] = await importSource('src/core/env.ts', 'src/modules.ts')
  const owners = [coreEnv, ...modules.flatMap(({ env }: { env?: unknown }) => env ?? [])]
  const now = checkEnv(owners, { ...process.env, NODE_ENV: 'development' })
  const production = checkEnv(owners, { ...process.env, NODE_ENV: 'production' })
  if (now) return [broken('Settings are wrong', now)]
  return [
    ok('Settings are sound for development'),
    production ? note('Production would not start with them', production) : ok('Settings are sound for production'),
  ]
}

function checkPort(): Promise<Finding> {
  const port = Number(process.env.PORT || 3000)
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(
        note(
          `Something answers on port ${port}`,
          `If it is not this app, stop it or start with another port: PORT=${port + 1} npm run dev`,
        ),
      )
    })
    socket.on('error', () => resolve(ok(`Port ${port} is free`)))
  })
}

async function checkOwnPostgres(): Promise<Finding> {
  const { describePostgres } = await import('./postgres.ts')
  try {
    const { version, dataVersion, home } = describePostgres()
    if (dataVersion && Number.parseInt(version, 10) !== Number(dataVersion)) {
      return broken(
        `The data in ${home} is of PostgreSQL ${dataVersion}, and the one from npm is ${version}`,
        `Keep what you need with pg_dump of that version, delete ${home}, and start again.`,
      )
    }
    return ok(
      `PostgreSQL ${version} from npm, ${dataVersion ? `with its data in ${home}` : 'to be set up at the first start'}`,
    )
  } catch (error) {
    return broken('PostgreSQL from npm cannot be used', error instanceof Error ? error.message : String(error))
  }
}

/** Everybody who has read the source knows their addresses. */
async function checkSeeded(client: pg.Client): Promise<Finding> {
  const { seedPeople } = await import('../src/core/db/people.ts')
  const { rows } = await client.query('select email from users where lower(email) = any($1)', [
    seedPeople.map(({ email }) => email),
  ])
  const isElsewhere = process.env.AUTH_URL?.startsWith('https://') ?? false
  if (rows.length === 0) return ok('None of the seeded people is in the database')
  return isElsewhere
    ? broken(
        'The seeded people are in this database, and AUTH_URL is not on this machine',
        'Delete them before anybody else does.',
      )
    : note('The seeded people are in this database', 'A production build does not start with them.')
}

async function checkDatabase(): Promise<Finding[]> {
  const { default: postgres } = await import('pg')
  const { findHistories, migrationStatus, readMigrations } = await import('../src/core/db/migrate.ts')
  if (!process.env.DATABASE_URL) return [await checkOwnPostgres()]
  const client = new postgres.Client({ connectionString: process.env.DATABASE_URL, connectionTimeoutMillis: 3_000 })
  try {
    await client.connect()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return [
      broken(
        `The database in DATABASE_URL does not answer: ${reason}`,
        'Start it, correct the URL, or leave DATABASE_URL empty to use PostgreSQL from npm.',
      ),
    ]
  }
  try {
    const { rows } = await client.query('show server_version')
    const version = Number.parseInt(rows[0].server_version, 10)
    const { pending, changed } = await migrationStatus(client, readMigrations(findHistories(root)))
    return [
      version >= 14
        ? ok(`PostgreSQL ${rows[0].server_version} answers`)
        : broken(`PostgreSQL ${rows[0].server_version} is too old`, 'Use 14 or newer.'),
      changed.length > 0
        ? broken(
            `Changed after they were applied: ${changed.map(({ owner, name }) => `${owner}/${name}`).join(', ')}`,
            'Put the files back and write new migrations instead.',
          )
        : pending.length > 0
          ? broken(`${pending.length} migrations are not applied`, 'Run "npm run db:migrate".')
          : ok('All migrations are applied'),
      ...(pending.length === 0 && changed.length === 0 ? [await checkSeeded(client)] : []),
    ]
  } finally {
    await client.end()
  }
}

const signs = { ok: 'ok    ', note: 'note  ', broken: 'BROKEN' }

/** Says what it finds; true when the app can run. */
export async function examine(): Promise<boolean> {
  loadEnv()
  const findings = [
    ok(`Node ${process.versions.node}`),
    checkProgram('npm', '10.0.0', 'Install a current one.'),
    checkProgram(
      'git',
      '2.38.0',
      'The app runs without; adding, removing and upgrading modules needs git 2.38 or newer.',
    ),
    checkPackages(),
    checkEnvFile(),
  ]
  if (findings.every(({ state }) => state !== 'broken')) findings.push(checkFloors(), checkModules())
  if (findings.every(({ state }) => state !== 'broken')) {
    findings.push(...(await checkSettings()), await checkPort(), ...(await checkDatabase()))
  }
  for (const { state, what, mend } of findings) {
    console.log(`${signs[state]} ${what}`)
    if (mend) console.log(mend.replace(/^/gm, '         '))
  }
  return findings.every(({ state }) => state !== 'broken')
}
