import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type App, isApp, openApp } from './app.ts'
import { Canceled } from './ask.ts'
import { add, type ChangeOptions, remove, resume, upgrade } from './change.ts'
import { CliError } from './cli-error.ts'
import { create } from './create.ts'
import { createOutput, type Output } from './output.ts'
import { parsePackageManager } from './package-manager.ts'
import { isNewer } from './releases.ts'
import { render, withRequired } from './render.ts'
import { isVersion, readState, type Snapshot, type Verification } from './snapshot.ts'
import { list, status } from './status.ts'
import { abort } from './transition.ts'
import { describeSuites, verify } from './verify.ts'
import { newestVersion, runVersion, writeTree } from './versions.ts'

const help = `plinth: create and maintain a Plinth app.

  npm create plinth@latest my-app -- --modules account,admin
  npx plinth <command>, in the folder of your app

Commands
  create [folder]     create a new app (default outside of an app)
  list                list available modules
  status              show version, modules and files you changed
  add <module…>       add modules
  remove <module…>    remove modules
  upgrade             upgrade to the latest version, or --to <version>
  doctor              find out why something does not work
  verify [suite…]     test the app with the suites of the template
  continue            continue after resolving conflicts
  abort               undo the operation in progress
  render              write the files for a plinth.json: --state <file> --out <folder>

Suites of verify (those with * only if you name them)
${describeSuites().join('\n')}

Options
  --modules a,b|all|none   for create: which modules to install
  -y, --yes                skip prompts; installs all modules unless --modules is given
  --dry-run                show what would change without changing it
  --no-install             skip installing packages
  --no-git                 for create: skip creating a git repository
  --pm <name>              npm, pnpm, yarn or bun (default: detected from the lockfile)
  --force                  for remove: also delete files you changed
  --drop-data              for remove: write a migration that drops the module’s tables
  --json                   print one JSON object
  -v, --version            print the version
  -h, --help               print this help

Exit codes: 0 success, 1 error, 2 conflicts, 130 canceled.`

const options = {
  modules: { type: 'string' },
  yes: { type: 'boolean', short: 'y' },
  'dry-run': { type: 'boolean' },
  'no-install': { type: 'boolean' },
  'no-git': { type: 'boolean' },
  pm: { type: 'string' },
  force: { type: 'boolean' },
  'drop-data': { type: 'boolean' },
  'keep-data': { type: 'boolean' },
  to: { type: 'string' },
  state: { type: 'string' },
  out: { type: 'string' },
  json: { type: 'boolean' },
  version: { type: 'boolean', short: 'v' },
  help: { type: 'boolean', short: 'h' },
} as const

const commands = [
  'create',
  'list',
  'status',
  'add',
  'remove',
  'upgrade',
  'continue',
  'abort',
  'doctor',
  'verify',
  'render',
]

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new CliError(
      `${error instanceof Error ? error.message : error}\nRun "npx plinth --help" to see all commands and options.`,
    )
  }
}

/** Reads a file that `pack.ts` wrote beside this program. */
const readPacked = (name: string) =>
  JSON.parse(readFileSync(join(dirname(fileURLToPath(import.meta.url)), name), 'utf8'))

export const readSnapshot = (): Snapshot => readPacked('snapshot.json')
const readVerification = (): Verification => readPacked('verification.json')

/** The command `doctor`: runs that of the app, which knows its settings. */
function runDoctor(folder: string): number {
  const program = join(folder, 'scripts', 'doctor.mjs')
  if (!isApp(folder) || !existsSync(program))
    throw new CliError(
      'There is no scripts/doctor.mjs here. Run this in the folder of an app created with create-plinth.',
    )
  return spawnSync(process.execPath, [program], { cwd: folder, stdio: 'inherit' }).status ?? 1
}

/** The command `render`: writes the files of a plinth.json to a folder. */
function writeRendered(snapshot: Snapshot, { state: file, out }: { state?: string; out?: string }, output: Output) {
  if (!file || !out) throw new CliError('render needs --state <file> and --out <folder>.')
  const state = readState(readFileSync(file, 'utf8'))
  if (state.version !== snapshot.version)
    throw new CliError(`The state file is for version ${state.version}, but this is create-plinth ${snapshot.version}.`)
  const tree = render(snapshot, { ...state, modules: withRequired(snapshot, state.modules) })
  writeTree(tree, resolve(out))
  output.result({ files: tree.size })
}

/** The modules of the app in this folder; none if it is not an app. */
function installedModules(folder: string): string[] {
  try {
    return openApp(folder).state.modules
  } catch {
    return []
  }
}

/** The command `abort`. */
function undo({ repository }: App, output: Output) {
  const { what, stash } = abort(repository)
  output.print(`"${what}" was undone. Everything is as it was before.`)
  if (stash) output.print('Uncommitted changes were stashed. Run "git stash list" to see them.')
  output.result({ aborted: what, stash: stash || null })
}

/** The command `upgrade`: to that version, or to the newest one. */
function upgradeTo(
  version: string | undefined,
  snapshot: Snapshot,
  app: App,
  args: string[],
  options: ChangeOptions,
  output: Output,
): number {
  const wanted = version ?? newestVersion()
  // A version that is not published yet is newer than the newest in the registry.
  const isOwn = wanted === snapshot.version || (!version && isNewer(snapshot.version, wanted))
  if (isOwn) return upgrade(snapshot, app, options, output)
  // The other version has the template files of the upgrade, so it runs the command.
  const flags = args.filter((arg, index) => arg !== '--to' && args[index - 1] !== '--to' && !arg.startsWith('--to='))
  return runVersion(wanted, [...flags, '--to', wanted])
}

/** Runs a command; returns the exit code. */
async function run(args: string[], output: Output): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help) {
    output.print(help)
    return 0
  }
  const snapshot = readSnapshot()
  if (values.version) {
    output.print(snapshot.version)
    return 0
  }
  const [first = '', ...others] = positionals
  const isCommand = commands.includes(first)
  const [command, rest] = isCommand ? [first, others] : ['create', positionals]
  const here = process.cwd()
  if (!isCommand && first && isApp(here))
    throw new CliError(`Unknown command "${first}". Commands: ${commands.join(', ')}.`)
  if (values.to !== undefined && !isVersion(values.to))
    throw new CliError('--to needs an exact version, such as 0.2.0.')
  const change: ChangeOptions = {
    isDryRun: values['dry-run'] ?? false,
    isInstalled: !values['no-install'],
    manager: values.pm === undefined ? undefined : parsePackageManager(values.pm),
  }

  switch (command) {
    case 'render':
      writeRendered(snapshot, values, output)
      return 0
    case 'list':
      list(snapshot, installedModules(here), output)
      return 0
    case 'status':
      status(snapshot, openApp(here), output)
      return 0
    case 'add':
      return add(snapshot, openApp(here), rest, change, output)
    case 'remove':
      if (values['keep-data'] && values['drop-data']) throw new CliError('Use --keep-data or --drop-data, not both.')
      return remove(
        snapshot,
        openApp(here),
        rest,
        { ...change, isForced: values.force ?? false, isDataDropped: values['drop-data'] ?? false },
        output,
      )
    case 'upgrade':
      return upgradeTo(values.to, snapshot, openApp(here), args, change, output)
    case 'continue':
      return resume(snapshot, openApp(here), change, output)
    case 'doctor':
      return runDoctor(here)
    case 'verify':
      return verify(snapshot, readVerification(), openApp(here), rest, output)
    case 'abort':
      undo(openApp(here), output)
      return 0
    default:
      if (rest.length > 1) throw new CliError(`Expected one folder, got ${rest.length}: ${rest.join(' ')}`)
      return create(
        snapshot,
        {
          ...change,
          folder: rest[0],
          modules: values.modules,
          isNonInteractive: values.yes ?? false,
          isInGit: !values['no-git'],
        },
        output,
      )
  }
}

const args = process.argv.slice(2)
const isJson = args.includes('--json')
try {
  process.exitCode = await run(args, createOutput(isJson))
} catch (error) {
  if (error instanceof Canceled) process.exitCode = 130
  else if (error instanceof CliError) {
    if (isJson) process.stdout.write(`${JSON.stringify({ error: error.message }, null, 2)}\n`)
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } else throw error
}
