// PgBouncer with deploy/pgbouncer.ini, in front of a PostgreSQL server without password authentication.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findFreePort } from '../../../../scripts/ports.ts'
import { root } from '../../../../scripts/root.ts'
import { waitUntil } from './load.ts'
import { temporaryFolder, unprivileged } from './postgres.ts'

export interface Pooler {
  /** URL of the server; the database name is appended. */
  url: string
  /** Runs a PgBouncer admin command, such as PAUSE. */
  command(text: string): Promise<void>
  /** Kills and restarts it. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** In front of the server at that URL, for all its databases. */
export async function startPgBouncer(serverUrl: string): Promise<Pooler> {
  const folder = temporaryFolder('pgbouncer')
  const port = await findFreePort()
  const { hostname, port: serverPort, username, password } = new URL(serverUrl)
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    if (unprivileged.uid !== undefined) chownSync(join(folder, name), unprivileged.uid, unprivileged.gid ?? 0)
  }
  write('users.txt', `"${username}" "${decodeURIComponent(password)}"\n`)
  const overrides: Record<string, string | number> = {
    '*': `host=${hostname} port=${serverPort || 5432}`,
    listen_addr: '127.0.0.1',
    listen_port: port,
    auth_type: 'trust',
    auth_file: join(folder, 'users.txt'),
    // So few that all are always in use.
    default_pool_size: 5,
  }
  const shipped = readFileSync(join(root, 'deploy', 'pgbouncer.ini'), 'utf8')
  const settings = shipped.replaceAll(/^(\S+) = .*$/gm, (line, name) =>
    name in overrides ? `${name} = ${overrides[name]}` : line,
  )
  write('pgbouncer.ini', `${settings}admin_users = ${username}\nlogfile = /dev/null\n`)
  let child: ChildProcess
  const url = `postgres://${username}@127.0.0.1:${port}`
  const command = async (text: string) => {
    const client = new pg.Client({ connectionString: `${url}/pgbouncer` })
    client.on('error', () => {})
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  const start = async () => {
    child = spawn('pgbouncer', [join(folder, 'pgbouncer.ini')], { ...unprivileged, stdio: 'ignore' })
    const isUp = () =>
      command('show version').then(
        () => true,
        () => false,
      )
    await waitUntil('PgBouncer is up', isUp)
  }
  const kill = async () => {
    const exited = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await exited
  }
  await start()
  return {
    url,
    command,
    restart: async () => {
      await kill()
      await start()
    },
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
