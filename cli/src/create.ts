import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { askForFolder, askForModules, canAsk } from './ask.ts'
import type { ExitCode } from './change.ts'
import { install, type PackageManager, packageManagerOf } from './package-manager.ts'
import { Refusal } from './refusal.ts'
import { render, withRequired } from './render.ts'
import { strong, type Voice } from './say.ts'
import { isName, type Snapshot } from './snapshot.ts'
import { writeTree } from './versions.ts'

export interface CreateOptions {
  folder: string | undefined
  modules: string | undefined
  isSure: boolean
  isDryRun: boolean
  isInstalled: boolean
  isInGit: boolean
  manager: PackageManager | undefined
}

/** "a,b", "all" or "none". */
export function modulesNamed(snapshot: Snapshot, text: string): string[] {
  if (text === 'all') return snapshot.modules.map(({ name }) => name).sort()
  if (text === 'none') return []
  return withRequired(
    snapshot,
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  )
}

/** What stands in a folder that counts as empty. */
const harmless = new Set(['.git', '.DS_Store', '.idea', '.vscode'])

export async function create(snapshot: Snapshot, options: CreateOptions, voice: Voice): Promise<ExitCode> {
  const mayAsk = canAsk() && !options.isSure
  const given = options.folder ?? (mayAsk ? await askForFolder() : undefined)
  if (!given) throw new Refusal('Say where the app shall be: npm create plinth@latest my-app')
  const folder = resolve(given)
  const name = basename(folder).toLowerCase()
  if (!isName(name))
    throw new Refusal(
      `"${basename(folder)}" cannot be the name of a package: begin with a letter, then letters, digits, ".", "-" and "_".`,
    )
  if (existsSync(folder) && readdirSync(folder).some((entry) => !harmless.has(entry)))
    throw new Refusal(`${given} is there already, and not empty.`)
  const modules =
    options.modules !== undefined
      ? modulesNamed(snapshot, options.modules)
      : mayAsk
        ? withRequired(snapshot, await askForModules(snapshot))
        : modulesNamed(snapshot, 'all')

  const tree = render(snapshot, { name, modules })
  const manager = options.manager ?? packageManagerOf(folder)
  if (manager !== 'npm') tree.delete('package-lock.json')
  const facts = { folder, name, version: snapshot.version, modules, files: tree.size }
  if (options.isDryRun) {
    voice.say(`Would write ${tree.size} files to ${given}, with ${inWords(modules)}.`)
    voice.result({ ...facts, isDryRun: true })
    return 0
  }
  const isNew = !existsSync(folder)
  mkdirSync(folder, { recursive: true })
  try {
    writeTree(tree, folder)
  } catch (error) {
    if (isNew) rmSync(folder, { recursive: true, force: true })
    throw error
  }
  voice.say(`${strong(name)} is in ${given}, with ${inWords(modules)}.`)
  let isInstalled = false
  if (options.isInstalled) {
    voice.say(`Installing packages with ${manager} …`)
    isInstalled = install(folder, manager)
    if (!isInstalled) voice.say(`That failed. In ${given}, run "${manager} install" again.`)
  }
  const isInGit = options.isInGit && begin(folder)
  if (isInGit && !existsSync(join(folder, '.git')))
    voice.say('It is in a git repository already: commit it there before you add, remove or upgrade.')
  const here = relative(process.cwd(), folder) || '.'
  const steps = [
    ...(here === '.' ? [] : [`cd ${here}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ]
  voice.say('', 'Next:', ...steps.map((step) => `  ${strong(step)}`), '')
  voice.say(`To undo: delete ${given}. Later: npx create-plinth add, remove, upgrade, status.`)
  voice.result({ ...facts, isInstalled, isInGit, next: steps })
  return options.isInstalled && !isInstalled ? 1 : 0
}

const inWords = (modules: string[]) => (modules.length > 0 ? `modules ${modules.join(', ')}` : 'no module')

/** The first commit, unless the folder belongs to a repository with commits. True when there is a repository in the end. */
function begin(folder: string): boolean {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  const top = git('rev-parse', '--show-toplevel')
  if (top.error) return false
  if (
    top.status === 0 &&
    (top.stdout.trim() !== realpathSync(folder) || git('rev-parse', '--verify', '-q', 'HEAD').status === 0)
  )
    return true
  if (top.status !== 0 && git('init', '--quiet', '--initial-branch=main').status !== 0) return false
  git('add', '--all')
  const own = ['-c', 'user.name=plinth', '-c', 'user.email=plinth@localhost']
  const isKnown = git('var', 'GIT_COMMITTER_IDENT').status === 0
  const commit = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'Begin with Plinth']
  return git(...(isKnown ? [] : own), ...commit).status === 0
}
