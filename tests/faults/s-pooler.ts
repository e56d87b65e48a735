// S. PgBouncer in transaction mode between the app and PostgreSQL.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { root } from '../../scripts/root.ts'
import { check } from '../hostile/checks.ts'
import { elsewhere, ownServer } from './elsewhere.ts'
import { everyKind, Load, sleep, until } from './load.ts'
import { startPgBouncer } from './pgbouncer.ts'

check(
  'H-305',
  'a pooler that pauses is waited for; one that is started anew costs one more try, and no promise',
  async (world) => {
    const { cluster } = await ownServer(world)
    const pooler = await startPgBouncer(cluster.url(''))
    world.atEndOfGroup(pooler.stop)
    const env = { DATABASE_URL: `${pooler.url}/plinth`, DATABASE_POOLER: 'transaction', WORKER: 'apart' }
    const node = await world.node('pooled', env)
    const here = elsewhere(world, cluster.url(), node)
    const mix = everyKind().filter((kind) => kind !== 'signOut')
    const place = { url: node.url, query: here.query.bind(here) }

    const paused = await Load.start(place, { inFlight: 6, perSecond: 60, mix })
    await paused.reach(60)
    const start = performance.now()
    // It waits for transactions that are under way.
    await pooler.command('PAUSE')
    await sleep(700)
    await pooler.command('RESUME')
    const pause = performance.now() - start
    await paused.reach(paused.attempts.length + 100)
    await paused.stop()
    await paused.assertAllGood()

    const restarted = await Load.start(place, { inFlight: 6, perSecond: 60, mix })
    await restarted.reach(60)
    await pooler.restart()
    const back = await until('it is ready', async () => (await here.get('/api/health/ready')).status === 200)
    await restarted.reach(restarted.attempts.length + 100)
    await restarted.stop()
    // Those that were under way are told to try again, nothing else.
    for (const { kind, status, text } of restarted.failed())
      assert.ok(status === 503 || /"code":"unavailable"/.test(text), `${kind} ${status} ${text.slice(0, 200)}`)
    assert.deepEqual(await restarted.lost(), [])
    const end = restarted.attempts.at(-1)
    assert.ok(end?.isGood, 'it did not recover')
    return `paused for ${pause.toFixed(0)} ms: ${paused.summary()}; restarted: ${restarted.summary()}, ready after ${back.toFixed(0)} ms`
  },
  { long: 'needs PgBouncer' },
)

/** One of the project's own suites, through the pooler. Returns how it ended, and the end of what it said. */
function runSuite(
  file: string,
  args: string[],
  env: Record<string, string>,
): Promise<{ code: number | null; said: string }> {
  const child = spawn(process.execPath, [join(root, file), ...args], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  return new Promise((resolve) => child.once('exit', (code) => resolve({ code, said })))
}

check(
  'H-306',
  'the contract holds through a pooler in transaction mode, row by row',
  async (world) => {
    const { cluster } = await ownServer(world)
    const pooler = await startPgBouncer(cluster.url(''))
    world.atEndOfGroup(pooler.stop)
    const env = { TEST_DATABASE_URL: cluster.url('postgres'), TEST_POOLER_URL: pooler.url }
    const contract = await runSuite('tests/contract/run.ts', [], env)
    const failed = contract.said.split('\n').filter((line) => /✖|not ok/.test(line))
    assert.equal(contract.code, 0, failed.slice(0, 20).join('\n') || contract.said.slice(-2000))
    const count = /(?:ℹ|#) pass (\d+)/.exec(contract.said)?.[1]
    if (!process.env.LONG) return `${count} rows; with LONG=1 groups of the hostile suite as well`
    const hostile = await runSuite('tests/hostile/run.ts', ['C', 'F', 'I', 'P'], env)
    assert.equal(
      hostile.code,
      0,
      hostile.said
        .split('\n')
        .filter((line) => line.includes('FAIL'))
        .join('\n'),
    )
    return `${count} rows, and groups C, F, I and P of the hostile suite`
  },
  { long: 'needs PgBouncer' },
)
