// A Redis primary, its replica, and three Sentinels that promote the replica when the primary dies.
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findFreePort } from '../../../../scripts/ports.ts'
import { waitUntil } from './load.ts'
import { temporaryFolder } from './postgres.ts'

export interface RedisSentinel {
  /** As used in REDIS_URL. */
  url: string
  /** Kills the primary, like a crash. */
  killPrimary(): void
  /** The port of the current primary, if the Sentinels agree. */
  findPrimary(): Promise<number>
  stop(): Promise<void>
}

export async function startRedisSentinel(): Promise<RedisSentinel> {
  const folder = temporaryFolder('sentinel')
  const processes = new Map<number, ChildProcess>()
  const start = async (program: string, lines: (port: number) => string[]) => {
    const port = await findFreePort()
    const file = join(folder, `${port}.conf`)
    const common = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`]
    writeFileSync(file, `${[...common, ...lines(port)].join('\n')}\n`)
    processes.set(port, spawn(program, [file], { stdio: 'ignore' }))
    return port
  }
  const server = (...lines: string[]) => start('redis-server', () => ['save ""', 'appendonly no', ...lines])
  const primary = await server()
  const replica = await server(`replicaof 127.0.0.1 ${primary}`, 'repl-diskless-sync-delay 0')
  const sendCommand = async (port: number, ...command: [string, ...string[]]) => {
    const client = new Redis({ port, lazyConnect: true, retryStrategy: () => null })
    client.on('error', () => {})
    try {
      await client.connect()
      return await client.call(...command)
    } catch {
      return undefined
    } finally {
      client.disconnect()
    }
  }
  await waitUntil('the replica is connected', async () =>
    String(await sendCommand(replica, 'info')).includes('master_link_status:up'),
  )
  const sentinels: number[] = []
  for (let count = 0; count < 3; count++)
    sentinels.push(
      await start('redis-sentinel', () => [
        `sentinel monitor plinth 127.0.0.1 ${primary} 2`,
        'sentinel down-after-milliseconds plinth 1000',
        'sentinel failover-timeout plinth 5000',
      ]),
    )
  const findPrimary = async () =>
    Number(((await sendCommand(sentinels[0] ?? 0, 'sentinel', 'get-master-addr-by-name', 'plinth')) as string[])?.[1])
  const isReady = async (port: number) => {
    const text = String(await sendCommand(port, 'info', 'sentinel'))
    return text.includes('slaves=1') && text.includes('sentinels=3')
  }
  for (const port of sentinels) await waitUntil('the Sentinels know each other', () => isReady(port), 30_000)
  return {
    url: `redis+sentinel://${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/plinth`,
    killPrimary: () => void processes.get(primary)?.kill('SIGKILL'),
    findPrimary,
    stop: async () => {
      for (const child of processes.values()) {
        const isGone = child.exitCode !== null || child.signalCode !== null
        child.kill('SIGKILL')
        if (!isGone) await new Promise((resolve) => child.once('exit', resolve))
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
