// npm run test:hostile [-- C H-071 …]: the hostile suite, against the production build. Arguments are groups or numbers.
import './c-sign-in-input.ts'
import './d-enumeration.ts'
import './e-limits.ts'
import './f-sessions.ts'
import './g-cross-site.ts'
import './h-cors.ts'
import './i-authorization-header.ts'
import './j-oauth.ts'
import './k-redirects.ts'
import './l-authorization.ts'
import './m-validation.ts'
import './n-admin-list.ts'
import './o-password-and-deletion.ts'
import './p-concurrency.ts'
import './p-last-admin.ts'
import { type Check, registered } from './checks.ts'
import { leaksInLog } from './oracles.ts'
import { World } from './world.ts'

const groups = [
  { letter: 'C', title: 'Sign-in input', from: 35, to: 60 },
  { letter: 'D', title: 'Enumeration and timing', from: 61, to: 70 },
  { letter: 'E', title: 'Rate limits', from: 71, to: 84 },
  { letter: 'F', title: 'Session cookie and life cycle', from: 85, to: 110 },
  { letter: 'G', title: 'Cross-site requests', from: 111, to: 122 },
  { letter: 'H', title: 'CORS', from: 123, to: 132 },
  { letter: 'I', title: 'Authorization header', from: 133, to: 142 },
  { letter: 'J', title: 'OAuth', from: 143, to: 162 },
  { letter: 'K', title: 'Redirects and Host', from: 163, to: 174 },
  { letter: 'L', title: 'Who may do what', from: 175, to: 198 },
  { letter: 'M', title: 'What is sent in place of what was asked for', from: 199, to: 214 },
  { letter: 'N', title: 'The list of people', from: 215, to: 226 },
  { letter: 'O', title: 'Password and deletion', from: 227, to: 236 },
  { letter: 'P', title: 'Many at once', from: 237, to: 258 },
]

type Group = (typeof groups)[number]

/** Every number of every group, once: a check that was forgotten must not look like one that passed. */
function findGaps(): string[] {
  return groups.flatMap(({ from, to }) =>
    Array.from({ length: to - from + 1 }, (_, index) => `H-${String(from + index).padStart(3, '0')}`).flatMap(
      (number) => {
        const count = registered.filter((entry) => entry.number === number).length
        return count === 1 ? [] : [`${number} is registered ${count} times`]
      },
    ),
  )
}

const asked = process.argv.slice(2).map((argument) => argument.toUpperCase())
const isAsked = ({ letter }: Group, number: string) =>
  asked.length === 0 || asked.includes(letter) || asked.includes(number)
const checksOf = (group: Group) =>
  registered
    .filter(({ number }) => Number(number.slice(2)) >= group.from && Number(number.slice(2)) <= group.to)
    .filter(({ number }) => isAsked(group, number))
    .sort((a, b) => a.number.localeCompare(b.number))

let failures = 0
function fail(what: string, reason: unknown): void {
  failures++
  const text = reason instanceof Error ? (process.env.STACKS ? reason.stack : reason.message) : String(reason)
  console.log(`  FAIL ${what}\n       ${text?.replaceAll('\n', '\n       ')}`)
}

async function runCheck(world: World, { number, says, run, reason }: Check): Promise<'run' | 'skipped'> {
  if (!run) {
    console.log(`  skip ${number} ${says} (${reason})`)
    return 'skipped'
  }
  const start = performance.now()
  try {
    const measured = await run(world)
    const seconds = ((performance.now() - start) / 1000).toFixed(1)
    console.log(`  ok   ${number} ${says} [${seconds} s]${measured ? `\n       ${measured}` : ''}`)
  } catch (error) {
    fail(`${number} ${says}`, error)
  }
  return 'run'
}

const gaps = findGaps()
for (const gap of gaps) fail('numbers', gap)

const start = performance.now()
const summary: string[] = []
const world = await World.start()
try {
  for (const group of groups) {
    const checks = checksOf(group)
    if (checks.length === 0) continue
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

console.log(`\n${summary.join('\n')}`)
const relevant = groups.flatMap(checksOf)
const skipped = relevant.filter(({ reason }) => reason)
const partly = relevant.filter(({ waits }) => waits)
if (skipped.length > 0) console.log(`\nNot run:\n${skipped.map((one) => `  ${one.number}: ${one.reason}`).join('\n')}`)
if (partly.length > 0) console.log(`\nRun in part:\n${partly.map((one) => `  ${one.number}: ${one.waits}`).join('\n')}`)
console.log(
  `\n${failures === 0 ? 'All held' : `${failures} FAILED`}, in ${((performance.now() - start) / 1000).toFixed(0)} s.`,
)
process.exitCode = failures === 0 ? 0 : 1
