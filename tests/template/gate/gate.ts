// npm run test:gate [-- <title> …]: "npm run check" of a created app. Ordinary changes must pass; each fault must fail, with the
// expected words.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeSnapshot } from '../../../cli/make-snapshot.ts'
import { render } from '../../../cli/src/render.ts'
import { writeTree } from '../../../cli/src/versions.ts'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { installCli } from '../support/cli.ts'
import { makeWorkFolder, runScript } from '../support/project-copy.ts'
import type { Change } from './change.ts'
import { faults } from './faults.ts'
import { ordinaryChanges } from './ordinary-changes.ts'

showUsage('npm run test:gate [-- <title> …]')

const titles = process.argv.slice(2)
const isWanted = ({ title }: Change) => titles.length === 0 || titles.some((one) => title.includes(one))

const { folder, remove } = makeWorkFolder()
const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })

/** Creates the app and commits it, so that "npm run check" knows what has changed. */
function createApp(): void {
  const snapshot = makeSnapshot()
  writeTree(render(snapshot, { name: 'shop', modules: snapshot.modules.map(({ name }) => name) }), folder)
  installCli(folder)
  git('init', '--quiet')
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  git('add', '--all')
  git('commit', '--quiet', '--message', 'Begin')
}

function apply({ files, prepare }: Change): void {
  for (const [file, content] of Object.entries(files)) {
    const path = join(folder, file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : content(readFileSync(path, 'utf8')))
  }
  prepare?.(folder)
}

function undo(): void {
  git('reset', '--hard', '--quiet')
  git('clean', '--force', '-d', '--quiet')
}

/** The steps of the check print their own words; anything else that looks like advice is a warning. */
const isWarning = (line: string) => /\b(warn|warning|hint)\b/i.test(line) && !/^npm warn Unknown/.test(line)

/** What is wrong with an ordinary change: the output if the check fails, and warnings if it passes. */
function complaintsAbout(change: Change): string {
  apply(change)
  // Generated files and the examples above are formatted as an editor would do it.
  runScript(folder, 'format')
  const { isOk, output } = runScript(folder, 'check')
  undo()
  return isOk ? output.split('\n').filter(isWarning).join('\n') : output.slice(-3000)
}

let failures = 0
function report(word: string, isRight: boolean, title: string, output: string): void {
  console.log(`${isRight ? word : word === 'passes' ? 'FAILS ' : 'MISSED'}  ${title}`)
  if (isRight) return
  failures++
  console.log(output.slice(-3000))
}

try {
  createApp()
  const untouched = runScript(folder, 'check')
  report('passes', untouched.isOk, 'an app without changes', untouched.output)
  // Again, now that caches are warm, with the time that all its processes used.
  const { stderr } = spawnSync('bash', ['-c', "TIMEFORMAT='%U %S'; time npm run check >/dev/null 2>&1"], {
    cwd: folder,
    encoding: 'utf8',
  })
  const seconds = stderr
    .trim()
    .split(' ')
    .reduce((sum, text) => sum + Number(text), 0)
  console.log(`the check of an app without changes takes ${seconds.toFixed(0)} s of CPU`)

  for (const change of ordinaryChanges.filter(isWanted)) {
    const complaints = complaintsAbout(change)
    report('passes', complaints === '', change.title, complaints)
  }

  for (const fault of faults.filter(isWanted)) {
    apply(fault)
    const { isOk, output } = runScript(folder, 'check')
    report('caught', !isOk && fault.expected.test(output), fault.title, output)
    undo()
  }
  console.log(`${ordinaryChanges.length} ordinary changes, ${faults.length} faults, ${failures} failed`)
} finally {
  remove()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failures > 0 ? 1 : 0)
