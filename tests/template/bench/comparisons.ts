// What is compared with what, and the goals. Each function restarts its servers, and returns one ratio for that restart: the median
// of many short turns. Restarts differ more than turns do, because code is compiled and memory is laid out anew.
import type { RunningServer } from '../../app/support/server.ts'
import { type Goal, median } from './decide.ts'
import { type Client, memoryOf, openClient } from './load.ts'
import type { Make, Start, World } from './prepare.ts'

/** The ratio of one restart, and the two figures that it was made of. */
export interface Outcome {
  ratio: number
  ours: number
  baseline: number
}

export interface Comparison {
  /** To choose it on the command line. */
  name: string
  title: string
  goal: Goal
  unit: 'us' | '/s' | 'ms' | 'MB'
  /** `restart` counts from zero: the side that starts first alternates. */
  measure: (world: World, restart: number) => Promise<Outcome>
}

export interface Size {
  turns: number
  requests: number
  warmUp: number
}

/** BENCH_QUICK makes the turns too short to mean anything: to try the bench itself. */
const scale = process.env.BENCH_QUICK ? 0.1 : 1
const sized = (size: Size): Size => ({
  turns: Math.max(2, Math.round(size.turns * scale)),
  requests: Math.max(2, Math.round(size.requests * scale)),
  warmUp: Math.max(2, Math.round(size.warmUp * scale)),
})
const usual = sized({ turns: 20, requests: 100, warmUp: 600 })
const halfOf = (requests: number) => Math.ceil(requests / 2)
/** A sign-in takes as long as thirty other calls. */
const slow = sized({ turns: 10, requests: 12, warmUp: 30 })

const outcomeOf = (turns: Outcome[]): Outcome => ({
  ratio: median(turns.map(({ ratio }) => ratio)),
  ours: median(turns.map(({ ours }) => ours)),
  baseline: median(turns.map(({ baseline }) => baseline)),
})

/** Starts servers one after the other, in the order of the restart, and stops them when the work is over. */
async function withServers<Data>(
  starts: Start[],
  restart: number,
  work: (servers: RunningServer[]) => Promise<Data>,
): Promise<Data> {
  const servers: RunningServer[] = []
  try {
    for (let turn = 0; turn < starts.length; turn++) {
      const which = (turn + restart) % starts.length
      servers[which] = await (starts[which] as Start)()
    }
    return await work(servers)
  } finally {
    await Promise.all(servers.map((server) => server?.stop()))
  }
}

interface Side {
  start: Start
  make: Make
}

/** The processor time per request of the baseline, divided by ours: above 1, ours is cheaper. */
function compareCost(
  sides: (world: World) => { ours: Side; baseline: Side },
  { size = usual, connections = 8 }: { size?: Size; connections?: number } = {},
): Comparison['measure'] {
  return async (world, restart) => {
    const { ours, baseline } = sides(world)
    return withServers([ours.start, baseline.start], restart, async ([own, other]) => {
      const clients = [own, other].map((server) => openClient([server as RunningServer], connections)) as [
        Client,
        Client,
      ]
      const makes = [ours.make, baseline.make] as const
      const run = async (which: 0 | 1, requests: number) => (await clients[which].load(makes[which], requests)).cost
      const order = restart % 2 ? ([1, 0] as const) : ([0, 1] as const)
      for (let part = 0; part < 4; part++) for (const which of order) await run(which, Math.ceil(size.warmUp / 4))
      await world.pinDatabase()
      const turns: Outcome[] = []
      for (let turn = 0; turn < size.turns; turn++) {
        const costs: [number, number] = [0, 0]
        // The second of a turn finds warmer caches of the processor, and the first of all turns code that is less compiled.
        const isReversed = (turn + restart) % 2 === 1
        for (const which of isReversed ? ([1, 0] as const) : ([0, 1] as const))
          costs[which] = await run(which, size.requests)
        turns.push({ ratio: costs[1] / costs[0], ours: costs[0], baseline: costs[1] })
      }
      for (const client of clients) client.close()
      return outcomeOf(turns)
    })
  }
}

async function measureStart(start: Start): Promise<{ milliseconds: number; megabytes: number }> {
  const begun = performance.now()
  const server = await start()
  const milliseconds = performance.now() - begun
  const megabytes = memoryOf(server.pid) / 1e6
  await server.stop()
  return { milliseconds, megabytes }
}

/** A figure of a fresh server that has sent one response, divided by that of the baseline. */
function compareStart(figure: 'milliseconds' | 'megabytes'): Comparison['measure'] {
  return async ({ start }, restart) => {
    const both = restart % 2 ? [start.bare, start.ours] : [start.ours, start.bare]
    const figures: number[] = []
    for (const one of both) figures.push((await measureStart(one))[figure])
    const [ours = 0, baseline = 0] = restart % 2 ? figures.toReversed() : figures
    return { ratio: ours / baseline, ours, baseline }
  }
}

/** The cost of a signed-in page without the lookup of its session, divided by its cost. */
const comparePage: Comparison['measure'] = ({ start, requests, pinDatabase }, restart) =>
  withServers([start.ours], restart, async (servers) => {
    const client = openClient(servers)
    const makes = [requests.dashboard, requests.byCookie, requests.nobody]
    for (const make of makes) await client.load(make, halfOf(usual.warmUp))
    await pinDatabase()
    const turns: Outcome[] = []
    for (let turn = 0; turn < usual.turns; turn++) {
      const costs: number[] = []
      for (const make of makes) costs.push((await client.load(make, halfOf(usual.requests))).cost)
      const [page = 0, known = 0, unknown = 0] = costs
      const without = page - (known - unknown)
      turns.push({ ratio: without / page, ours: page, baseline: without })
    }
    client.close()
    return outcomeOf(turns)
  })

/** The rate of GET /api/health while users sign in without a pause, divided by its rate on an idle server. */
const compareUnderSignIns: Comparison['measure'] = ({ start, requests }, restart) =>
  withServers([start.oursOnAllCores], restart, async (servers) => {
    const [client, signingIn] = [openClient(servers, 4), openClient(servers, 4)]
    await client.load(requests.health, usual.warmUp)
    await signingIn.load(requests.signIn, slow.warmUp)
    const turns: Outcome[] = []
    for (let turn = 0; turn < slow.turns; turn++) {
      const alone = await client.load(requests.health, usual.requests * 2)
      const during = await signingIn.during(requests.signIn, () => client.load(requests.health, usual.requests * 2))
      turns.push({ ratio: during.rate / alone.rate, ours: during.rate, baseline: alone.rate })
    }
    client.close()
    signingIn.close()
    return outcomeOf(turns)
  })

/** Two nodes share only the database: what both could serve on cores of their own, divided by what one can. */
const compareNodes: Comparison['measure'] = ({ start, requests, pinDatabase }, restart) =>
  withServers([start.ours, start.ours], restart, async (servers) => {
    const [one, two] = [openClient(servers.slice(0, 1)), openClient(servers)]
    await two.load(requests.byCookie, usual.warmUp * 2)
    await pinDatabase()
    const turns: Outcome[] = []
    for (let turn = 0; turn < usual.turns; turn++) {
      const [alone, both] = [
        (await one.load(requests.byCookie, usual.requests)).cost,
        (await two.load(requests.byCookie, usual.requests)).cost,
      ]
      turns.push({ ratio: (2 * alone) / both, ours: both, baseline: alone })
    }
    one.close()
    two.close()
    return outcomeOf(turns)
  })

/** Two equal servers: if these do not come out as equal, nothing else can be believed. */
export const equalServers: Comparison = {
  name: 'equal',
  title: 'bare handler, to itself',
  goal: {},
  unit: 'us',
  measure: compareCost(({ start, requests }) => {
    const side = { start: start.bare, make: requests.health }
    return { ours: side, baseline: side }
  }),
}

/** Our request to our server, and that of the baseline to the baseline. */
const toBare = (ours: keyof World['requests'], baseline: keyof World['requests']) => (world: World) => ({
  ours: { start: world.start.ours, make: world.requests[ours] },
  baseline: { start: world.start.bare, make: world.requests[baseline] },
})

const toOurs = (which: 'withMetrics' | 'withTraces') => (world: World) => ({
  ours: { start: world.start[which], make: world.requests.byCookie },
  baseline: { start: world.start.ours, make: world.requests.byCookie },
})

const cost = (name: string, title: string, goal: Goal, measure: Comparison['measure']): Comparison => ({
  name,
  title,
  goal,
  unit: 'us',
  measure,
})

export const comparisons: Comparison[] = [
  cost('health', 'health, to a bare handler', { least: 0.95 }, compareCost(toBare('health', 'health'))),
  cost(
    'session-cookie',
    'session by cookie, to a bare handler with one prepared SELECT',
    { least: 0.9 },
    compareCost(toBare('byCookie', 'bareSelect')),
  ),
  cost(
    'session-bearer',
    'session by Bearer, to a bare handler with one prepared SELECT',
    { least: 0.9 },
    compareCost(toBare('byBearer', 'bareSelect')),
  ),
  cost(
    'session-authjs',
    'session, to that of Auth.js with its tokens (JWT)',
    { least: 1.8 },
    compareCost(toBare('byCookie', 'authJs')),
  ),
  cost(
    'sign-in',
    'sign-in, to argon2 and three statements',
    { least: 0.9 },
    compareCost(toBare('signIn', 'bareSignIn'), { size: slow, connections: 1 }),
  ),
  cost('landing', 'landing page, to a bare static page', { least: 0.95 }, compareCost(toBare('landing', 'landing'))),
  cost(
    'landing-heavy',
    'landing page, to a bare static page of as many bytes',
    {},
    compareCost(toBare('landing', 'heavy')),
  ),
  cost('page', 'signed-in page, to the same without its session', { least: 0.85 }, comparePage),
  cost('metrics', 'session with metrics, to without', { least: 0.95 }, compareCost(toOurs('withMetrics'))),
  cost(
    'traces',
    'session with metrics and a tenth traced, to without',
    { least: 0.9 },
    compareCost(toOurs('withTraces')),
  ),
  cost('nodes', 'two nodes, to one: what both could serve on cores of their own', { least: 1.8 }, compareNodes),
  {
    name: 'busy',
    title: 'health while users sign in, to health alone',
    goal: { least: 0.85 },
    unit: '/s',
    measure: compareUnderSignIns,
  },
  {
    name: 'start',
    title: 'cold start to the first response, to bare',
    goal: { most: 1.3 },
    unit: 'ms',
    measure: compareStart('milliseconds'),
  },
  {
    name: 'memory',
    title: 'memory at rest, to bare',
    goal: { most: 1.4 },
    unit: 'MB',
    measure: compareStart('megabytes'),
  },
]
