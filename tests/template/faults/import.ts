// Faults of an import of users: a worker that is killed in the middle, and the largest file.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import { submitAction } from '../../app/support/call-action.ts'
import { checkModule } from '../../app/support/checks.ts'
import { call } from '../../app/support/http-client.ts'
import { spawnWorker, startWorkerProcess } from '../../app/support/server.ts'
import { multipart, verdict } from '../../app/support/server-actions.ts'
import type { World } from '../../app/support/test-world.ts'
import { type IsolatedApp, isolatedApp } from '../security/support/isolated-app.ts'
import { addedMemory } from '../security/support/memory.ts'
import { seed } from '../support/rounds.ts'
import { type ChaosProxy, type ProxiedConnection, startChaosProxy } from './support/chaos-proxy.ts'
import { makeCounter } from './support/cut-at-statement.ts'
import { waitUntil } from './support/load.ts'

const bcryptHash = '$2b$10$abcdefghijklmnopqrstuuqMz9ziCy2WVvnIvt/EgXOqOci.LE8uS'

interface Users {
  text: string
  /** Emails of the rows with a hash, and of those without, who are invited. */
  created: string[]
  invited: string[]
}

/** A file of users. Each `invitedEvery`-th has no hash. */
function makeFile(name: string, count: number, invitedEvery: number): Users {
  const rows = Array.from({ length: count }, (_, index) => {
    const isInvited = index % invitedEvery === 0
    return { email: `${name}-${index}@example.com`, isInvited, hash: isInvited ? '' : bcryptHash }
  })
  const emails = (isInvited: boolean) => rows.filter((row) => row.isInvited === isInvited).map(({ email }) => email)
  return {
    text: ['email,name,hash', ...rows.map(({ email, hash }, index) => `${email},User ${index},${hash}`)].join('\n'),
    created: emails(false),
    invited: emails(true),
  }
}

/** An upload by a new admin. `start` confirms it. */
async function upload(world: World, isolated: IsolatedApp, text: string) {
  const [node] = isolated.nodes
  const { jar } = await isolated.addUser('admin')
  const response = await call(node.url, '/api/admin/users/import', {
    method: 'POST',
    jar,
    ...(await multipart([['file', new Blob([text])]])),
  })
  const path = response.headers.location ?? ''
  const id = path.split('/').at(-1) ?? ''
  assert.match(id, /^[\da-f-]{36}$/, `${response.status} ${path}`)
  const start = async () =>
    assert.equal(verdict(await submitAction(world, 'startUserImport', { id }, { jar, node })), `to ${path}`)
  return { id, start }
}

const statusOf = async ({ pool }: IsolatedApp, id: string) => {
  const { rows } = await pool.query('select status, imported, invited, problems from admin_imports where id = $1', [id])
  return rows[0]
}

const workerEnv = (world: World, { nodes, databaseUrl }: IsolatedApp) => ({
  ...world.env,
  DATABASE_URL: databaseUrl,
  AUTH_URL: nodes[0].url,
})

/** Kills a worker at the n-th statement after it has begun to import. That statement may still reach PostgreSQL. */
async function killAtStatement(
  proxy: ChaosProxy,
  env: Record<string, string>,
  point: { at: number; arrives: boolean },
) {
  const counters = new WeakMap<ProxiedConnection, (chunk: Buffer) => number>()
  let hasBegun = false
  let count = 0
  const worker = spawnWorker(env)
  proxy.onSent = (chunk, connection) => {
    const counter = counters.get(connection) ?? makeCounter()
    counters.set(connection, counter)
    const statements = counter(chunk)
    hasBegun ||= chunk.includes('"admin_imports"')
    if (hasBegun) count += statements
    if (count < point.at) return true
    void worker.kill()
    return point.arrives
  }
  const timer = setTimeout(() => void worker.kill(), 60_000)
  await worker.exited
  clearTimeout(timer)
  proxy.onSent = undefined
  assert.ok(
    count >= point.at,
    `the worker sent ${count} statements, not ${point.at}:\n${worker.output().slice(-2_000)}`,
  )
  return worker
}

/** Every row of the file has led to one user or one invitation, and each was recorded once. */
async function assertImportedOnce({ pool }: IsolatedApp, id: string, { created, invited }: Users): Promise<void> {
  const column = async (text: string) =>
    (await pool.query(text, text.includes('$1') ? [id] : [])).rows.flatMap(Object.values)
  assert.deepEqual((await column(`select email from users where email like 'killed-%'`)).sort(), created.toSorted())
  assert.deepEqual(
    (await column(`select email from users join passwords on user_id = id where email like 'killed-%'`)).sort(),
    created.toSorted(),
  )
  const joined = `from audit_events join users on users.id = target_id where kind = 'person.joined' and details->>'import' = $1`
  assert.deepEqual((await column(`select email ${joined}`)).sort(), created.toSorted())
  assert.deepEqual(
    (await column(`select email from admin_invitations where email like 'killed-%'`)).sort(),
    invited.toSorted(),
  )
  const mailed = `from jobs.job join admin_invitations i on i.id::text = data->>'invitationId' where i.email like 'killed-%'`
  assert.deepEqual((await column(`select i.email ${mailed}`)).sort(), invited.toSorted())
  assert.deepEqual(await column('select count(*)::int from admin_import_rows where import_id = $1'), [0])
  const ended = `select count(*)::int from audit_events where kind = 'users.imported' and details->>'import' = $1`
  assert.deepEqual(await column(ended), [1])
}

checkModule(
  'admin',
  'H-396',
  'an import whose worker is killed ten times imports every row exactly once',
  async (world) => {
    const isolated = await isolatedApp(world)
    const users = makeFile('killed', 8_000, 20)
    const { id, start } = await upload(world, isolated, users.text)
    await start()
    const proxy = await startChaosProxy(Number(new URL(isolated.databaseUrl).port || 5432))
    const throughProxy = new URL(isolated.databaseUrl)
    throughProxy.host = `127.0.0.1:${proxy.port}`
    const env = workerEnv(world, isolated)
    const points = fc.sample(fc.noBias(fc.record({ at: fc.integer({ min: 1, max: 250 }), arrives: fc.boolean() })), {
      numRuns: 10,
      seed,
    })
    const progress: string[] = []
    try {
      for (const point of points) {
        world.watchOutput(await killAtStatement(proxy, { ...env, DATABASE_URL: throughProxy.href }, point))
        const { status, imported, invited } = await statusOf(isolated, id)
        assert.equal(status, 'running')
        progress.push(`${point.at}${point.arrives ? '+' : ''}: ${imported + invited}`)
        // What the queue does a minute after a worker died.
        const retried = await isolated.pool.query(
          `update jobs.job set state = 'retry', retry_count = retry_count + 1, start_after = now()
           where name = 'admin.import_users' and state = 'active'`,
        )
        assert.equal(retried.rowCount, 1)
      }
      const worker = await startWorkerProcess(env)
      world.watchOutput(worker)
      await waitUntil('the import is done', async () => (await statusOf(isolated, id)).status === 'done', 120_000)
      await worker.stop()
    } finally {
      await proxy.close()
    }
    const counts = { imported: users.created.length, invited: users.invited.length, problems: 0 }
    assert.deepEqual(await statusOf(isolated, id), { status: 'done', ...counts })
    await assertImportedOnce(isolated, id, users)
    return `seed ${seed}; statement of the kill, and rows imported by then: ${progress.join(', ')}`
  },
  { slowReason: 'takes a minute' },
)

checkModule(
  'admin',
  'H-397',
  'a file of 100,000 users is read and imported with at most 150 MB more memory',
  async (world) => {
    const isolated = await isolatedApp(world)
    const count = 100_000
    const { text, created, invited } = makeFile('many', count, 100)
    // With a small heap, so that garbage is collected: what the import holds is measured.
    const env = { ...workerEnv(world, isolated), NODE_OPTIONS: '--max-old-space-size=160' }
    const worker = await startWorkerProcess(env)
    world.watchOutput(worker)
    let result: Awaited<ReturnType<typeof upload>> | undefined
    const measure = async (pid: number, work: () => Promise<unknown>) => {
      const start = performance.now()
      const memory = await addedMemory(pid, work)
      const rate = Math.round(count / ((performance.now() - start) / 1_000))
      return { memory, text: `${rate} rows/s, +${memory.toFixed(0)} MB` }
    }
    try {
      const read = await measure(isolated.nodes[0].pid, async () => {
        result = await upload(world, isolated, text)
      })
      const { id, start } = result ?? assert.fail()
      const run = await measure(worker.pid, async () => {
        await start()
        await waitUntil('the import is done', async () => (await statusOf(isolated, id)).status === 'done', 900_000)
      })
      const counts = { imported: created.length, invited: invited.length, problems: 0 }
      assert.deepEqual(await statusOf(isolated, id), { status: 'done', ...counts })
      const summary = `read by the node: ${read.text}; imported by the worker: ${run.text}`
      assert.ok(Math.max(read.memory, run.memory) <= 150, summary)
      return summary
    } finally {
      await worker.stop()
    }
  },
  { slowReason: 'takes minutes' },
)
