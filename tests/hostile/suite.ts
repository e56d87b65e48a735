// Runs numbered checks in their groups, says what held, what did not and what was not run, and ends with 0 only when all held.
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { root } from '../../scripts/root.ts'
import { type Check, mayLack, NotInBuild, registered, TooSlow } from './checks.ts'
import { leaksInLog } from './oracles.ts'
import { World } from './world.ts'

export interface Group {
  letter: string
  title: string
  /** Of the checks' numbers: H-001 is a check, P-1 a property. */
  from: string
  to: string
  /** Time is measured: while they run, nothing else does. */
  isMeasured?: true
  /** Does not mind what else the machine does: runs in a process of its own, beside the others. */
  isApart?: true
  /** Leaves out what takes long. */
  isQuick?: true
}

const prefixOf = (number: string) => number.slice(0, 2)
const ordinalOf = (number: string) => Number(number.slice(2))
const isOf = ({ from, to }: Group, number: string) =>
  prefixOf(number) === prefixOf(from) && ordinalOf(number) >= ordinalOf(from) && ordinalOf(number) <= ordinalOf(to)

/** A file of checks is named after its group, `a-framing.ts`; one of properties, `p4-redirects.ts`. Being there is enough. */
async function loadChecks(folders: string[]): Promise<void> {
  for (const folder of folders)
    for (const name of readdirSync(folder).sort())
      if (/^([a-t]|p\d+)-.*\.ts$/.test(name)) await import(pathToFileURL(join(folder, name)).href)
}

/** An app leaves out what is about the template alone. */
const isApp = existsSync(join(root, 'plinth.json'))

/** Every number of every group, once: a check that was forgotten must not look like one that passed. */
function findGaps(groups: Group[]): string[] {
  return groups.flatMap(({ from, to }) =>
    Array.from({ length: ordinalOf(to) - ordinalOf(from) + 1 }, (_, index) => {
      const value = String(ordinalOf(from) + index)
      return prefixOf(from) + (prefixOf(from) === 'H-' ? value.padStart(3, '0') : value)
    }).flatMap((number) => {
      const count = registered.filter((entry) => entry.number === number).length
      return count === 1 || (count === 0 && isApp) ? [] : [`${number} is registered ${count} times`]
    }),
  )
}

let failures = 0
const lacking: string[] = []
function fail(what: string, reason: unknown): void {
  failures++
  const text = reason instanceof Error ? (process.env.STACKS ? reason.stack : reason.message) : String(reason)
  console.log(`  FAIL ${what}\n       ${text?.replaceAll('\n', '\n       ')}`)
}

/** What is slow is slow three times; a machine that is shared stalls now and then. */
async function runPatiently(run: NonNullable<Check['run']>, world: World, triesLeft = 2): Promise<string | undefined> {
  try {
    return (await run(world)) ?? undefined
  } catch (error) {
    if (!(error instanceof TooSlow) || triesLeft === 0) throw error
    console.log(`  again, because of: ${error.message}`)
    return runPatiently(run, world, triesLeft - 1)
  }
}

async function runCheck(world: World, { number, says, run, reason }: Check): Promise<'run' | 'skipped'> {
  if (!run) {
    console.log(`  skip ${number} ${says} (${reason})`)
    return 'skipped'
  }
  const start = performance.now()
  try {
    const measured = await runPatiently(run, world)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`  ok   ${number} ${says} [${seconds} s]${measured ? `\n       ${measured}` : ''}`)
  } catch (error) {
    if (error instanceof NotInBuild && mayLack()) {
      lacking.push(`${number}: ${error.message}`)
      console.log(`  skip ${number} ${says} (${error.message})`)
      return 'skipped'
    }
    fail(`${number} ${says}`, error)
  }
  return 'run'
}

/**
 * Runs some groups in a process of their own, and on the PostgreSQL from npm: one with its usual hundred connections has
 * too few for the nodes of both. What it says is shown when it is over.
 */
function startBeside(groups: Group[]): Promise<void> {
  const args = [process.argv[1] ?? '', ...groups.map(({ letter }) => letter)]
  const child = spawn(process.execPath, args, { env: { ...process.env, TEST_DATABASE_URL: '' } })
  const said: Buffer[] = []
  child.stdout.on('data', (chunk) => said.push(chunk))
  child.stderr.on('data', (chunk) => said.push(chunk))
  return new Promise((resolve) => {
    child.once('close', (code) => {
      console.log(Buffer.concat(said).toString())
      if (code !== 0) fail(groups.map(({ letter }) => letter).join(', '), 'see above')
      resolve()
    })
  })
}

/** Arguments are groups or numbers; without any, everything runs, and every number must be there. */
export async function runSuite(groups: Group[], folders: string[], asked: string[]): Promise<void> {
  await loadChecks(folders)
  const names = asked.map((argument) => argument.toUpperCase())
  const isAsked = ({ letter }: Group, number: string) =>
    names.length === 0 || names.includes(letter) || names.includes(number)
  const checksOf = (group: Group) =>
    registered
      .filter(({ number }) => isOf(group, number) && isAsked(group, number))
      .sort((a, b) => ordinalOf(a.number) - ordinalOf(b.number))
      .map(({ run, ...entry }): Check => {
        if (!group.isQuick || !entry.long) return run ? { ...entry, run } : entry
        return { ...entry, reason: `${entry.long}: npm run test:faults` }
      })
  if (names.length === 0) for (const gap of findGaps(groups)) fail('numbers', gap)

  const start = performance.now()
  const summary: string[] = []
  const world = await World.start()
  const apart = names.length === 0 ? groups.filter(({ isApart }) => isApart) : []
  let beside: Promise<void> | undefined
  try {
    const here = groups.filter((one) => !apart.includes(one))
    for (const group of [...here.filter((one) => one.isMeasured), ...here.filter((one) => !one.isMeasured)]) {
      const checks = checksOf(group)
      if (checks.length === 0) continue
      if (apart.length > 0 && !group.isMeasured) beside ??= startBeside(apart)
      console.log(`\n${group.letter}. ${group.title}`)
      const before = failures
      const results: string[] = []
      for (const entry of checks) results.push(await runCheck(world, entry))
      await world.endGroup()
      const [admins] = await world.query(
        `select count(*)::int as count from users where role = 'admin' and suspended_at is null`,
      )
      if (admins.count < 1) fail('G8', 'no admin is left')
      const ran = results.filter((result) => result === 'run').length
      summary.push(
        `  ${group.letter}  ${String(ran).padStart(3)} run  ${String(checks.length - ran).padStart(3)} skipped  ${failures - before} failed   ${group.title}`,
      )
    }
    console.log('\nEvery server’s output')
    const leaks = leaksInLog(world.output())
    if (leaks.length > 0) fail('G9', leaks.join('\n'))
    else console.log('  ok   G9 no secret, token, hash or password was written')
  } finally {
    await world.stop()
  }
  await beside

  console.log(`\n${summary.join('\n')}`)
  const relevant = groups.filter((one) => !apart.includes(one)).flatMap(checksOf)
  const skipped = relevant.filter(({ reason }) => reason)
  const partly = relevant.filter(({ waits }) => waits)
  const notRun = [...skipped.map(({ number, reason }) => `${number}: ${reason}`), ...lacking]
  if (notRun.length > 0) console.log(`\nNot run:\n${notRun.map((line) => `  ${line}`).join('\n')}`)
  if (partly.length > 0)
    console.log(`\nRun in part:\n${partly.map((one) => `  ${one.number}: ${one.waits}`).join('\n')}`)
  console.log(
    `\n${failures === 0 ? 'All held' : `${failures} FAILED`}, in ${((performance.now() - start) / 1000).toFixed(0)} s.`,
  )
  // What a check has left open must not keep whoever waits for the result.
  process.exit(failures === 0 ? 0 : 1)
}
