// npm run bench: compares the cost of requests with a minimal Next app (bare.ts), in processor time of the server. Restarts both sides
// again and again, until the interval of the median is at most 5 % to either side, or its share of the time (BENCH_MINUTES) is over.
//
// Begins with two equal servers. Exits with 2 if those do not come out as equal, with 1 if a goal is missed or still open, else with 0.
// Names, or beginnings of them, choose comparisons: "npm run bench -- health session". "parts" lists what runs for every request.
import { showUsage } from '../../../scripts/show-usage.mjs'
import { type Comparison, comparisons, equalServers, type Outcome } from './comparisons.ts'
import { decide, type Goal, intervalOf, isNarrow, isSound, median, type Verdict } from './decide.ts'
import { pinLoad } from './load.ts'
import { measureParts } from './parts.ts'
import { prepare, type World } from './prepare.ts'

const names = process.argv.slice(2)
showUsage(`npm run bench [-- parts | ${comparisons.map(({ name }) => name).join(' | ')} …]`)

const minutes = Number(process.env.BENCH_MINUTES || 20)

function choose(): Comparison[] {
  const unknown = names.filter((name) => !comparisons.some((one) => one.name.startsWith(name)))
  if (unknown.length > 0) throw new Error(`No comparison begins with ${unknown.join(', ')}.`)
  return comparisons.filter((one) => names.length === 0 || names.some((name) => one.name.startsWith(name)))
}

const ratiosOf = (outcomes: Outcome[]) => outcomes.map(({ ratio }) => ratio)

function describe(ratios: number[]): string {
  const interval = intervalOf(ratios)
  return interval ? `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}` : 'too few restarts'
}

/** Restarts until the interval is narrow or the time is over. */
async function run({ name, measure }: Comparison, world: World, milliseconds: number): Promise<Outcome[]> {
  const end = performance.now() + milliseconds
  const outcomes: Outcome[] = []
  while (outcomes.length === 0 || (!isNarrow(ratiosOf(outcomes)) && performance.now() < end)) {
    outcomes.push(await measure(world, outcomes.length))
    const ratios = ratiosOf(outcomes)
    console.error(`${name}: ${ratios.length} restarts, ${median(ratios).toFixed(2)} (${describe(ratios)})`)
  }
  return outcomes
}

const describeGoal = ({ least, most }: Goal) =>
  least !== undefined ? `at least ${least}` : most !== undefined ? `at most ${most}` : ''

function rowOf({ title, unit, goal }: Comparison, outcomes: Outcome[], verdict: Verdict): string {
  const ratios = ratiosOf(outcomes)
  const figure = (of: 'ours' | 'baseline') => `${median(outcomes.map((outcome) => outcome[of])).toFixed(0)} ${unit}`
  const cells = [title, figure('ours'), figure('baseline'), median(ratios).toFixed(2), describe(ratios), ratios.length]
  return `| ${[...cells, describeGoal(goal), verdict].join(' | ')} |`
}

async function compareAll(): Promise<number> {
  const chosen = choose()
  pinLoad()
  const world = await prepare()
  const stop = () => world.stop().finally(() => process.exit(1))
  process.once('SIGINT', stop)
  const rows = [
    '| | ours | baseline | ratio | 95 % interval | restarts | goal | met |',
    '|---|---|---|---|---|---|---|---|',
  ]
  const verdicts: Verdict[] = []
  const end = performance.now() + minutes * 60_000
  /** What is left of the time, divided among what is left to do. */
  const shareFor = (left: number) => (end - performance.now()) / left
  try {
    const equal = await run(equalServers, world, shareFor(chosen.length + 1))
    const isDecidable = isSound(ratiosOf(equal))
    rows.push(rowOf(equalServers, equal, isDecidable ? 'yes' : 'no'))
    if (!isDecidable) {
      const why = intervalOf(ratiosOf(equal))
        ? 'did not come out as equal'
        : 'were not restarted six times in the time they had'
      console.error(`Two equal servers ${why}, so nothing can be decided. Use an idle machine, or more BENCH_MINUTES.`)
      return 2
    }
    for (const [index, comparison] of chosen.entries()) {
      const outcomes = await run(comparison, world, shareFor(chosen.length - index))
      const verdict = decide(ratiosOf(outcomes), comparison.goal)
      verdicts.push(verdict)
      rows.push(rowOf(comparison, outcomes, verdict))
    }
    return verdicts.some((verdict) => verdict === 'no' || verdict === 'open') ? 1 : 0
  } finally {
    console.log(`\n${rows.join('\n')}`)
    await world.stop()
  }
}

if (names.includes('parts')) {
  await measureParts()
  process.exit(0)
}
process.exit(await compareAll())
