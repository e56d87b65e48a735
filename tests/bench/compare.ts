// That asking costs the same in a large table as in a small one. Each database has a process of its own, because the app
// opens one pool, and is asked for one call at a time in turn, so that whatever else the machine does disturbs all of them
// alike. A second process on the small database shows how far two equal ones are apart.
import { type ChildProcess, fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createDatabase, dropDatabase, findServer, runDb } from '../support/database.ts'

const warmUp = 20
/** With 200, the p95 of one of eight measurements was past the limit by chance on a busy machine. */
const calls = 600
/**
 * A p95 may be so many times that of the small table. But two equal processes on a busy machine differ by half of a
 * millisecond as well: less than that says nothing, whatever the ratio.
 */
const most = { ratio: 1.5, apart: 0.5 }

interface Answer {
  ms: number
  rows: number
  plan?: string
}
type Question = { shape: number; turn: number; isExplained?: boolean }

export interface Bench {
  /** Its file: run once more for each process. */
  file: string
  /** Of what there are few or many. */
  noun: string
  /** How many in the small table, and in the large one unless the command says another number. */
  counts: [number, number]
  shapes: {
    name: string
    /** Its plan is shown. */
    isShown?: true
    /** Finds more in a larger table, up to where counting ends: its cost is told, not judged. */
    isMore?: true
  }[]
  fill(client: pg.Client, count: number): Promise<void>
  /** In the process that holds the app's own pool: makes the call for a shape and a turn. It returns how many it found. */
  open(pool: () => pg.Pool): Promise<(shape: number, turn: number) => () => Promise<number>>
  /** What else is measured, in each of the two databases. */
  after?(onEach: (work: (client: pg.Client, count: number) => Promise<void>) => Promise<void>): Promise<void>
}

/** Time is taken here, so that the way to this process does not count. */
async function answer(bench: Bench): Promise<void> {
  const poolOf = () => (globalThis as unknown as { plinthPool: pg.Pool }).plinthPool
  const callFor = await bench.open(poolOf)
  const pool = poolOf()

  /** The plan of the first statement that the call makes. */
  async function explain(call: () => Promise<unknown>): Promise<string> {
    const query = pool.query
    let statement: unknown[] | undefined
    pool.query = ((...given: unknown[]) => {
      statement ??= given
      return query.apply(pool, given as never)
    }) as typeof query
    await call()
    pool.query = query
    const [{ text }, values] = statement as [{ text: string }, unknown[]]
    const options = 'analyze, buffers, costs off, timing off, summary off'
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(`explain (${options}) ${text}`, values)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  process.on('message', async ({ shape, turn, isExplained }: Question) => {
    const call = callFor(shape, turn)
    const start = performance.now()
    const rows = await call()
    const ms = performance.now() - start
    process.send?.({ ms, rows, ...(isExplained && { plan: await explain(call) }) } satisfies Answer)
  })
  // Not by a signal: it would leave behind what importSource made.
  process.once('disconnect', () => process.exit())
  process.send?.('ready')
}

/** What the next message says. A process that ends instead ends the run; it has said why. */
const messageOf = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    const end = () => reject(new Error('a process ended before it answered'))
    child.once('exit', end)
    child.once('message', (message) => {
      child.off('exit', end)
      resolve(message as T)
    })
  })

function ask(child: ChildProcess, question: Question): Promise<Answer> {
  const answered = messageOf<Answer>(child)
  child.send(question)
  return answered
}

async function startProcess({ file }: Bench, url: string): Promise<ChildProcess> {
  const child = fork(file, ['--answer'], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'silent',
      DATABASE_URL: url,
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    },
  })
  await messageOf(child)
  return child
}

interface Figures {
  p50: number
  p95: number
  rows: number
}

function figuresOf(answers: Answer[]): Figures {
  const times = answers.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0
  const rows = answers.reduce((sum, answer) => sum + answer.rows, 0) / answers.length
  return { p50: at(0.5), p95: at(0.95), rows: Math.round(rows) }
}

/** Asks all of them in turn. Whoever comes first finds the processor's caches in another state, so each does. */
async function measure(children: ChildProcess[], shape: number): Promise<Figures[]> {
  const results = children.map((child) => ({ child, answers: [] as Answer[] }))
  for (let turn = 0; turn < warmUp + calls; turn++) {
    const start = turn % results.length
    for (const { child, answers } of [...results.slice(start), ...results.slice(0, start)]) {
      const answered = await ask(child, { shape, turn })
      if (turn >= warmUp) answers.push(answered)
    }
  }
  return results.map(({ answers }) => figuresOf(answers))
}

/** Prints a table as Markdown has it. Returns the names of the shapes that cost more in the larger table. */
async function compare({ shapes }: Bench, children: ChildProcess[]): Promise<string[]> {
  const head = ['', 'rows', 'small p50', 'p95', 'large p50', 'p95', 'p95 large/small', 'small/small']
  console.log(`\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`)
  const slower: string[] = []
  const noise: number[] = []
  for (const [shape, { name, isMore }] of shapes.entries()) {
    const [small, twin, large] = (await measure(children, shape)) as [Figures, Figures, Figures]
    const ratio = large.p95 / small.p95
    noise.push(twin.p95 / small.p95)
    const times = [small.p50, small.p95, large.p50, large.p95].map((ms) => ms.toFixed(2))
    const ratios = [ratio, twin.p95 / small.p95].map((value) => value.toFixed(2))
    console.log(`| ${[name, `${small.rows}, ${large.rows}`, ...times, ...ratios].join(' | ')} |`)
    if (!isMore && ratio > most.ratio && large.p95 - small.p95 > most.apart) slower.push(name)
  }
  const [least, greatest] = [Math.min(...noise), Math.max(...noise)].map((value) => value.toFixed(2))
  console.log(`\nThe p95 of two processes on the small database: ${least} to ${greatest} of one another.`)
  return slower
}

async function showPlans({ shapes }: Bench, child: ChildProcess): Promise<void> {
  for (const [shape, { name, isShown }] of shapes.entries()) {
    if (!isShown) continue
    const { plan } = await ask(child, { shape, turn: 0, isExplained: true })
    console.log(`\n${name}\n${plan}`)
  }
}

async function run(bench: Bench): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { keep: { type: 'boolean' }, use: { type: 'string', multiple: true } },
  })
  const counts = [bench.counts[0], Number(positionals[0] ?? bench.counts[1])]
  const server = await findServer()
  const made: { url: string; name: string }[] = []
  const children: ChildProcess[] = []
  const clean = async () => {
    for (const child of children) if (child.connected) child.disconnect()
    for (const { name, url } of made) {
      if (values.keep) console.log(`Kept: --use ${url}`)
      else await dropDatabase(server.url, name)
    }
    await server.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => clean().finally(() => process.exit(1)))

  const onDatabase = async <T>(url: string, work: (client: pg.Client) => Promise<T>) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return work(client).finally(() => client.end())
  }
  try {
    const urls = values.use ?? []
    for (const count of values.use ? [] : counts) {
      const database = await createDatabase(server.url)
      made.push(database)
      runDb('migrate', database.url)
      const start = performance.now()
      await onDatabase(database.url, (client) => bench.fill(client, count))
      console.log(`${count} ${bench.noun}, made in ${((performance.now() - start) / 1000).toFixed(0)} seconds`)
      urls.push(database.url)
    }
    const [small, large] = urls as [string, string]
    for (const url of [small, small, large]) children.push(await startProcess(bench, url))
    const slower = await compare(bench, children)
    await showPlans(bench, children[2] as ChildProcess)
    await bench.after?.(async (work) => {
      for (const [index, url] of urls.entries()) await onDatabase(url, (client) => work(client, counts[index] ?? 0))
    })
    for (const name of slower) console.error(`Costs more in the larger table: ${name}`)
    if (slower.length > 0) process.exitCode = 1
  } finally {
    await clean()
  }
}

/** [-- 200000] [--keep] [--use url --use url] */
export const compareSizes = (bench: Bench) => (process.argv.includes('--answer') ? answer(bench) : run(bench))
