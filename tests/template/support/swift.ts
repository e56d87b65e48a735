// An S3-compatible server: OpenStack Swift, from Debian's package python3-swift.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort } from '../../../scripts/ports.ts'

/** Debian's packages are only for this one. */
const python = '/usr/bin/python3'
const account = { region: 'eu-test-1', key: 'test:tester', secret: 'only-for-tests-0123456789' }

export interface Swift {
  url: string
  region: string
  key: string
  secret: string
  pid: () => number
  /** Sends SIGKILL, like a crash. */
  kill: () => Promise<void>
  /** Starts it again, with its data, at the same URL. */
  restart: () => Promise<void>
  stop: () => Promise<void>
}

export async function startSwift(): Promise<Swift> {
  if (spawnSync(python, ['-c', 'import swift']).status !== 0)
    throw new Error('Swift is not installed. On Debian: apt-get install --no-install-recommends python3-swift')
  const folder = mkdtempSync(join(tmpdir(), 'plinth-swift-'))
  const port = await findFreePort()
  const { region, key, secret } = account
  let child: ChildProcess
  const start = async () => {
    const script = join(import.meta.dirname, 'swift-server.py')
    child = spawn(python, [script, folder, String(port), region, key, secret], { stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    child.stderr?.on('data', (text) => {
      output += text
    })
    await Promise.race([
      child.stdout ? once(child.stdout, 'data') : undefined,
      once(child, 'exit').then(() => Promise.reject(new Error(`Swift did not start:\n${output}`))),
    ])
  }
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  await start()
  return {
    url: `http://127.0.0.1:${port}`,
    ...account,
    pid: () => child.pid ?? 0,
    kill,
    restart: start,
    stop: async () => {
      await kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
