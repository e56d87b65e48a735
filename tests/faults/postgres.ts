// PostgreSQL servers of our own, from the system's packages: they are stopped, frozen, copied and filled up. Each is in a
// temporary folder, on a port of its own, and runs as somebody who owns nothing else.
import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { freePort } from '../../scripts/ports.ts'

/** The newest of Debian's, or wherever PGBIN says. The one from npm cannot make copies. */
export function postgresPrograms(): string {
  if (process.env.PGBIN) return process.env.PGBIN
  const versions = '/usr/lib/postgresql'
  const newest = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0] : undefined
  if (!newest) throw new Error('PostgreSQL from the system’s packages is needed, or PGBIN')
  return join(versions, newest, 'bin')
}

/** PostgreSQL, and what is around it, refuse to run as root. */
export const unprivileged: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

const run = promisify(execFile)

export async function runProgram(name: string, args: string[]): Promise<string> {
  const { stdout } = await run(join(postgresPrograms(), name), args, { ...unprivileged, cwd: '/', maxBuffer: 2 ** 26 })
  return stdout
}

/** A folder that belongs to whoever PostgreSQL runs as. */
export function ownFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  if (unprivileged.uid !== undefined && unprivileged.gid !== undefined)
    chownSync(path, unprivileged.uid, unprivileged.gid)
  return path
}

export const temporaryFolder = (name: string) => ownFolder(mkdtempSync(join(tmpdir(), `plinth-${name}-`)))

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '32MB',
  log_min_messages: 'fatal',
}
export type Settings = Record<string, string>

const quoted = (values: Settings) =>
  Object.entries(values)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('')

/** One server and its data. Nobody else can reach it, so it asks for no password. */
export class Cluster {
  readonly folder: string
  readonly data: string
  readonly port: number

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.data = join(folder, 'data')
    this.port = port
  }

  /** With nothing in it, and running. */
  static async create(given: Settings = {}, options: string[] = []): Promise<Cluster> {
    const cluster = new Cluster(temporaryFolder('postgres'), await freePort())
    await runProgram('initdb', [
      ...[
        '--pgdata',
        cluster.data,
        '--username',
        'plinth',
        '--auth',
        'trust',
        '--encoding',
        'UTF8',
        '--locale',
        'C.UTF-8',
      ],
      ...['--no-sync', '--data-checksums', ...options],
    ])
    cluster.configure({ ...settings, ...given })
    await cluster.start()
    return cluster
  }

  /** Of a copy of the data of another, which `make` puts there. */
  static async copy(make: (data: string, port: number) => Promise<unknown>): Promise<Cluster> {
    const cluster = new Cluster(temporaryFolder('postgres'), await freePort())
    await make(cluster.data, cluster.port)
    return cluster
  }

  configure(given: Settings): void {
    appendFileSync(join(this.data, 'postgresql.conf'), quoted(given))
  }

  url(database = 'plinth'): string {
    return `postgres://plinth@127.0.0.1:${this.port}/${database}`
  }

  /** A server that was killed may take a moment to mend itself; it is waited for. */
  async start(): Promise<void> {
    const log = join(this.folder, 'log')
    const args = ['start', '--pgdata', this.data, '--wait', '--silent', '--log', log, '--options', `-p ${this.port}`]
    // Its output goes to a file: a pipe would stay open as long as the server runs.
    const { status } = spawnSync(join(postgresPrograms(), 'pg_ctl'), args, {
      ...unprivileged,
      cwd: '/',
      stdio: 'ignore',
    })
    if (status !== 0) throw new Error(`PostgreSQL did not start:\n${readFileSync(log, 'utf8').slice(-1500)}`)
  }

  async stop(mode: 'fast' | 'immediate' = 'fast'): Promise<void> {
    if (!this.isRunning()) return
    await runProgram('pg_ctl', ['stop', '--pgdata', this.data, '--mode', mode, '--silent'])
  }

  async promote(): Promise<void> {
    await runProgram('pg_ctl', ['promote', '--pgdata', this.data, '--wait', '--silent'])
  }

  isRunning(): boolean {
    return existsSync(join(this.data, 'postmaster.pid'))
  }

  /** The server, and every process that it has started. */
  processes(): number[] {
    const server = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0])
    const children = spawnSync('ps', ['--ppid', String(server), '-o', 'pid='], { encoding: 'utf8' }).stdout
    return [server, ...children.split('\n').map(Number).filter(Boolean)]
  }

  /** Everything stands still, as with a disk that hangs. Returns how to let it go on. */
  freeze(): () => void {
    const pids = this.processes()
    for (const pid of pids) process.kill(pid, 'SIGSTOP')
    return () => {
      for (const pid of pids) process.kill(pid, 'SIGCONT')
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  async query(text: string, values: unknown[] = [], database = 'plinth'): Promise<any[]> {
    const client = new pg.Client({ connectionString: this.url(database) })
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }

  async remove(): Promise<void> {
    await this.stop('immediate').catch(() => {})
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** Whether every page of every table and index is sound. */
export function examine(cluster: Cluster): void {
  execFileSync(
    join(postgresPrograms(), 'pg_amcheck'),
    ['--host', '127.0.0.1', '--port', String(cluster.port), '--username', 'plinth', '--install-missing', 'plinth'],
    { stdio: 'pipe' },
  )
}
