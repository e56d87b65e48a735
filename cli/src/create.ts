import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { basename, relative, resolve } from 'node:path'
import { askForFolder, askForModules, isInteractive } from './ask.ts'
import type { ExitCode } from './change.ts'
import { CliError } from './cli-error.ts'
import { bold, type Output } from './output.ts'
import { detectPackageManager, installWithProgress, type PackageManager } from './package-manager.ts'
import { render, withRequired } from './render.ts'
import { isName, type Snapshot } from './snapshot.ts'
import { writeTree } from './versions.ts'

export interface CreateOptions {
  folder: string | undefined
  modules: string | undefined
  isNonInteractive: boolean
  isDryRun: boolean
  isInstalled: boolean
  isInGit: boolean
  manager: PackageManager | undefined
}

/** Parses the value of --modules: "a,b", "all" or "none". */
export function parseModules(snapshot: Snapshot, text: string): string[] {
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

/** Files that a folder may contain and still counts as empty. */
const ignoredFiles = new Set(['.git', '.DS_Store', '.idea', '.vscode'])

export async function create(snapshot: Snapshot, options: CreateOptions, output: Output): Promise<ExitCode> {
  const canPrompt = isInteractive() && !options.isNonInteractive
  const folderArgument = options.folder ?? (canPrompt ? await askForFolder() : undefined)
  if (!folderArgument) throw new CliError('Specify a folder: npm create plinth@latest my-app')
  const folder = resolve(folderArgument)
  const name = basename(folder).toLowerCase()
  if (!isName(name))
    throw new CliError(
      `"${basename(folder)}" isn’t a valid package name. Start with a letter; use letters, numbers, ".", "-" and "_".`,
    )
  if (existsSync(folder) && readdirSync(folder).some((entry) => !ignoredFiles.has(entry)))
    throw new CliError(`${folderArgument} already exists and isn’t empty.`)
  const modules =
    options.modules !== undefined
      ? parseModules(snapshot, options.modules)
      : canPrompt
        ? withRequired(snapshot, await askForModules(snapshot))
        : parseModules(snapshot, 'all')

  const tree = render(snapshot, { name, modules })
  const manager = options.manager ?? detectPackageManager(folder)
  if (manager !== 'npm') tree.delete('package-lock.json')
  const summary = { folder, name, version: snapshot.version, modules, files: tree.size }
  if (options.isDryRun) {
    output.print(`Would write ${tree.size} files to ${folderArgument} with ${describeModules(modules)}.`)
    output.result({ ...summary, isDryRun: true })
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
  output.print(`Created ${bold(name)} in ${folderArgument} with ${describeModules(modules)}.`)
  let isInstalled = false
  if (options.isInstalled) {
    output.print(`Installing packages with ${manager}…`)
    isInstalled = await installWithProgress(folder, manager, (installed, total) =>
      output.progress?.(`  ${installed}${total > 0 ? ` of ${total}` : ''} packages`),
    )
    if (process.stdout.isTTY) output.progress?.('')
    if (!isInstalled) output.print(`Install failed. Run "${manager} install" in ${folderArgument} to retry.`)
  }
  const isInGit = options.isInGit && reportFirstCommit(createFirstCommit(folder), output)
  const here = relative(process.cwd(), folder) || '.'
  const steps = [
    ...(here === '.' ? [] : [`cd ${here}`]),
    ...(isInstalled ? [] : [`${manager} install`]),
    `${manager} run dev`,
  ]
  output.print('', 'Next steps:', ...steps.map((step) => `  ${bold(step)}`), '')
  output.print('Later, add or remove modules or upgrade with npx plinth add | remove | upgrade.')
  output.result({ ...summary, isInstalled, isInGit, next: steps })
  return options.isInstalled && !isInstalled ? 1 : 0
}

const describeModules = (modules: string[]) => (modules.length > 0 ? `modules ${modules.join(', ')}` : 'no modules')

type FirstCommit = 'made' | 'made without an identity' | 'inside another repository' | 'no git' | 'failed'

/** Says what was not done. Returns whether the app is in a repository. */
function reportFirstCommit(result: FirstCommit, output: Output): boolean {
  const words: Record<FirstCommit, string> = {
    made: '',
    'made without an identity':
      'git doesn’t know who you are, so the first commit is by "plinth". Set git config user.name and user.email.',
    'inside another repository':
      'The folder is inside a git repository. Commit the app there before you add or remove modules or upgrade.',
    'no git': 'git isn’t installed, so there is no repository. You need one to add or remove modules and to upgrade.',
    failed: 'git couldn’t make the first commit. Run "git init && git add -A && git commit" before you add modules.',
  }
  if (words[result]) output.print(words[result])
  return result !== 'no git' && result !== 'failed'
}

/** Makes the first commit, unless the folder is in a repository with commits. */
function createFirstCommit(folder: string): FirstCommit {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: folder, encoding: 'utf8' })
  const top = git('rev-parse', '--show-toplevel')
  if (top.error) return 'no git'
  if (top.status === 0) {
    if (top.stdout.trim() !== realpathSync(folder)) return 'inside another repository'
    if (git('rev-parse', '--verify', '-q', 'HEAD').status === 0) return 'made'
  }
  if (top.status !== 0 && git('init', '--quiet', '--initial-branch=main').status !== 0) return 'failed'
  git('add', '--all')
  const fallbackIdentity = ['-c', 'user.name=plinth', '-c', 'user.email=plinth@localhost']
  const hasIdentity = git('var', 'GIT_COMMITTER_IDENT').status === 0
  const commit = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '-m', 'Initial commit from create-plinth']
  if (git(...(hasIdentity ? [] : fallbackIdentity), ...commit).status !== 0) return 'failed'
  return hasIdentity ? 'made' : 'made without an identity'
}
