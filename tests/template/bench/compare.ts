// Checks that queries cost the same in a large table as in a small one. Each database gets its own process, because the app
// opens one pool. The processes are called in turn, one call at a time, so that other load affects all of them alike. A second
// process on the small database shows the noise between two equal processes.
import { type ChildProcess, fork } from 'node:child_process'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createDatabase, dropDatabase, findServer, runDb } from '../../app/support/database.ts'

const warmUp = 20
/** With 200 calls, one in eight measurements exceeded the p95 limit by chance on a busy machine. */
const calls = 600
/**
 * Max ratio of the two p95 values. On a busy machine two equal processes differ by half a millisecond, so a smaller difference
 * is ignored, whatever the ratio.
 */
const limits = { ratio: 1.5, minDifferenceMs: 0.5 }

interface Measurement {
  ms: number
  rows: number
  plan?: string
}
type CallMessage = { shape: number; turn: number; isExplained?: boolean }

export interface Bench {
  /** The bench file, which each child process runs again. */
  file: string
  /** What the rows are, for the output. */
  noun: string
  /** Rows in the small table, and in the large one unless given as an argument. */
  counts: [number, number]
  shapes: {
    name: string
    /** Print its query plan. */
    isPlanShown?: true
    /** Finds more rows in a larger table, so its cost is printed but has no limit. */
    isGrowing?: true
  }[]
  fill(client: pg.Client, count: number): Promise<void>
  /** Runs in the child process, with the app's pool. Returns a factory of calls; a call returns the number of rows found. */
  open(pool: () => pg.Pool): Promise<(shape: number, turn: number) => () => Promise<number>>
  /** Further measurements in each of the two databases. */
  after?(onEach: (work: (client: pg.Client, count: number) => Promise<void>) => Promise<void>): Promise<void>
}

/** Child process: measures the time here, so that the messages between the processes do not count. */
async function runChild(bench: Bench): Promise<void> {
  const poolOf = () => (globalThis as unknown as { plinthPool: pg.Pool }).plinthPool
  const callFor = await bench.open(poolOf)
  const pool = poolOf()

  /** The query plan of the first statement of the call. */
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
    // Not a query of the pool, which rejects statements about tenant tables.
    const client = await pool.connect()
    const explained = client.query<{ 'QUERY PLAN': string }>(`explain (${options}) ${text}`, values)
    const { rows } = await explained.finally(() => client.release())
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  process.on('message', async ({ shape, turn, isExplained }: CallMessage) => {
    const call = callFor(shape, turn)
    const start = performance.now()
    const rows = await call()
    const ms = performance.now() - start
    process.send?.({ ms, rows, ...(isExplained && { plan: await explain(call) }) } satisfies Measurement)
  })
  // Exit on disconnect, not by a signal, so that importSource can delete its temporary files.
  process.once('disconnect', () => process.exit())
  process.send?.('ready')
}

/** The next message of a child process. Rejects if the process exits first. */
const nextMessage = <T>(child: ChildProcess) =>
  new Promise<T>((resolve, reject) => {
    const end = () => reject(new Error('a child process exited before it responded'))
    child.once('exit', end)
    child.once('message', (message) => {
      child.off('exit', end)
      resolve(message as T)
    })
  })

function callChild(child: ChildProcess, question: CallMessage): Promise<Measurement> {
  const answered = nextMessage<Measurement>(child)
  child.send(question)
  return answered
}

async function startProcess({ file }: Bench, url: string): Promise<ChildProcess> {
  const child = fork(file, ['--child'], {
    env: {
      ...process.env,
      NODE_ENV: 'production',
      LOG_LEVEL: 'silent',
      DATABASE_URL: url,
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
    },
  })
  await nextMessage(child)
  return child
}

interface Figures {
  p50: number
  p95: number
  rows: number
}

function figuresOf(measurements: Measurement[]): Figures {
  const times = measurements.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const percentile = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0
  const rows = measurements.reduce((sum, measurement) => sum + measurement.rows, 0) / measurements.length
  return { p50: percentile(0.5), p95: percentile(0.95), rows: Math.round(rows) }
}

/** Calls all processes in turn. The first one of a turn finds colder CPU caches, so the order rotates. */
async function measure(children: ChildProcess[], shape: number): Promise<Figures[]> {
  const results = children.map((child) => ({ child, answers: [] as Measurement[] }))
  for (let turn = 0; turn < warmUp + calls; turn++) {
    const start = turn % results.length
    for (const { child, answers: measurements } of [...results.slice(start), ...results.slice(0, start)]) {
      const answered = await callChild(child, { shape, turn })
      if (turn >= warmUp) measurements.push(answered)
    }
  }
  return results.map(({ answers: measurements }) => figuresOf(measurements))
}

/** Prints a Markdown table. Returns the names of the shapes that are too slow in the larger table. */
async function compare({ shapes }: Bench, children: ChildProcess[]): Promise<string[]> {
  const head = ['', 'rows', 'small p50', 'p95', 'large p50', 'p95', 'p95 large/small', 'small/small']
  console.log(`\n| ${head.join(' | ')} |\n|${'---|'.repeat(head.length)}`)
  const slower: string[] = []
  const noise: number[] = []
  for (const [shape, { name, isGrowing }] of shapes.entries()) {
    const [small, secondSmall, large] = (await measure(children, shape)) as [Figures, Figures, Figures]
    const ratio = large.p95 / small.p95
    noise.push(secondSmall.p95 / small.p95)
    const times = [small.p50, small.p95, large.p50, large.p95].map((ms) => ms.toFixed(2))
    const ratios = [ratio, secondSmall.p95 / small.p95].map((value) => value.toFixed(2))
    console.log(`| ${[name, `${small.rows}, ${large.rows}`, ...times, ...ratios].join(' | ')} |`)
    if (!isGrowing && ratio > limits.ratio && large.p95 - small.p95 > limits.minDifferenceMs) slower.push(name)
  }
  const [least, greatest] = [Math.min(...noise), Math.max(...noise)].map((value) => value.toFixed(2))
  console.log(`\nNoise: the p95 ratio of two processes on the small database is ${least} to ${greatest}.`)
  return slower
}

async function showPlans({ shapes }: Bench, child: ChildProcess): Promise<void> {
  for (const [shape, { name, isPlanShown }] of shapes.entries()) {
    if (!isPlanShown) continue
    const { plan } = await callChild(child, { shape, turn: 0, isExplained: true })
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
  const databases: { url: string; name: string }[] = []
  const children: ChildProcess[] = []
  const cleanUp = async () => {
    for (const child of children) if (child.connected) child.disconnect()
    for (const { name, url } of databases) {
      if (values.keep) console.log(`Kept: --use ${url}`)
      else await dropDatabase(server.url, name)
    }
    await server.stop()
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => cleanUp().finally(() => process.exit(1)))

  const onDatabase = async <T>(url: string, work: (client: pg.Client) => Promise<T>) => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    return work(client).finally(() => client.end())
  }
  try {
    const urls = values.use ?? []
    for (const count of values.use ? [] : counts) {
      const database = await createDatabase(server.url)
      databases.push(database)
      runDb('migrate', database.url)
      const start = performance.now()
      await onDatabase(database.url, (client) => bench.fill(client, count))
      console.log(`${count} ${bench.noun} inserted in ${((performance.now() - start) / 1000).toFixed(0)} seconds`)
      urls.push(database.url)
    }
    const [small, large] = urls as [string, string]
    for (const url of [small, small, large]) children.push(await startProcess(bench, url))
    const slower = await compare(bench, children)
    await showPlans(bench, children[2] as ChildProcess)
    await bench.after?.(async (work) => {
      for (const [index, url] of urls.entries()) await onDatabase(url, (client) => work(client, counts[index] ?? 0))
    })
    for (const name of slower) console.error(`Slower in the larger table: ${name}`)
    if (slower.length > 0) process.exitCode = 1
  } finally {
    await cleanUp()
  }
}

/** Arguments: [-- 200000] [--keep] [--use url --use url] */
export const compareSizes = (bench: Bench) => (process.argv.includes('--child') ? runChild(bench) : run(bench))
