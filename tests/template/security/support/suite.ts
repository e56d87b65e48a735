// Runs numbered checks in their groups, prints which passed, failed or were skipped, and exits with 0 only if all passed.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../../../scripts/root.ts'
import { type Check, mayLackModules, registeredChecks, TooSlow } from '../../../app/support/checks.ts'
import { NotInBuild } from '../../../app/support/not-in-build.ts'
import { findLogLeaks } from '../../../app/support/response-invariants.ts'
import { World } from '../../../app/support/test-world.ts'

export interface Group {
  name: string
  title: string
  /** The first and the last number. H-001 is a check, P-1 a property. */
  from: string
  to: string
  /** Skips checks with a `slowReason`. */
  skipsSlowChecks?: true
  /** All its checks run only in the full run. */
  isFull?: true
  /** Tests outages: its nodes have the timeouts of production. */
  hasShippedTimeouts?: true
}

const prefixOf = (number: string) => number.slice(0, 2)
const ordinalOf = (number: string) => Number(number.slice(2))
const isOf = ({ from, to }: Group, number: string) =>
  prefixOf(number) === prefixOf(from) && ordinalOf(number) >= ordinalOf(from) && ordinalOf(number) <= ordinalOf(to)

/** Every file in the folders registers its checks on import. */
async function loadChecks(folders: string[]): Promise<void> {
  for (const folder of folders)
    for (const name of readdirSync(folder).sort())
      if (name.endsWith('.ts') && name !== 'run.ts') await import(pathToFileURL(join(folder, name)).href)
}

/** A created app lacks the checks of the template itself. */
const isApp = existsSync(join(root, 'plinth.json'))

/** Numbers that are missing, used twice or after the last group: a forgotten check must not look like one that passed. */
function findGaps(groups: Group[]): string[] {
  const isAfterAll = ({ number }: Check) =>
    groups.every(({ to }) => prefixOf(to) !== prefixOf(number) || ordinalOf(to) < ordinalOf(number))
  const outside = registeredChecks.filter(isAfterAll).map(({ number }) => `${number} is in no group`)
  const gaps = groups.flatMap(({ from, to }) =>
    Array.from({ length: ordinalOf(to) - ordinalOf(from) + 1 }, (_, index) => {
      const value = String(ordinalOf(from) + index)
      return prefixOf(from) + (prefixOf(from) === 'H-' ? value.padStart(3, '0') : value)
    }).flatMap((number) => {
      const count = registeredChecks.filter((entry) => entry.number === number).length
      return count === 1 || (count === 0 && isApp) ? [] : [`${number} is registered ${count} times`]
    }),
  )
  return [...gaps, ...outside]
}

/** Where in the tests it was thrown: preferably in a check, not in what checks share. */
function placeOf(reason: unknown): string {
  const frames = reason instanceof Error ? (reason.stack?.match(/tests\/[\w./-]+\.ts:\d+/g) ?? []) : []
  const place = frames.find((frame) => !frame.includes('/support/')) ?? frames[0]
  return place ? ` (${place})` : ''
}

let failures = 0
const missingInBuild: string[] = []
function fail(what: string, reason: unknown): void {
  failures++
  const text = reason instanceof Error ? (process.env.STACKS ? reason.stack : reason.message) : String(reason)
  console.log(`  FAIL ${what}${placeOf(reason)}\n       ${text?.replaceAll('\n', '\n       ')}`)
}

/** Repeats a check that failed only because it was too slow: a shared machine stalls now and then. */
async function runWithRetries(
  run: NonNullable<Check['run']>,
  world: World,
  triesLeft: number,
): Promise<string | undefined> {
  try {
    return (await run(world)) ?? undefined
  } catch (error) {
    if (!(error instanceof TooSlow) || triesLeft === 0) throw error
    console.log(`  too slow, trying again: ${error.message}`)
    return runWithRetries(run, world, triesLeft - 1)
  }
}

async function runCheck(
  world: World,
  { number, title, run, skipReason }: Check,
  retries: number,
): Promise<'run' | 'skipped'> {
  if (!run) {
    console.log(`  skip ${number} ${title} (${skipReason})`)
    return 'skipped'
  }
  const start = performance.now()
  try {
    const measured = await runWithRetries(run, world, retries)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`  ok   ${number} ${title} [${seconds} s]${measured ? `\n       ${measured}` : ''}`)
  } catch (error) {
    if (error instanceof NotInBuild && mayLackModules()) {
      missingInBuild.push(`${number}: ${error.message}`)
      console.log(`  skip ${number} ${title} (${error.message})`)
      return 'skipped'
    }
    fail(`${number} ${title}`, error)
  }
  return 'run'
}

/**
 * `args` are names of groups or numbers of checks. Without any, everything runs, and every number must exist; with --short
 * everything that is not marked `full`, without retries. One check after the other: many measure time.
 */
export async function runSuite(groups: Group[], folders: string[], args: string[]): Promise<void> {
  await loadChecks(folders)
  const isShort = args.includes('--short')
  const requested = args.filter((one) => one !== '--short')
  const isRequested = ({ name, isFull }: Group, { number, full, slowReason }: Check) =>
    isShort
      ? !isFull && !full && !slowReason
      : requested.length === 0 || [name, number].some((one) => requested.includes(one))
  const checksOf = (group: Group) =>
    registeredChecks
      .filter((entry) => isOf(group, entry.number) && isRequested(group, entry))
      .sort((a, b) => ordinalOf(a.number) - ordinalOf(b.number))
      .map(({ run, ...entry }): Check => {
        if (!group.skipsSlowChecks || !entry.slowReason) return run ? { ...entry, run } : entry
        return { ...entry, skipReason: `${entry.slowReason}: npm run test:faults` }
      })
  if (requested.length === 0) for (const gap of findGaps(groups)) fail('numbers', gap)
  for (const one of requested)
    if (
      !groups.some(
        (group) => group.name === one || registeredChecks.some((entry) => entry.number === one && isOf(group, one)),
      )
    )
      fail('arguments', `there is no group or check ${one}`)

  const start = performance.now()
  const summary: string[] = []
  const world = await World.start()
  try {
    for (const group of groups) {
      const checks = checksOf(group)
      if (checks.length === 0) continue
      console.log(`\n${group.title}`)
      process.env.TIMEOUT_FACTOR = group.hasShippedTimeouts ? '1' : '10'
      const before = failures
      const results: string[] = []
      for (const entry of checks) results.push(await runCheck(world, entry, isShort ? 0 : 2))
      await world.endGroup()
      const [admins] = await world.query(
        `select count(*)::int as count from users where role = 'admin' and suspended_at is null`,
      )
      if (admins.count < 1) fail('G8', 'no admin is left')
      const runCount = results.filter((result) => result === 'run').length
      summary.push(
        `  ${String(runCount).padStart(3)} run  ${String(checks.length - runCount).padStart(3)} skipped  ${failures - before} failed   ${group.name}`,
      )
    }
    console.log('\nThe output of every server')
    const leaks = findLogLeaks(world.output())
    if (leaks.length > 0) fail('G9', leaks.join('\n'))
    else console.log('  ok   G9 no secret, token, hash or password was written')
  } finally {
    await world.stop()
  }

  console.log(`\n${summary.join('\n')}`)
  const relevant = groups.flatMap(checksOf)
  const skipped = relevant.filter(({ skipReason }) => skipReason)
  const partiallyRun = relevant.filter(({ notCovered }) => notCovered)
  const notRun = [...skipped.map(({ number, skipReason }) => `${number}: ${skipReason}`), ...missingInBuild]
  if (notRun.length > 0) console.log(`\nNot run:\n${notRun.map((line) => `  ${line}`).join('\n')}`)
  if (partiallyRun.length > 0)
    console.log(`\nPartially run:\n${partiallyRun.map((one) => `  ${one.number}: ${one.notCovered}`).join('\n')}`)
  console.log(
    `\n${failures === 0 ? 'All passed' : `${failures} FAILED`}, in ${((performance.now() - start) / 1000).toFixed(0)} s.`,
  )
  // Handles that a check left open must not keep the process alive.
  process.exit(failures === 0 ? 0 : 1)
}
