// Our own PostgreSQL servers from the system packages, which checks stop, freeze, copy and fill up. Each has a
// temporary folder and a free port, and runs as an unprivileged user.
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
import { findFreePort } from '../../../../scripts/ports.ts'

/** The newest Debian version, or PGBIN. The npm package has no pg_basebackup. */
export function postgresPrograms(): string {
  if (process.env.PGBIN) return process.env.PGBIN
  const versions = '/usr/lib/postgresql'
  const newest = existsSync(versions) ? readdirSync(versions).sort((a, b) => Number(b) - Number(a))[0] : undefined
  if (!newest) throw new Error('install PostgreSQL from the system packages, or set PGBIN')
  return join(versions, newest, 'bin')
}

/** PostgreSQL and related programs refuse to run as root. */
export const unprivileged: { uid?: number; gid?: number } = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}

const run = promisify(execFile)

export async function runProgram(name: string, args: string[]): Promise<string> {
  const { stdout } = await run(join(postgresPrograms(), name), args, { ...unprivileged, cwd: '/', maxBuffer: 2 ** 26 })
  return stdout
}

/** Creates a folder that belongs to the user PostgreSQL runs as. */
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

const formatSettings = (values: Settings) =>
  Object.entries(values)
    .map(([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`)
    .join('')

/** One server and its data directory. Only this machine can reach it, so it needs no password. */
export class Cluster {
  readonly folder: string
  readonly data: string
  readonly port: number

  private constructor(folder: string, port: number) {
    this.folder = folder
    this.data = join(folder, 'data')
    this.port = port
  }

  /** Creates and starts an empty server. */
  static async create(overrides: Settings = {}, options: string[] = []): Promise<Cluster> {
    const cluster = new Cluster(temporaryFolder('postgres'), await findFreePort())
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
    cluster.configure({ ...settings, ...overrides })
    await cluster.start()
    return cluster
  }

  /** A server on a copy of another's data directory, which `make` creates. */
  static async copy(make: (data: string, port: number) => Promise<unknown>): Promise<Cluster> {
    const cluster = new Cluster(temporaryFolder('postgres'), await findFreePort())
    await make(cluster.data, cluster.port)
    return cluster
  }

  configure(overrides: Settings): void {
    appendFileSync(join(this.data, 'postgresql.conf'), formatSettings(overrides))
  }

  url(database = 'plinth'): string {
    return `postgres://plinth@127.0.0.1:${this.port}/${database}`
  }

  /** Waits until a server that was killed has finished recovery. */
  async start(): Promise<void> {
    const log = join(this.folder, 'log')
    const args = ['start', '--pgdata', this.data, '--wait', '--silent', '--log', log, '--options', `-p ${this.port}`]
    // The output goes to a file: a pipe would stay open as long as the server runs.
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

  /** The pids of the server and of all its child processes. */
  processes(): number[] {
    const server = Number(readFileSync(join(this.data, 'postmaster.pid'), 'utf8').split('\n')[0])
    const children = spawnSync('ps', ['--ppid', String(server), '-o', 'pid='], { encoding: 'utf8' }).stdout
    return [server, ...children.split('\n').map(Number).filter(Boolean)]
  }

  /** Stops all its processes, like a hanging disk. Returns a function that resumes them. */
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

/** Verifies every page of every table and index with pg_amcheck. */
export function verifyTables(cluster: Cluster): void {
  execFileSync(
    join(postgresPrograms(), 'pg_amcheck'),
    ['--host', '127.0.0.1', '--port', String(cluster.port), '--username', 'plinth', '--install-missing', 'plinth'],
    { stdio: 'pipe' },
  )
}
