// A process that works in many scopes at once through a pooler, with the app's own functions. Started by ../scopes.ts, which sends
// it who is a member of what, and gets back what went wrong.
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { importSource } from '../../../../scripts/import-source.ts'

export interface Scene {
  organizations: { id: string; slug: string }[]
  users: { id: string; scopeIds: string[] }[]
  seed: number
  turns: number
}

export interface Report {
  /** Rows of another scope, or a role or a scope that was left on a connection. */
  leaks: string[]
  /** How often each kind of work was done. */
  counts: Record<string, number>
  /** How many connections of the server did all of it. */
  connections: number
}

const kinds = ['read', 'readTwice', 'write', 'writeAll', 'fail', 'abandon', 'outside'] as const
type Kind = (typeof kinds)[number] | 'outsider'

/** The same numbers each time. */
function makeRandom(seed: number) {
  let state = seed % 2_147_483_648
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

// Without any condition: only row-level security keeps the rows of others away.
const everyRow = sql`select scope_id as scope, pg_backend_pid() as pid from organizations_invitations`
const addRow = (slug: string) =>
  sql`insert into organizations_invitations (email, role) values (${`${crypto.randomUUID()}@${slug}.example.com`}, 'viewer')`
const stateOfConnection = sql`select current_user = session_user as is_own, pg_backend_pid() as pid,
  coalesce(current_setting('app.scope_id', true), '') as scope, (select count(distinct scope_id)::int from organizations_invitations) as scopes`

async function loadApp() {
  const [scoped, client, check, queue, jobs, worker] = await importSource(
    'src/core/db/scoped.ts',
    'src/core/db/client.ts',
    'src/core/db/tenant-check.ts',
    'src/core/jobs/queue.ts',
    'src/core/jobs/job.ts',
    'src/core/jobs/worker.ts',
  )
  return { ...scoped, ...client, ...check, ...queue, ...jobs, ...worker }
}

/** Keeps what the work finds. */
function makeReport(scene: Scene) {
  const report: Report = { leaks: [], counts: {}, connections: 0 }
  const pids = new Set<number>()
  return {
    count: (kind: string) => {
      report.counts[kind] = (report.counts[kind] ?? 0) + 1
    },
    leak: (text: string) => report.leaks.push(text),
    /** Every scope has rows, so none is as wrong as one of another scope. */
    inspect: (what: string, scopeId: string, { rows }: { rows: { scope: string; pid: number }[] }) => {
      for (const { pid } of rows) pids.add(pid)
      const foreign = rows.filter(({ scope }) => scope !== scopeId)
      if (foreign.length > 0 || rows.length === 0)
        report.leaks.push(`${what}: ${foreign.length} of ${rows.length} rows`)
    },
    inspectOutside: ({ rows }: { rows: { is_own: boolean; scope: string; scopes: number; pid: number }[] }) => {
      const [state] = rows
      if (state) pids.add(state.pid)
      if (!state?.is_own || state.scope !== '' || state.scopes !== scene.organizations.length)
        report.leaks.push(`left on a connection: ${JSON.stringify(state)}`)
    },
    finish: (): Report => ({ ...report, connections: pids.size }),
  }
}

/** Twenty at a time, on as many connections to the pooler. */
async function workInScopes(scene: Scene): Promise<Report> {
  const { inScope, readInScope, acrossScopes, db } = await loadApp()
  const random = makeRandom(scene.seed)
  const report = makeReport(scene)
  const pick = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item

  async function turn(): Promise<void> {
    const user = pick(scene.users)
    // One turn in four may be that of an outsider.
    const isAnywhere = random(4) === 0
    const organization = pick(scene.organizations.filter(({ id }) => isAnywhere || user.scopeIds.includes(id)))
    const isMember = user.scopeIds.includes(organization.id)
    const chosen = pick(kinds)
    const kind: Kind = isMember || chosen === 'outside' ? chosen : 'outsider'
    const scope = { ...organization, name: organization.slug, role: 'editor' }
    const member = { id: user.id, scope }
    const inspect = (rows: never) => report.inspect(kind, organization.id, rows)
    const pause = () => new Promise((resolve) => setTimeout(resolve, random(4)))
    // biome-ignore lint/suspicious/noExplicitAny: the transaction of the bundled app
    type Tx = any
    const works: Record<Kind, () => Promise<unknown>> = {
      read: async () => inspect((await readInScope(member, (source: Tx) => [source.execute(everyRow)]))[0] as never),
      readTwice: () =>
        inScope(member, async (tx: Tx) => {
          inspect((await tx.execute(everyRow)) as never)
          await pause()
          inspect((await tx.execute(everyRow)) as never)
        }),
      write: () => inScope(member, (tx: Tx) => tx.execute(addRow(organization.slug))),
      // Every row that it can change says who did, for the parent to compare.
      writeAll: () =>
        inScope(member, (tx: Tx) => tx.execute(sql`update organizations_invitations set invited_by = ${user.id}`)),
      fail: () =>
        inScope(member, async (tx: Tx) => {
          await tx.execute(addRow('failed'))
          await tx.execute(sql`select 1 / 0`)
        }).catch((error: { cause?: { code?: string } }) => {
          if (error.cause?.code !== '22012') throw error
        }),
      abandon: () =>
        inScope(member, async (tx: Tx) => {
          await tx.execute(addRow('abandoned'))
          throw new Error('abandoned')
        }).catch((error: Error) => {
          if (error.message !== 'abandoned') throw error
        }),
      outside: () => acrossScopes('a test', async () => report.inspectOutside(await db.execute(stateOfConnection))),
      outsider: async () => {
        const seen: number[] = []
        const entered = inScope(member, async (tx: Tx) => seen.push((await tx.execute(everyRow)).rows.length))
        const code = await entered.then(
          () => 'entered',
          (error: { code?: string }) => error.code,
        )
        if (code !== 'not_found' || seen.some((count) => count > 0)) report.leak(`an outsider: ${code}, ${seen} rows`)
      },
    }
    await works[kind]()
    report.count(kind)
  }

  let left = scene.turns
  const loop = async () => {
    while (left-- > 0) await turn()
  }
  await Promise.all(Array.from({ length: 20 }, loop))
  for (let index = 0; index < 40; index++)
    await acrossScopes('a test', async () => report.inspectOutside(await db.execute(stateOfConnection)))
  return report.finish()
}

/** Enqueues jobs in scopes, half of them in transactions that fail, and works on them in the same process. */
async function workOnJobs(scene: Scene): Promise<Report> {
  const { inScope, inScopeAsApp, acrossScopes, db, enqueue, defineJob, startWorker } = await loadApp()
  const report = makeReport(scene)
  const done = new Set<string>()
  const job = defineJob('test.scoped', {
    data: z.object({ scopeId: z.uuid(), slug: z.string(), key: z.string() }),
    run: async ({ scopeId, slug, key }: { scopeId: string; slug: string; key: string }) => {
      // biome-ignore lint/suspicious/noExplicitAny: the transaction of the bundled app
      await inScopeAsApp(scopeId, async (tx: any) => {
        report.inspect('job', scopeId, await tx.execute(everyRow))
        await tx.execute(addRow(slug))
      })
      await acrossScopes('a test', async () => report.inspectOutside(await db.execute(stateOfConnection)))
      if (key.startsWith('failed')) report.leak(`a job of a failed transaction: ${key}`)
      done.add(key)
      report.count('job')
    },
  })
  const worker = startWorker([job])
  // The first call in a process opens the queue on a connection of its own, and here the transactions may hold all of them.
  const [{ id, slug }] = scene.organizations as [Scene['organizations'][number]]
  await enqueue(db, job, { scopeId: id, slug, key: 'first' })
  const expected = ['first']
  await Promise.all(
    scene.users.map(async ({ id, scopeIds: [scopeId = ''] }, index) => {
      const organization = scene.organizations.find((one) => one.id === scopeId)
      const scope = { ...organization, name: '', role: 'editor' }
      const isFailing = index % 3 === 0
      const data = { scopeId, slug: organization?.slug, key: `${isFailing ? 'failed' : 'done'} ${index}` }
      if (!isFailing) expected.push(data.key)
      // biome-ignore lint/suspicious/noExplicitAny: the transaction of the bundled app
      const work = inScope({ id, scope }, async (tx: any) => {
        await enqueue(tx, job, data)
        if (isFailing) throw new Error('failed on purpose')
        report.inspect('enqueue', scopeId, await tx.execute(everyRow))
      })
      await work.catch((error: Error) => {
        if (error.message !== 'failed on purpose') throw error
      })
    }),
  )
  for (const deadline = Date.now() + 60_000; done.size < expected.length && Date.now() < deadline; )
    await new Promise((resolve) => setTimeout(resolve, 100))
  for (const key of expected) if (!done.has(key)) report.leak(`not worked on: ${key}`)
  await worker.stop()
  return report.finish()
}

process.once('message', async (scene: Scene) => {
  const report = await (process.argv[2] === 'jobs' ? workOnJobs(scene) : workInScopes(scene))
  process.send?.(report, () => process.exit())
})
