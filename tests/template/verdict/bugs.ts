// npm run test:verdict [-- <name> …]: the short run of .ci/run finds bugs. Inserts one at a time into a copy of the project, runs
// .ci/run there, and expects that it fails and that its last 40 lines name the test that found the bug.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { showUsage } from '../../../scripts/show-usage.mjs'
import { copyProject } from '../support/project-copy.ts'

showUsage('npm run test:verdict [-- <name> …]')

interface Bug {
  name: string
  description: string
  file: string
  /** Texts that it replaces. */
  edits: [from: string, to: string][]
  /** The step that fails. */
  step: string
  /** What its last 40 lines say. */
  says: RegExp
}

const bugs: Bug[] = [
  {
    name: 'import',
    description: 'a module imports from another module',
    file: 'src/app/(account)/revoke.ts',
    edits: [["import 'server-only'\n", "import 'server-only'\nimport '../(admin)/capitalize'\n"]],
    step: 'lint',
    says: /\(account\)\/revoke\.ts:\d+:\d+ lint\/style\/noRestrictedImports/,
  },
  {
    name: 'type',
    description: 'a value has the wrong type',
    file: 'src/core/auth/password/hash.ts',
    edits: [['export const maxInputLength = 1024', "export const maxInputLength: number = '1024'"]],
    step: 'types',
    says: /src\/core\/auth\/password\/hash\.ts\(\d+,\d+\): error TS2322/,
  },
  {
    name: 'password',
    description: 'a wrong password is accepted',
    file: 'src/core/auth/password/hash.ts',
    edits: [
      [
        'isCorrect: isMatch && usableHash !== undefined',
        'isCorrect: (isMatch || normalized.length > 0) && usableHash !== undefined',
      ],
    ],
    step: 'unit',
    // Many tests do, and the run stops at the first.
    says: /FAIL .*\.test\.ts > [\s\S]*❯ src\/.*\.test\.ts:\d+/,
  },
  {
    name: 'session',
    description: 'a session outlives its revocation',
    file: 'src/core/auth/session/sessions.ts',
    edits: [
      [
        '        eq(sessions.tokenHash, hash),\n        isNull(users.suspendedAt),\n',
        '        eq(sessions.tokenHash, hash),\n',
      ],
    ],
    step: 'unit',
    says: /FAIL .*\.test\.ts > [\s\S]*❯ src\/.*\.test\.ts:\d+/,
  },
  {
    name: 'migration',
    description: 'a migration is missing: the schema has an index that the database has not',
    file: 'src/core/db/schema.ts',
    edits: [
      [
        "    uniqueIndex('users_email_key')",
        "    index('users_image_idx').on(table.image),\n    uniqueIndex('users_email_key')",
      ],
    ],
    step: 'unit',
    says: /FAIL .*schema(-changes)?\.test\.ts/,
  },
  {
    name: 'page',
    description: 'a page throws',
    file: 'src/app/(account)/account/profile/page.tsx',
    edits: [
      [
        '  const image = session?.image\n',
        "  const image = session?.image\n  if (actor.id) throw new Error('inserted')\n",
      ],
    ],
    step: 'smoke',
    says: /✘ .*account\.e2e\.ts:\d+/,
  },
  {
    name: 'role',
    description: 'the matrix does not call as one of the roles',
    file: 'tests/app/matrix/matrix.ts',
    edits: [
      ["const callers = ['nobody', ...roles] as const", "const callers = ['nobody', 'viewer', 'admin'] as const"],
    ],
    step: 'matrix',
    says: /FAIL.*users can have the role editor/,
  },
  {
    name: 'allow',
    description: 'an action allows more users than it should',
    file: 'src/app/(admin)/actions.ts',
    edits: [
      [
        "export const suspendUsers = defineAction({\n  allow: can('users.suspend'),",
        'export const suspendUsers = defineAction({\n  allow: signedIn,',
      ],
      ["import { z } from 'zod'\n", "import { z } from 'zod'\nimport { signedIn } from '@/core/auth/policy'\n"],
    ],
    step: 'security',
    says: /FAIL H-401 .*who-may-call\.ts:\d+[\s\S]*suspendUsers/,
  },
]

const chosen = process.argv.slice(2)
const outer = mkdtempSync(join(tmpdir(), 'plinth-verdict-'))
// PostgreSQL runs as another user.
execFileSync('chmod', ['755', outer])
const folder = join(outer, 'app')
mkdirSync(folder)
copyProject(folder)
execFileSync('git', ['init', '--quiet'], { cwd: folder })

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

async function insert({ name, description, file, edits, step, says }: Bug): Promise<void> {
  const path = join(folder, file)
  const before = readFileSync(path, 'utf8')
  for (const [from] of edits)
    if (!before.includes(from)) throw new Error(`${name}: ${file} has changed, the bug cannot be inserted`)
  writeFileSync(
    path,
    edits.reduce((text, [from, to]) => text.replace(from, to), before),
  )
  const began = performance.now()
  const { status, output } = await runShort()
  writeFileSync(path, before)
  const lines = output.trimEnd().split('\n').slice(-40)
  const problem =
    status === 0
      ? 'the run passed'
      : !lines.some((line) => line.startsWith(`=== FAILED: ${step} `))
        ? `not the step ${step} has failed`
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
