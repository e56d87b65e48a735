// What row-level security and entering a scope cost, for tests/template/bench/organizations.ts.
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { importSource } from '../../../scripts/import-source.ts'
import { scopedRole } from '../../../src/core/db/scope-wall.ts'
import { startChaosProxy } from '../faults/support/chaos-proxy.ts'
import { largeId } from './fill-organizations.ts'

/** How much more a list may take with row-level security. A difference of a tenth of a millisecond is ignored. */
const wallLimits = { ratio: 1.2, minDifferenceMs: 0.1 }
/** How many round trips entering, reading and leaving may take, as multiples of one query. */
const tripLimits = { together: 1.5, transaction: 2.5 }
const latencyMs = 10

const list = `select users.id, name, email, organizations_members.role, organizations_members.created_at
  from organizations_members join users on users.id = user_id where scope_id = ${largeId}
  order by organizations_members.created_at desc, user_id desc limit 51`
const enter = `select set_config('role', '${scopedRole}', true), set_config('app.scope_id', (${largeId})::text, true)`

const timeOf = async (work: () => Promise<unknown>) => {
  const start = performance.now()
  await work()
  return performance.now() - start
}

/** Runs all of them in turn, so that other load affects them alike. Returns the sorted times of each. */
async function measure(works: (() => Promise<unknown>)[], times: number): Promise<number[][]> {
  const measured = works.map((): number[] => [])
  for (let turn = -5; turn < times; turn++)
    for (const [index, work] of works.entries()) {
      const ms = await timeOf(work)
      if (turn >= 0) measured[index]?.push(ms)
    }
  return measured.map((one) => one.toSorted((a, b) => a - b))
}

const percentile = (sorted: number[] = [], share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0

/** The database of a client, through another port if given. */
function urlOf(client: pg.Client, { host, port } = { host: client.host, port: client.port }): string {
  const url = new URL(`postgres://${host}:${port}/${client.database}`)
  url.username = client.user ?? ''
  url.password = client.password ?? ''
  return url.href
}

function fail(message: string): void {
  console.error(message)
  process.exitCode = 1
}

/** The same list in two transactions, one of which has entered the scope. */
export async function measureWall(client: pg.Client, count: number): Promise<void> {
  const walled = new pg.Client({ connectionString: urlOf(client) })
  await walled.connect()
  try {
    await client.query('begin')
    await walled.query('begin')
    await walled.query(enter)
    const query = { name: 'list', text: list }
    const [without, within] = await measure([() => client.query(query), () => walled.query(query)], 600)
    const times = [without, within].flatMap((one) => [percentile(one, 0.5), percentile(one, 0.95)])
    const [plain = 0, , scoped = 0] = times
    console.log(`\nRow-level security on a list, ${count} organizations: p50 and p95 without ${times[0]?.toFixed(3)}, ${times[1]?.toFixed(3)} ms,
with ${times[2]?.toFixed(3)}, ${times[3]?.toFixed(3)} ms; p50 with/without ${(scoped / plain).toFixed(2)}`)
    const { rows } = await walled.query(`explain (costs off) ${list}`)
    console.log(rows.map((row) => row['QUERY PLAN']).join('\n'))
    if (scoped / plain > wallLimits.ratio && scoped - plain > wallLimits.minDifferenceMs)
      fail(`Row-level security makes a list ${(scoped / plain).toFixed(2)} times as slow`)
  } finally {
    await walled.end()
    await client.query('rollback')
  }
}

/** Reading in a scope, if each answer of the database takes ten milliseconds longer. */
export async function measureEntering(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select scope_id as scope, user_id as user from organizations_members where scope_id = ${largeId} limit 1`,
  )
  const member = { id: rows[0].user, scope: { id: rows[0].scope, slug: '', name: '', role: 'viewer' } }
  const proxy = await startChaosProxy(client.port)
  const connectionString = urlOf(client, { host: '127.0.0.1', port: proxy.port })
  Object.assign(process.env, { DATABASE_URL: connectionString, LOG_LEVEL: 'silent' })
  process.env.AUTH_SECRET ??= 'only-for-tests-0123456789-abcdefghijkl'
  const plain = new pg.Client({ connectionString })
  await plain.connect()
  const [{ inScope, readInScope }, { pool }] = await importSource('src/core/db/scoped.ts', 'src/core/db/client.ts')
  try {
    proxy.delay = latencyMs
    const statement = sql.raw(list)
    // biome-ignore lint/suspicious/noExplicitAny: the transaction of the bundled app
    type Tx = any
    const ways = {
      'one query, without a scope': () => plain.query(list),
      'readInScope: all sent together': () => readInScope(member, (source: Tx) => [source.execute(statement)]),
      'inScope: begin, entering and the list together': () => inScope(member, (tx: Tx) => tx.execute(statement)),
      'one statement after the other': async () => {
        for (const text of ['begin', enter, list, 'commit']) await plain.query(text)
      },
    }
    const times = (await measure(Object.values(ways), 60)).map((one) => percentile(one, 0.5))
    const [one = 0, together = 0, transaction = 0] = times
    console.log(`\n| ${latencyMs} ms to the database | p50 ms | as multiples of one query |\n|---|---|---|`)
    for (const [index, name] of Object.keys(ways).entries())
      console.log(`| ${name} | ${times[index]?.toFixed(1)} | ${((times[index] ?? 0) / one).toFixed(2)} |`)
    if (together / one > tripLimits.together) fail('Reading in a scope takes more than one round trip')
    if (transaction / one > tripLimits.transaction) fail('A transaction in a scope takes more than two round trips')
  } finally {
    await Promise.all([plain.end(), pool.end()])
    await proxy.close()
  }
}
