// npm run bench: what requests cost over the bare engine, in one run. Sides take turns in short slices, and a second bare app
// shows how far two equal ones are apart. Each server is started anew in every round, and what is judged is the median over
// all of them.
//
// Judged is the processor time that a server spends on one request; requests a second are printed besides. This program and
// the database share the machine with the servers, and processor time is disturbed far less by that.
//
// Ends with 1 when a goal is missed. --rounds=3 for fewer of them; words for the cases whose names hold one of them.
import { createHash, randomBytes, randomInt } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hash as hashPassword } from '@node-rs/argon2'
// biome-ignore lint/style/noRestrictedImports: what ours is compared with
import { encode } from 'next-auth/jwt'
import pg from 'pg'
import { freePort } from '../../scripts/ports.ts'
import { root } from '../../scripts/root.ts'
import { startApp } from '../support/app.ts'
import { startCollector } from '../support/collector.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { buildBare } from './bare.ts'
import { type Figures, load, type Request, usageOf } from './load.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
})
const rounds = Number(values.rounds)
const slices = 4
const slice = 1
const warmUp = 2

const at = (numbers: number[], share: number) =>
  numbers.toSorted((a, b) => a - b)[Math.round(share * (numbers.length - 1))] ?? Number.NaN
const median = (numbers: number[]) => at(numbers, 0.5)

interface Row {
  name: string
  least?: number | undefined
  most?: number | undefined
  ratios: number[]
  /** The same ratio of two that are equal. */
  chance: number[]
  /** What the ratio was made of. */
  parts: [number, number][]
  unit: string
}
const rows: Row[] = []
const rowOf = (name: string, unit: string, goal: Pick<Row, 'least' | 'most'> = {}): Row => {
  const known = rows.find((row) => row.name === name)
  if (known) return known
  const row: Row = { name, unit, ...goal, ratios: [], chance: [], parts: [] }
  rows.push(row)
  return row
}

const isWanted = (name: string) => positionals.length === 0 || positionals.some((part) => name.includes(part))

const folder = buildBare(statSync(join(root, '.next', 'server', 'app', 'index.html')).size)
const { app, env: ownEnv, stop } = await startApp()
await app.stop()
// The worker's own time is not the request's.
const env = { ...ownEnv, WORKER: 'apart' }
const token = randomBytes(32).toString('base64url')
const tokenHash = createHash('sha256').update(token).digest()
const password = 'a long password for a bench 7'
const crowd = 500
const client = new pg.Client({ connectionString: env.DATABASE_URL })
await client.connect()
await client.query(
  "insert into sessions (user_id, token_hash) select id, $1 from users where email = 'viewer@example.com'",
  [tokenHash],
)
await client.query(
  `with made as (
     insert into users (email, name, email_verified_at)
     select 'bench-' || n || '@example.com', 'Somebody', now() from generate_series(1, $1) as n returning id
   ) insert into passwords (user_id, hash) select id, $2 from made`,
  [crowd, await hashPassword(password, { memoryCost: 19456, timeCost: 2, parallelism: 1 })],
)
await client.end()
const authJsCookie = await encode({
  token: { name: 'Vera', email: 'viewer@example.com', sub: '1' },
  secret: env.AUTH_SECRET,
  salt: 'authjs.session-token',
})

const ask =
  (path: string, headers: Record<string, string> = {}) =>
  (): Request => ({ path, headers })
/** Each from an address of its own: the sixtieth in ten minutes from one would be refused. */
const signIn = (path: string) => (): Request => ({
  path,
  headers: { 'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}` },
  body: { email: `bench-${randomInt(crowd) + 1}@example.com`, password, redirect: false },
})
const session = { cookie: `plinth.session=${token}` }
const bareSelect = ask('/api/select', { 'x-hash': tokenHash.toString('hex') })

interface Case {
  name: string
  least?: number
  ours: () => Request
  bare: () => Request
  connections?: number
}
const cases: Case[] = [
  { name: 'health, to a bare handler', least: 0.95, ours: ask('/api/health'), bare: ask('/api/health') },
  {
    name: 'session by cookie, to a bare handler with one prepared SELECT',
    least: 0.9,
    ours: ask('/api/auth/session', session),
    bare: bareSelect,
  },
  {
    name: 'session by Bearer, to a bare handler with one prepared SELECT',
    least: 0.9,
    ours: ask('/api/auth/session', { authorization: `Bearer ${token}` }),
    bare: bareSelect,
  },
  {
    name: 'session, to that of Auth.js with its tokens (JWT)',
    least: 1.8,
    ours: ask('/api/auth/session', session),
    bare: ask('/api/auth/session', { cookie: `authjs.session-token=${authJsCookie}` }),
  },
  {
    name: 'sign-in, to argon2 and three statements',
    least: 0.9,
    ours: signIn('/api/auth/signin'),
    bare: signIn('/api/signin'),
    connections: 1,
  },
  { name: 'landing page, to a bare static page', least: 0.95, ours: ask('/'), bare: ask('/') },
  { name: 'landing page, to a bare static page of as many bytes', ours: ask('/'), bare: ask('/heavy') },
]

/** Ours against the bare app, and the bare app against its twin. */
async function compare(
  { name, least, ours, bare, connections = 8 }: Case,
  [own, one, twin]: [RunningServer, RunningServer, RunningServer],
): Promise<void> {
  const sides: [RunningServer, () => Request][] = [
    [one, bare],
    [own, ours],
    [twin, bare],
  ]
  for (const [server, make] of sides) await load([server], make, { seconds: warmUp, connections })
  const [cost, rate] = [rowOf(name, 'us', { least }), rowOf(`${name}: requests a second`, '/s')]
  for (let turn = 0; turn < slices; turn++) {
    const figures: Figures[] = []
    for (const [server, make] of sides) figures.push(await load([server], make, { seconds: slice, connections }))
    const [first, mine, second] = figures as [Figures, Figures, Figures]
    const bareCost = (first.cost + second.cost) / 2
    const bareRate = (first.rate + second.rate) / 2
    cost.ratios.push(bareCost / mine.cost)
    cost.parts.push([mine.cost, bareCost])
    cost.chance.push(second.cost / first.cost)
    rate.ratios.push(mine.rate / bareRate)
    rate.parts.push([mine.rate, bareRate])
    rate.chance.push(second.rate / first.rate)
  }
}

/** A page for somebody who is signed in, against what it would cost without asking who that is. */
async function comparePage(own: RunningServer): Promise<void> {
  const row = rowOf('signed-in page, to the same without its session', 'us', { least: 0.85 })
  const makes = [ask('/dashboard', session), ask('/api/auth/session', session), ask('/api/auth/session')]
  for (const make of makes) await load([own], make, { seconds: warmUp })
  for (let turn = 0; turn < slices; turn++) {
    const costs: number[] = []
    for (const make of makes) costs.push((await load([own], make, { seconds: slice })).cost)
    const [page = 0, known = 0, unknown = 0] = costs
    const without = page - (known - unknown)
    row.ratios.push(without / page)
    row.parts.push([page, without])
  }
}

/** How many others a node serves while as many people sign in as it can take. */
async function compareUnderSignIns(own: RunningServer): Promise<void> {
  const row = rowOf('health while sign-ins are at capacity, to health alone', '/s', { least: 0.85 })
  const health = ask('/api/health')
  for (let turn = 0; turn < slices; turn++) {
    const alone = await load([own], health, { seconds: slice, connections: 4 })
    const [during] = await Promise.all([
      load([own], health, { seconds: slice, connections: 4 }),
      load([own], signIn('/api/auth/signin'), { seconds: slice, connections: 4 }),
    ])
    row.ratios.push(during.rate / alone.rate)
    row.parts.push([during.rate, alone.rate])
  }
}

/** What figures and traces cost, for whoever asks for them. */
async function compareTelemetry(own: RunningServer): Promise<void> {
  const collector = await startCollector()
  const ports = [await freePort(), await freePort()]
  const figures = await startServer('start', { ...env, METRICS_PORT: String(ports[0]) })
  const both = await startServer('start', {
    ...env,
    METRICS_PORT: String(ports[1]),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.env.OTEL_EXPORTER_OTLP_ENDPOINT,
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  })
  const make = ask('/api/auth/session', session)
  const sides: [string, RunningServer][] = [
    ['session with figures, to without', figures],
    ['session with figures and a tenth traced, to without', both],
  ]
  for (const server of [own, figures, both]) await load([server], make, { seconds: warmUp })
  for (let turn = 0; turn < slices; turn++) {
    const without = await load([own], make, { seconds: slice })
    for (const [name, server] of sides) {
      const row = rowOf(name, 'us')
      const { cost } = await load([server], make, { seconds: slice })
      row.ratios.push(without.cost / cost)
      row.parts.push([cost, without.cost])
    }
  }
  await Promise.all([figures.stop(), both.stop()])
  await collector.stop()
}

/** Two nodes share nothing but the database: what a request costs must not depend on how many there are. */
async function compareNodes(own: RunningServer): Promise<void> {
  const other = await startServer('start', env)
  const row = rowOf('two nodes, to one: what both could serve on cores of their own', 'us', { least: 1.8 })
  const make = ask('/api/auth/session', session)
  await load([own, other], make, { seconds: warmUp })
  for (let turn = 0; turn < slices; turn++) {
    const [one, two] = [await load([own], make, { seconds: slice }), await load([own, other], make, { seconds: slice })]
    row.ratios.push((2 * one.cost) / two.cost)
    row.parts.push([two.cost, one.cost])
  }
  await other.stop()
}

type Started = { server: RunningServer; took: number }

/** Ours, the bare app and its twin: one after the other, so that none waits for another, and each comes first in its turn. */
async function startAll(round: number): Promise<[Started, Started, Started]> {
  const started: Started[] = []
  for (let turn = 0; turn < 3; turn++) {
    const which = (turn + round) % 3
    const start = performance.now()
    const server = await startServer('start', env, which === 0 ? {} : { folder })
    started[which] = { server, took: performance.now() - start }
  }
  return started as [Started, Started, Started]
}

try {
  for (let round = 1; round <= rounds; round++) {
    const [own, one, twin] = await startAll(round)
    const servers: [RunningServer, RunningServer, RunningServer] = [own.server, one.server, twin.server]
    const cold = rowOf('cold start to the first answer, to bare', 'ms', { most: 1.3 })
    const bareTook = (one.took + twin.took) / 2
    cold.ratios.push(own.took / bareTook)
    cold.parts.push([own.took, bareTook])
    cold.chance.push(twin.took / one.took)
    const memory = rowOf('memory at rest, to bare', 'MB', { most: 1.4 })
    const [mine = 0, first = 0, second = 0] = servers.map(({ pid }) => usageOf(pid).memory / 1e6)
    memory.ratios.push(mine / ((first + second) / 2))
    memory.parts.push([mine, (first + second) / 2])
    memory.chance.push(second / first)

    // Whoever is measured first is measured on a colder process: take turns.
    const wanted = cases.filter(({ name }) => isWanted(name))
    for (const [index] of wanted.entries()) await compare(wanted[(index + round) % wanted.length] as Case, servers)
    if (isWanted('signed-in page')) await comparePage(own.server)
    if (isWanted('sign-ins at capacity')) await compareUnderSignIns(own.server)
    if (isWanted('telemetry')) await compareTelemetry(own.server)
    if (isWanted('two nodes')) await compareNodes(own.server)
    await Promise.all(servers.map((server) => server.stop()))
    console.log(`round ${round} of ${rounds}`)
  }
} finally {
  await stop()
  rmSync(folder, { recursive: true, force: true })
}

const missed: string[] = []
console.log('\n| | ours | bare | ratio | goal | 80 % of turns | two equal ones |\n|---|---|---|---|---|---|---|')
for (const { name, ratios, chance, parts, unit, least, most } of rows) {
  const ratio = median(ratios)
  const goal = least !== undefined ? `at least ${least}` : most !== undefined ? `at most ${most}` : ''
  if ((least !== undefined && ratio < least) || (most !== undefined && ratio > most)) missed.push(name)
  const range = (numbers: number[]) =>
    numbers.length > 0 ? `${at(numbers, 0.1).toFixed(2)} to ${at(numbers, 0.9).toFixed(2)}` : ''
  const part = (which: 0 | 1) => `${median(parts.map((pair) => pair[which])).toFixed(0)} ${unit}`
  console.log(`| ${[name, part(0), part(1), ratio.toFixed(2), goal, range(ratios), range(chance)].join(' | ')} |`)
}
for (const name of missed) console.error(`Missed: ${name}`)
process.exit(missed.length > 0 ? 1 : 0)
