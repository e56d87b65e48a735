import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { isApp, openApp } from './app.ts'
import { Cancelled } from './ask.ts'
import { add, type ChangeOptions, isNewer, remove, resume, upgrade } from './change.ts'
import { create } from './create.ts'
import { packageManagerNamed } from './package-manager.ts'
import { Refusal } from './refusal.ts'
import { render, withRequired } from './render.ts'
import { type Voice, voiceFor } from './say.ts'
import { isVersion, readState, type Snapshot } from './snapshot.ts'
import { list, status } from './status.ts'
import { abort } from './transition.ts'
import { handOver, newestVersion, writeTree } from './versions.ts'

const help = `create-plinth: make an app, and change your mind later.

  npm create plinth@latest my-app -- --modules account,admin
  npx create-plinth <command>, in the folder of an app

Commands
  create [folder]     make an app (what is done without a command)
  list                the modules that there are
  status              version, modules, and which files are not as they came
  add <module…>       put modules into the app
  remove <module…>    take modules out of it
  upgrade             bring the app to the newest version, or to --to <version>
  continue            go on after conflicts were solved
  abort               have everything as it was before
  render              write what a plinth.json describes: --state <file> --out <folder>

Options
  --modules a,b|all|none   for create
  -y, --yes                never ask; without --modules, take all of them
  --dry-run                say what would happen, and change nothing
  --no-install             leave packages and lockfile alone
  --no-git                 for create: make no repository
  --pm <name>              npm, pnpm, yarn or bun; else the one whose lockfile is there
  --force                  for remove: also what you changed in the module
  --drop-data              for remove: write a migration that drops its tables
  --json                   answer with one JSON object
  -v, --version            -h, --help

It ends with 0 when it is done, 1 when it was refused (and says why), 2 when it stopped at conflicts, 130 when you
cancelled it.`

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

const commands = ['create', 'list', 'status', 'add', 'remove', 'upgrade', 'continue', 'abort', 'render']

function parse(args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new Refusal(
      `${error instanceof Error ? error.message : error}\n"npx create-plinth --help" shows all commands and options.`,
    )
  }
}

export function readSnapshot(): Snapshot {
  const file = join(dirname(fileURLToPath(import.meta.url)), 'snapshot.json')
  return JSON.parse(readFileSync(file, 'utf8')) as Snapshot
}

/** Returns what the process ends with. */
async function run(args: string[], voice: Voice): Promise<number> {
  const { values, positionals } = parse(args)
  if (values.help) {
    voice.say(help)
    return 0
  }
  const snapshot = readSnapshot()
  if (values.version) {
    voice.say(snapshot.version)
    return 0
  }
  const [first = '', ...others] = positionals
  const isCommand = commands.includes(first)
  const [command, rest] = isCommand ? [first, others] : ['create', positionals]
  const here = process.cwd()
  if (!isCommand && first && isApp(here))
    throw new Refusal(`"${first}" is no command, and this is an app already. There are: ${commands.join(', ')}.`)
  if (values.to !== undefined && !isVersion(values.to)) throw new Refusal('--to needs an exact version, such as 0.2.0.')
  const change: ChangeOptions = {
    isDryRun: values['dry-run'] ?? false,
    isInstalled: !values['no-install'],
    manager: values.pm === undefined ? undefined : packageManagerNamed(values.pm),
  }

  switch (command) {
    case 'render': {
      if (!values.state || !values.out) throw new Refusal('render needs --state <file> and --out <folder>.')
      const state = readState(readFileSync(values.state, 'utf8'))
      if (state.version !== snapshot.version)
        throw new Refusal(`The state is of ${state.version}, and this is ${snapshot.version}.`)
      const tree = render(snapshot, { ...state, modules: withRequired(snapshot, state.modules) })
      writeTree(tree, resolve(values.out))
      voice.result({ files: tree.size })
      return 0
    }
    case 'list': {
      let installed: string[] = []
      try {
        installed = openApp(here).state.modules
      } catch {
        // Not in an app: the list is the same without marks.
      }
      list(snapshot, installed, voice)
      return 0
    }
    case 'status':
      status(snapshot, openApp(here), voice)
      return 0
    case 'add':
      return add(snapshot, openApp(here), rest, change, voice)
    case 'remove':
      if (values['keep-data'] && values['drop-data']) throw new Refusal('Keep the data or drop it: not both.')
      return remove(
        snapshot,
        openApp(here),
        rest,
        { ...change, isForced: values.force ?? false, isDataDropped: values['drop-data'] ?? false },
        voice,
      )
    case 'upgrade': {
      const app = openApp(here)
      const wanted = values.to ?? newestVersion()
      // One that is not published yet is the newest there is.
      const isOwn = wanted === snapshot.version || (!values.to && isNewer(snapshot.version, wanted))
      if (isOwn) return upgrade(snapshot, app, change, voice)
      // The newer version knows what it brings.
      const flags = args.filter(
        (arg, index) => arg !== '--to' && args[index - 1] !== '--to' && !arg.startsWith('--to='),
      )
      return handOver(wanted, [...flags, '--to', wanted])
    }
    case 'continue':
      return resume(openApp(here), change, voice)
    case 'abort': {
      const { what, stash } = abort(openApp(here).repository)
      voice.say(`"${what}" is undone. Everything is as it was before.`)
      if (stash) voice.say('What was in the work tree, and in no commit, is in "git stash list".')
      voice.result({ aborted: what, stash: stash || null })
      return 0
    }
    default:
      if (rest.length > 1) throw new Refusal(`One folder, not ${rest.length}: ${rest.join(' ')}`)
      return create(
        snapshot,
        {
          ...change,
          folder: rest[0],
          modules: values.modules,
          isSure: values.yes ?? false,
          isInGit: !values['no-git'],
        },
        voice,
      )
  }
}

const args = process.argv.slice(2)
const isJson = args.includes('--json')
try {
  process.exitCode = await run(args, voiceFor(isJson))
} catch (error) {
  if (error instanceof Cancelled) process.exitCode = 130
  else if (error instanceof Refusal) {
    if (isJson) process.stdout.write(`${JSON.stringify({ error: error.message }, null, 2)}\n`)
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  } else throw error
}
