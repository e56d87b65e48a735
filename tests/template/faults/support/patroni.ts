// Two PostgreSQL servers managed by Patroni, etcd for leader election, and HAProxy with deploy/haproxy-postgres.cfg.
import { type ChildProcess, spawn } from 'node:child_process'
import { chownSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { findFreePort } from '../../../../scripts/ports.ts'
import { root } from '../../../../scripts/root.ts'
import { waitUntil } from './load.ts'
import { ownFolder, postgresPrograms, runProgram, temporaryFolder, unprivileged } from './postgres.ts'

interface PatroniMember {
  name: string
  port: number
  api: number
  data: string
  file: string
}

const settings = (member: PatroniMember, etcd: number, folder: string) => ({
  scope: 'plinth',
  name: member.name,
  restapi: { listen: `127.0.0.1:${member.api}`, connect_address: `127.0.0.1:${member.api}` },
  etcd3: { host: `127.0.0.1:${etcd}` },
  bootstrap: {
    // A member that is silent for `ttl` seconds is considered dead.
    dcs: { ttl: 10, loop_wait: 2, retry_timeout: 3, synchronous_mode: true, postgresql: { use_pg_rewind: true } },
    initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums', 'no-sync'],
  },
  postgresql: {
    listen: `127.0.0.1:${member.port}`,
    connect_address: `127.0.0.1:${member.port}`,
    data_dir: member.data,
    bin_dir: postgresPrograms(),
    pgpass: join(folder, `${member.name}.pass`),
    authentication: {
      superuser: { username: 'plinth' },
      replication: { username: 'copier' },
      rewind: { username: 'plinth' },
    },
    pg_hba: ['host all all 127.0.0.1/32 trust', 'host replication all 127.0.0.1/32 trust'],
    parameters: { unix_socket_directories: folder, max_connections: 60, shared_buffers: '32MB' },
  },
})

/** The shipped file with these servers instead of its own. */
function withMembers(members: PatroniMember[]): string {
  const lines = readFileSync(join(root, 'deploy', 'haproxy-postgres.cfg'), 'utf8').split('\n')
  const otherLines = lines.filter((line) => !/^\s*server postgres\d/.test(line))
  return `${otherLines.join('\n')}${members
    .map(({ port, api }, index) => `  server postgres${index + 1} 127.0.0.1:${port} check port ${api}\n`)
    .join('')}`
}

export class Patroni {
  readonly url: string
  private readonly folder: string
  private readonly members: PatroniMember[]
  private readonly processes = new Map<string, ChildProcess>()

  private constructor(folder: string, port: number, members: PatroniMember[]) {
    this.folder = folder
    this.members = members
    this.url = `postgres://plinth@127.0.0.1:${port}/plinth`
  }

  static async start(): Promise<Patroni> {
    const folder = temporaryFolder('patroni')
    const [port, etcd, peer] = [await findFreePort(), await findFreePort(), await findFreePort()]
    const members: PatroniMember[] = []
    for (const name of ['one', 'two'])
      members.push({
        name,
        port: await findFreePort(),
        api: await findFreePort(),
        data: join(ownFolder(join(folder, name)), 'data'),
        file: join(folder, `${name}.yml`),
      })
    const patroni = new Patroni(folder, port, members)
    try {
      const [client, peerUrl] = [`http://127.0.0.1:${etcd}`, `http://127.0.0.1:${peer}`]
      patroni.spawnProcess('etcd', 'etcd', [
        ...['--name', 'vote', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `vote=${peerUrl}`],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
      ])
      for (const member of members) {
        // JSON is valid YAML.
        writeFileSync(member.file, JSON.stringify(settings(member, etcd, folder)))
        if (unprivileged.uid !== undefined) chownSync(member.file, unprivileged.uid, unprivileged.gid ?? 0)
      }
      writeFileSync(join(folder, 'haproxy.cfg'), withMembers(members))
      for (const { name } of members) patroni.startMember(name)
      patroni.spawnProcess('haproxy', 'haproxy', ['-db', '-f', join(folder, 'haproxy.cfg')], {
        POSTGRES_BIND: `127.0.0.1:${port}`,
      })
      await waitUntil('both servers are up', () => patroni.isHealthy(), 90_000)
      await waitUntil('writes are accepted', () =>
        patroni.query('create database plinth', 'postgres').then(
          () => true,
          () => false,
        ),
      )
      return patroni
    } catch (error) {
      await patroni.stop()
      throw error
    }
  }

  private spawnProcess(name: string, program: string, args: string[], env: Record<string, string> = {}): void {
    const child = spawn(program, args, {
      ...unprivileged,
      cwd: this.folder,
      env: { ...process.env, HOME: this.folder, ...env },
      stdio: 'ignore',
    })
    this.processes.set(name, child)
  }

  /** Starts a member that was killed. */
  startMember(name: string): void {
    this.spawnProcess(name, 'patroni', [join(this.folder, `${name}.yml`)])
  }

  private async roles(): Promise<Record<string, string>> {
    for (const { api } of this.members) {
      const response = await fetch(`http://127.0.0.1:${api}/cluster`, { signal: AbortSignal.timeout(2_000) }).catch(
        () => null,
      )
      if (!response?.ok) continue
      const { members = [] } = (await response.json()) as { members?: { name: string; role: string; state: string }[] }
      return Object.fromEntries(
        members.filter(({ state }) => /running|streaming/.test(state)).map(({ name, role }) => [name, role]),
      )
    }
    return {}
  }

  /** There is a leader and a synchronous standby. */
  async isHealthy(): Promise<boolean> {
    const roles = Object.values(await this.roles())
    return roles.includes('leader') && roles.includes('sync_standby')
  }

  async leader(): Promise<string> {
    return Object.entries(await this.roles()).find(([, role]) => role === 'leader')?.[0] ?? ''
  }

  /** Kills the leader's PostgreSQL and its Patroni at once. Returns its name. */
  async killLeader(): Promise<string> {
    const name = await this.leader()
    const member = this.members.find((one) => one.name === name)
    if (!member) throw new Error('there is no leader')
    this.processes.get(name)?.kill('SIGKILL')
    process.kill(Number(readFileSync(join(member.data, 'postmaster.pid'), 'utf8').split('\n')[0]), 'SIGKILL')
    return name
  }

  /** Requests a planned switchover to the other member. */
  async switchOver(): Promise<void> {
    const leader = await this.leader()
    const { api } = this.members.find(({ name }) => name === leader) ?? { api: 0 }
    const candidate = this.members.find(({ name }) => name !== leader)?.name
    const body = JSON.stringify({ leader, candidate })
    const response = await fetch(`http://127.0.0.1:${api}/switchover`, { method: 'POST', body })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  }

  // biome-ignore lint/suspicious/noExplicitAny: rows are what the check asked for
  async query(text: string, database = 'plinth'): Promise<any[]> {
    const url = this.url.replace(/\w+$/, database)
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
    client.on('error', () => {})
    await client.connect()
    return client
      .query(text)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  }

  async stop(): Promise<void> {
    for (const child of this.processes.values()) {
      const isGone = child.exitCode !== null || child.signalCode !== null
      child.kill('SIGKILL')
      if (!isGone) await new Promise((resolve) => child.once('exit', resolve))
    }
    for (const { data } of this.members)
      if (existsSync(join(data, 'postmaster.pid')))
        await runProgram('pg_ctl', ['stop', '--pgdata', data, '--mode', 'immediate', '--silent']).catch(() => {})
    rmSync(this.folder, { recursive: true, force: true })
  }
}
