// PgBouncer in transaction mode between the app and PostgreSQL.

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../../../scripts/root.ts'
import { check } from '../../app/support/checks.ts'
import type { World } from '../../app/support/test-world.ts'
import { everyKind, Load, waitUntil } from './support/load.ts'
import { ownServer, withDatabase } from './support/own-server.ts'
import { startPgBouncer } from './support/pgbouncer.ts'

async function pooled(world: World) {
  const { cluster } = await ownServer(world)
  const pooler = await startPgBouncer(cluster.url(''))
  world.atEndOfGroup(pooler.stop)
  return { cluster, pooler }
}

check(
  'H-305',
  'requests wait for a paused pooler; a restarted one costs a retry, and no confirmed write',
  async (world) => {
    const { cluster, pooler } = await pooled(world)
    const env = { DATABASE_URL: `${pooler.url}/plinth`, DATABASE_POOLER: 'transaction', WORKER: 'apart' }
    const node = await world.node('pooled', env)
    const here = withDatabase(world, cluster.url(), node)
    const mix = everyKind().filter((kind) => kind !== 'signOut')
    const target = { url: node.url, query: here.query.bind(here) }

    const paused = await Load.start(target, { inFlight: 6, perSecond: 60, mix })
    await paused.waitForCount(60)
    const start = performance.now()
    // PAUSE waits for running transactions.
    await pooler.command('PAUSE')
    await sleep(700)
    await pooler.command('RESUME')
    const pause = performance.now() - start
    await paused.waitForCount(paused.attempts.length + 100)
    await paused.stop()
    await paused.assertAllGood()

    const restarted = await Load.start(target, { inFlight: 6, perSecond: 60, mix })
    await restarted.waitForCount(60)
    await pooler.restart()
    const back = await waitUntil('it is ready', async () => (await here.get('/api/health/ready')).status === 200)
    await restarted.waitForCount(restarted.attempts.length + 100)
    await restarted.stop()
    // Requests that were in progress get 503, nothing else.
    for (const { kind, status, text } of restarted.failed())
      assert.ok(status === 503 || /"code":"unavailable"/.test(text), `${kind} ${status} ${text.slice(0, 200)}`)
    assert.deepEqual(await restarted.findLostWrites(), [])
    const end = restarted.attempts.at(-1)
    assert.ok(end?.isSuccess, 'it did not recover')
    return `paused for ${pause.toFixed(0)} ms: ${paused.summary()}; restarted: ${restarted.summary()}, ready after ${back.toFixed(0)} ms`
  },
  { slowReason: 'needs PgBouncer' },
)

/** Runs one of the project's own suites through the pooler. Returns its exit code and output. */
function runSuite(
  file: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, output })))
}

check(
  'H-306',
  'the API contract tests pass through a pooler in transaction mode',
  async (world) => {
    const { cluster, pooler } = await pooled(world)
    const env = { TEST_DATABASE_URL: cluster.url('postgres'), TEST_POOLER_URL: pooler.url }
    const contract = await runSuite('tests/app/contract/run.ts', [], env)
    const failed = contract.output.split('\n').filter((line) => /✖|not ok/.test(line))
    assert.equal(contract.code, 0, failed.slice(0, 20).join('\n') || contract.output.slice(-2000))
    const count = /(?:ℹ|#) pass (\d+)/.exec(contract.output)?.[1]
    if (!process.env.LONG) return `${count} rows; with LONG=1 groups of the security suite as well`
    const security = await runSuite(
      'tests/template/security/run.ts',
      ['sign-in-input', 'sessions', 'bearer-tokens', 'concurrency'],
      env,
    )
    assert.equal(
      security.code,
      0,
      security.output
        .split('\n')
        .filter((line) => line.includes('FAIL'))
        .join('\n'),
    )
    return `${count} rows, and four groups of the security suite`
  },
  { slowReason: 'needs PgBouncer' },
)
