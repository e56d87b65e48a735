// A Redis, its copy, and three Sentinels who watch over both and put the copy in its place.
import { type ChildProcess, spawn } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../scripts/ports.ts'
import { until } from './load.ts'
import { temporaryFolder } from './postgres.ts'

export interface Watched {
  /** As REDIS_URL has it. */
  url: string
  /** Ends the one that is in charge, as a crash would. */
  killFirst(): void
  /** The port of the one that is in charge, if the Sentinels agree. */
  findFirst(): Promise<number>
  stop(): Promise<void>
}

export async function startWatched(): Promise<Watched> {
  const folder = temporaryFolder('sentinel')
  const processes = new Map<number, ChildProcess>()
  const start = async (program: string, lines: (port: number) => string[]) => {
    const port = await freePort()
    const file = join(folder, `${port}.conf`)
    const common = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`]
    writeFileSync(file, `${[...common, ...lines(port)].join('\n')}\n`)
    processes.set(port, spawn(program, [file], { stdio: 'ignore' }))
    return port
  }
  const server = (...lines: string[]) => start('redis-server', () => ['save ""', 'appendonly no', ...lines])
  const first = await server()
  const second = await server(`replicaof 127.0.0.1 ${first}`, 'repl-diskless-sync-delay 0')
  const ask = async (port: number, ...command: [string, ...string[]]) => {
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
  await until('the copy follows', async () => String(await ask(second, 'info')).includes('master_link_status:up'))
  const sentinels: number[] = []
  for (let count = 0; count < 3; count++)
    sentinels.push(
      await start('redis-sentinel', () => [
        `sentinel monitor plinth 127.0.0.1 ${first} 2`,
        'sentinel down-after-milliseconds plinth 1000',
        'sentinel failover-timeout plinth 5000',
      ]),
    )
  const findFirst = async () =>
    Number(((await ask(sentinels[0] ?? 0, 'sentinel', 'get-master-addr-by-name', 'plinth')) as string[])?.[1])
  const knows = async (port: number) => {
    const text = String(await ask(port, 'info', 'sentinel'))
    return text.includes('slaves=1') && text.includes('sentinels=3')
  }
  for (const port of sentinels) await until('the Sentinels know each other', () => knows(port), 30_000)
  return {
    url: `redis+sentinel://${sentinels.map((port) => `127.0.0.1:${port}`).join(',')}/plinth`,
    killFirst: () => void processes.get(first)?.kill('SIGKILL'),
    findFirst,
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
