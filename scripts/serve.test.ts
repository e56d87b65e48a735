import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../tests/app/support/temporary-folder.ts'
import { endLeftOver, recordServer } from './left-over.ts'
import { root } from './root.ts'
import { watchApp } from './watch-app.ts'

describe('a database that cannot be used is explained without a stack trace', () => {
  test.each([
    [
      'nothing listens there',
      'postgres://ada:secret@127.0.0.1:1/shop',
      /Can’t connect to the database in DATABASE_URL: nothing listens there/,
    ],
    ['a garbled URL', 'postgres://ada:secret@127.0.0.1:port/shop', /DATABASE_URL isn’t a URL/],
  ])('%s', (_, url, words) => {
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts', 'db.ts'), 'status'], {
      encoding: 'utf8',
      env: { ...process.env, DATABASE_URL: url, NO_COLOR: '1' },
    })
    expect(status).toBe(1)
    expect(stderr).toMatch(words)
    expect(stderr).toMatch(/leave DATABASE_URL empty/)
    expect(stderr).not.toMatch(/^ +at |secret/m)
  })
})

describe('while "npm run dev" runs', () => {
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })

  test('a changed package and a new module are noticed, once each, but not an empty file', async () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'src', 'app', '(shop)'), { recursive: true })
    mkdirSync(join(folder, 'node_modules'))
    const reasons: string[] = []
    stops.push(watchApp((reason) => reasons.push(reason), { folder, everyMs: 20 }))
    const moduleFile = join(folder, 'src', 'app', '(shop)', 'module.ts')
    writeFileSync(moduleFile, '')
    writeFileSync(join(folder, 'node_modules', '.package-lock.json'), '{}')
    await expect.poll(() => reasons, { timeout: 30_000 }).toEqual(['Packages have changed'])
    writeFileSync(moduleFile, 'export default {}')
    await expect.poll(() => reasons, { timeout: 30_000 }).toEqual(['Packages have changed', 'Modules have changed'])
  })
})

describe.skipIf(process.platform === 'win32')('a server that a killed "npm run dev" has left', () => {
  /** A process that looks like Next of that folder. */
  const startServer = (folder: string): ChildProcess =>
    spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)', join(folder, 'node_modules', 'next')])
  const exited = (child: ChildProcess) =>
    new Promise<NodeJS.Signals | null>((resolve) => child.once('exit', (_, signal) => resolve(signal)))
  /** The number of a process that has ended. */
  const deadPid = () => spawnSync(process.execPath, ['-e', '']).pid

  test('is ended by the next start', async () => {
    const folder = temporaryFolder()
    const server = startServer(folder)
    const end = exited(server)
    recordServer(server.pid ?? 0, { folder, parent: deadPid() })
    await endLeftOver(folder)
    expect(await end).toBe('SIGTERM')
  })

  test('is left alone while its parent runs, and if the number now belongs to another process', async () => {
    const folder = temporaryFolder()
    const [own, other] = [startServer(folder), startServer('/another/app')]
    try {
      recordServer(own.pid ?? 0, { folder })
      await endLeftOver(folder)
      recordServer(other.pid ?? 0, { folder, parent: deadPid() })
      await endLeftOver(folder)
      expect([own.exitCode, own.signalCode, other.exitCode, other.signalCode]).toEqual([null, null, null, null])
    } finally {
      own.kill()
      other.kill()
    }
  })
})
