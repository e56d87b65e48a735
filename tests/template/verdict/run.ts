// npm run test:verdict [-- <name> …]: the short run of .ci/run finds bugs. Inserts one at a time into a copy of the project, runs
// .ci/run there, and expects that it fails and that its last 40 lines name the test that found the bug.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { insertBug } from '../support/insert-bug.ts'
import { copyProject } from '../support/project-copy.ts'
import { bugs, type VerdictBug } from './bugs.ts'

showUsage('npm run test:verdict [-- <name> …]')

const chosen = process.argv.slice(2)
const outer = mkdtempSync(join(tmpdir(), 'plinth-verdict-'))
// PostgreSQL runs as another user.
execFileSync('chmod', ['755', outer])
const folder = join(outer, 'app')
mkdirSync(folder)
copyProject(folder)
// It would find every bug, because each can be inserted only once.
rmSync(join(folder, 'src', 'inserted-bugs.test.ts'))
execFileSync('git', ['init', '--quiet'], { cwd: folder })
// Some checks ask git for the files.
execFileSync('git', ['add', '--all'], { cwd: folder })

/** Without what "npm run" adds: it would lead npm in the copy to this project. */
const env = Object.fromEntries(
  Object.entries(process.env)
    .filter(([name]) => !/^(npm_|NODE$|INIT_CWD$)/.test(name))
    .map(([name, value = '']) => [
      name,
      name === 'PATH'
        ? value
            .split(':')
            .filter((folder) => !folder.includes('node_modules'))
            .join(':')
        : value,
    ]),
) as typeof process.env

function start(): { run: ChildProcess; output: () => string } {
  const run = spawn(join(folder, '.ci', 'run'), { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [run.stdout, run.stderr]) stream?.on('data', (text) => (output += text))
  return { run, output: () => output }
}

async function runShort(): Promise<{ status: number | null; output: string }> {
  const { run, output } = start()
  const [status] = (await once(run, 'close')) as [number | null]
  return { status, output: output() }
}

const failures: string[] = []
function report(name: string, seconds: number, problem: string | undefined, lines: string[]): void {
  console.log(`${problem ? 'FAIL' : 'ok  '} ${name} [${seconds.toFixed(0)} s]${problem ? `: ${problem}` : ''}`)
  if (!problem) return
  failures.push(name)
  console.log(lines.map((line) => `       ${line}`).join('\n'))
}

async function insert(bug: VerdictBug): Promise<void> {
  const { name, description, changes, steps, says } = bug
  const before = Object.keys(changes).map(
    (file) => [join(folder, file), readFileSync(join(folder, file), 'utf8')] as const,
  )
  insertBug(folder, bug)
  const began = performance.now()
  const { status, output } = await runShort()
  for (const [path, text] of before) writeFileSync(path, text)
  const lines = output.trimEnd().split('\n').slice(-40)
  const problem =
    status === 0
      ? 'the run passed'
      : !steps.some((step) => lines.some((line) => line.startsWith(`=== FAILED: ${step} `)))
        ? `no ${steps.join(' or ')} has failed`
        : says.test(lines.join('\n'))
          ? undefined
          : `the last 40 lines do not match ${says}`
  report(`${description} (${name})`, (performance.now() - began) / 1000, problem, lines)
}

/** A run that is killed leaves its processes and its temporary folder; the next one ends and deletes them. */
async function killOne(): Promise<void> {
  const began = performance.now()
  const { run, output } = start()
  while (!output().includes('=== types') && run.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 100))
  run.kill('SIGKILL')
  const next = start()
  while (!next.output().includes('=== install') && next.run.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 100))
  next.run.kill('SIGTERM')
  await once(next.run, 'close')
  const text = next.output()
  const isSwept =
    text.includes('--- left by a run that was killed') && /ended with SIGTERM:\n.*npm run typecheck/.test(text)
  const problem = isSwept ? undefined : 'the next run did not end what was left'
  report(
    'a run that is killed (killed)',
    (performance.now() - began) / 1000,
    problem,
    text.trimEnd().split('\n').slice(-40),
  )
}

try {
  if (chosen.length === 0 || chosen.includes('killed')) await killOne()
  for (const bug of bugs) if (chosen.length === 0 || chosen.includes(bug.name)) await insert(bug)
} finally {
  rmSync(outer, { recursive: true, force: true })
}
if (failures.length > 0) {
  console.log(`\nFAIL ${failures.join('\nFAIL ')}`)
  process.exitCode = 1
}
