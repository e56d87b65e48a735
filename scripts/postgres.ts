// A PostgreSQL from npm, for development and tests on a machine without one. Its data is in .data/postgres; that of tests is in
// .data/test-postgres.
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { findFreePort } from './ports.ts'
import { findInstallation, type Installation, type Purpose, runAs } from './postgres-installation.ts'

function run(command: string, args: string[], options: SpawnOptions = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      ...runAs,
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
      windowsHide: true,
      ...options,
    })
    let errorOutput = ''
    child.stderr?.on('data', (text) => {
      errorOutput += text
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${basename(command)} failed: ${errorOutput.trim()}`)),
    )
  })
}

function giveToServerUser(path: string): void {
  if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(path, runAs.uid, runAs.gid)
}

/** Databases of tests need not survive a crash of the machine: creating and dropping one takes 60 ms instead of 800. */
const testSettings = ['fsync = off', 'full_page_writes = off']

/** Created in a temporary folder and then renamed, so that two first starts at the same time do not collide. */
async function createCluster({ native, home }: Installation, moreSettings: string[] = []): Promise<void> {
  const temporaryHome = `${home}-${process.pid}`
  mkdirSync(dirname(home), { recursive: true })
  mkdirSync(temporaryHome, { mode: 0o700 })
  giveToServerUser(temporaryHome)
  const passwordFile = join(temporaryHome, 'password')
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  giveToServerUser(passwordFile)
  await run(join(native, 'bin', 'initdb'), [
    ...[
      '--pgdata',
      join(temporaryHome, 'data'),
      '--username',
      'plinth',
      '--pwfile',
      passwordFile,
      '--auth',
      'scram-sha-256',
      // The password is random and long. Hashing it 4,096 times would only make every connection slower.
      '--set',
      'scram_iterations=1',
    ],
    // The builtin locale provider, so that no locale of the system is needed.
    ...[
      '--encoding',
      'UTF8',
      '--locale',
      'C',
      '--locale-provider',
      'builtin',
      '--builtin-locale',
      'C.UTF-8',
      '--no-sync',
    ],
  ])
  const settings = [
    "listen_addresses = '127.0.0.1'",
    "unix_socket_directories = ''",
    'synchronous_commit = off',
    'max_connections = 200',
    ...moreSettings,
    '',
  ]
  appendFileSync(join(temporaryHome, 'data', 'postgresql.conf'), settings.join('\n'))
  try {
    renameSync(temporaryHome, home)
  } catch {
    rmSync(temporaryHome, { recursive: true })
  }
}

/** The URL of the server that already runs on this data folder, if there is one. */
async function findRunning({ home }: Installation): Promise<string | undefined> {
  const pidFile = join(home, 'data', 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const port = Number(readFileSync(pidFile, 'utf8').split('\n')[3])
  const url = urlOf(home, port, 'postgres')
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 15_000 })
  try {
    await client.connect()
    const { rows } = await client.query('show data_directory')
    return realpathSync(rows[0].data_directory) === realpathSync(join(home, 'data')) ? url : undefined
  } catch {
    return
  } finally {
    await client.end().catch(() => {})
  }
}

function urlOf(home: string, port: number, database: string): string {
  return `postgres://plinth:${readFileSync(join(home, 'password'), 'utf8').trim()}@127.0.0.1:${port}/${database}`
}

async function createDatabase(serverUrl: string, name: string): Promise<string> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name])
    if (rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return url.href
}

/**
 * Every process that uses the server holds one connection with this name; the last one to exit stops the server. So tests
 * can run beside `npm run dev`, in any order.
 */
const leaseName = 'plinth lease'

async function acquireLease(
  url: string,
  stopServer: () => Promise<void>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url, application_name: leaseName })
  client.on('error', () => {}) // the server was stopped manually
  await client.connect()
  const stop = async () => {
    const others = await client
      .query('select from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()', [leaseName])
      .catch(() => undefined)
    await client.end().catch(() => {})
    if (others?.rowCount === 0) await stopServer()
  }
  return { url: await createDatabase(url, 'plinth'), stop }
}

/** Functions to start and stop the server of this data folder. */
function serverOn({ native, home }: Installation, port: number) {
  const control = join(native, 'bin', 'pg_ctl')
  const data = ['--pgdata', join(home, 'data')]
  const logFile = join(home, 'log')
  return {
    url: urlOf(home, port, 'postgres'),
    logFile,
    start: async () => {
      closeSync(openSync(logFile, 'a'))
      giveToServerUser(logFile)
      // Output goes to a file, because a pipe would stay open as long as the server runs.
      await run(control, ['start', ...data, '--wait', '--silent', '--log', logFile, '--options', `-p ${port}`], {
        stdio: 'ignore',
      })
    },
    stop: () => run(control, ['stop', ...data, '--mode', 'fast', '--silent']),
  }
}

/** Starts the server unless it is already running. */
export async function startPostgres(
  purpose: Purpose = 'development',
): Promise<{ url: string; stop: () => Promise<void> }> {
  const installation = findInstallation(purpose)
  if (!existsSync(join(installation.home, 'data', 'PG_VERSION')))
    await createCluster(installation, purpose === 'tests' ? testSettings : [])

  const server = serverOn(installation, await findFreePort())
  const running = await findRunning(installation)
  if (running) return acquireLease(running, server.stop)
  try {
    await server.start()
  } catch (cause) {
    // Another process may have started it at the same time.
    const other = await findRunning(installation)
    if (other) return acquireLease(other, server.stop)
    const last = readFileSync(server.logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
    throw new Error(`PostgreSQL didn’t start. The end of ${server.logFile}:\n${last}`, { cause })
  }
  if (purpose === 'tests') await dropTestDatabases(server.url)
  return acquireLease(server.url, server.stop)
}

/** Drops what tests that were killed have left. Nobody uses the server yet. */
async function dropTestDatabases(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ datname: string }>(
    "select datname from pg_database where datname like 'plinth\\_test\\_%'",
  )
  for (const { datname } of rows) await client.query(`drop database if exists ${client.escapeIdentifier(datname)}`)
  await client.end()
}

/** A separate server with its data in a new folder, for tests that stop it. It is not started yet. */
export async function createServer(
  home: string,
): Promise<{ url: string; start: () => Promise<void>; stop: () => Promise<void> }> {
  const installation = { native: findInstallation().native, home }
  await createCluster(installation)
  return serverOn(installation, await findFreePort())
}

/** For the doctor: the version of the server, and the version of the data if there is any. Starts nothing. */
export function describePostgres(): { version: string; dataVersion: string | undefined; home: string } {
  const { native, home } = findInstallation()
  const { stdout, stderr } = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' })
  const version = /(\d+(\.\d+)*)/.exec(stdout ?? '')?.[1]
  if (!version)
    throw new Error(`The server doesn’t run on this machine: ${stderr?.trim()}. Set DATABASE_URL to your own server.`)
  const versionFile = join(home, 'data', 'PG_VERSION')
  return { version, dataVersion: existsSync(versionFile) ? readFileSync(versionFile, 'utf8').trim() : undefined, home }
}
