import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.ts'

const read = (file: string) => readFileSync(join(root, file), 'utf8')
const scripts: Record<string, string> = JSON.parse(read('package.json')).scripts

/** The scripts that a page names: as `npm run x`, as `npm start`, or in a list as `db:x`. */
function scriptsNamedIn(page: string): string[] {
  const pattern = /\bnpm run ([a-z][\w:-]*)|\bnpm (start|test)\b|`((?:bench|build|cli|db|test):[\w-]+)`/g
  return [...read(page).matchAll(pattern)].map(([, run, short, listed]) => run ?? short ?? listed ?? '')
}

const landing = 'src/app/(landing)/content.ts'
const pages = [
  ...globSync(['{README,CONTRIBUTING,AGENTS,SECURITY}.md', '{cli,docs,src,tests}/**/*.md'], { cwd: root }),
  landing,
]
const named = new Set(pages.flatMap(scriptsNamedIn))

/** The commands of a script, including those of other scripts that it runs. */
function commandsOf(script: string): string[] {
  return (scripts[script] ?? '').split(' && ').flatMap((command) => {
    const inner = /^npm run (\S+)$/.exec(command)?.[1]
    return inner ? commandsOf(inner) : [command]
  })
}

/** Runs a command with --help. Returns what is wrong, or nothing. */
async function findProblem(command: string): Promise<string | undefined> {
  const [program = '', ...args] = command.split(' ')
  const isOurs = program === 'node'
  // Without this, the script would run for real.
  if (isOurs && !/^ *showUsage\(/m.test(read(args[0] ?? ''))) return `${command} does not call showUsage`
  const PATH = `${join(root, 'node_modules', '.bin')}${delimiter}${process.env.PATH}`
  const options = { cwd: root, env: { ...process.env, PATH }, timeout: 60_000, shell: process.platform === 'win32' }
  return new Promise((resolve) => {
    execFile(program, [...args, '--help'], options, (error, stdout, stderr) => {
      const isUsage = isOurs ? /^Usage: npm run .+\n$/.test(stdout) : stdout !== ''
      resolve(!error && isUsage ? undefined : `${command} --help: ${error?.message}\n${stdout}\n${stderr}`)
    })
  })
}

test('every script that the documentation names is in package.json', () => {
  expect(named.size).toBeGreaterThan(30)
  const missing = pages.flatMap((page) =>
    scriptsNamedIn(page).flatMap((name) => (scripts[name] ? [] : [`${page}: npm run ${name}`])),
  )
  expect(missing).toEqual([])
})

test('every command that the documentation names starts, and prints its usage with --help', {
  tags: 'full',
  timeout: 120_000,
}, async () => {
  const commands = [...named].flatMap(commandsOf)
  const testRuns = commands.filter((command) => command.startsWith('node --test '))
  // node --test has no dry form, so this checks only that it finds files.
  for (const command of testRuns)
    expect(globSync(command.slice('node --test '.length), { cwd: root }), command).not.toEqual([])
  // The other arguments do not matter: scripts/db.ts, for example, is started once.
  const started = commands
    .filter((command) => !testRuns.includes(command))
    .map((one) => one.split(' ').slice(0, 2).join(' '))
  const waiting = [...new Set(started)]
  expect(waiting.length).toBeGreaterThan(20)
  const problems: (string | undefined)[] = []
  const work = async () => {
    for (let command = waiting.pop(); command; command = waiting.pop()) problems.push(await findProblem(command))
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  expect(problems.filter((problem) => problem !== undefined)).toEqual([])
})

test('the landing page names the modules and figures that the code has', () => {
  const text = read(landing)
  const figure = (pattern: RegExp) => Number(pattern.exec(text)?.[1])
  const checks = globSync('tests/template/security/**/*.ts', { cwd: root }).flatMap((file) => [
    ...read(file).matchAll(/\bcheck(?:[A-Z]\w*)?\(\s*(?:'\w+',\s*)?'[HP]-\d+'/g),
  ])
  expect(checks.length).toBeGreaterThanOrEqual(figure(/value: '(\d+)\+'/))
  expect(figure(/value: '0 of (\d+)'/)).toBe(read('docs/asvs-5.0.0.txt').trim().split('\n').length)
  expect(read('docs/asvs.md')).toMatch(/^\| not met \| 0 \| 0 \| 0 \|$/m)
  expect(read('package.json')).toContain(`"version": "${/version: '([^']+)'/.exec(text)?.[1]}.`)
  const modules = globSync('src/app/*/module.json', { cwd: root }).map((file) => JSON.parse(read(file)).name)
  expect([...text.matchAll(/\{ name: '([\w-]+)', title:/g)].map(([, name]) => name).sort()).toEqual(modules.sort())
})
