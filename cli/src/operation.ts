import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { CliError } from './cli-error.ts'
import type { Repository } from './git.ts'
import { isSameContent, normalizeLineEndings } from './line-endings.ts'
import { formatList } from './output.ts'
import { stateFile } from './snapshot.ts'

/** Per work tree, because a repository can have several. */
export const refs = { base: 'refs/worktree/plinth/base', next: 'refs/worktree/plinth/next' }

/** An operation that is in progress, or was interrupted. */
export interface Operation {
  /** The command, such as "add admin". */
  what: string
  /** The path of the app in the repository. */
  prefix: string
  /** HEAD before the operation, and the commit that is cherry-picked onto it. */
  from: string
  next: string
  /** New files that git creates. */
  written: string[]
  /** Whether dependencies change, so that the lockfile must be regenerated. */
  hasNewPackages: boolean
  /** What is left to do for the user, printed at the end. */
  nextSteps: string[]
}

export const indentedList = (paths: string[]) => formatList(paths).join('\n')
export const gitPath = (repository: Repository, name: string) =>
  resolve(repository.folder, repository.run('rev-parse', '--git-path', name))
const operationFile = (repository: Repository) => gitPath(repository, 'plinth-operation.json')

/** The operation in progress. Throws if it belongs to another app of the same repository. */
export function currentOperation(repository: Repository): Operation | null {
  const file = operationFile(repository)
  if (!existsSync(file)) return null
  const operation = JSON.parse(readFileSync(file, 'utf8')) as Operation
  if (operation.prefix !== repository.prefix)
    throw new CliError(
      `"${operation.what}" is in progress in ${operation.prefix || 'the root folder'} of this repository. Finish or abort it there first.`,
    )
  return operation
}

/** Stores the operation, so that `continue` and `abort` find it after an interruption. */
export function saveOperation(repository: Repository, operation: Operation): void {
  writeFileSync(operationFile(repository), JSON.stringify(operation))
}

export function clearOperation(repository: Repository): void {
  for (const ref of Object.values(refs)) repository.try('update-ref', '-d', ref)
  rmSync(operationFile(repository), { force: true })
}

/**
 * How far the operation got. The user may have finished or undone it with git meanwhile, and continued to work: their
 * commits must not be mistaken for ours.
 */
export function getProgress(repository: Repository, operation: Operation): 'picking' | 'committed' | 'neither' {
  if (repository.commitAt('CHERRY_PICK_HEAD') === operation.next) return 'picking'
  return findCommit(repository, operation) ? 'committed' : 'neither'
}

/** The commit of the operation: the first one after `from`, if it has the expected state. '' if there is none. */
export function findCommit(repository: Repository, { from, next }: Operation): string {
  const first = repository.try('rev-list', '--first-parent', '--reverse', `${from}..HEAD`).output.split('\n')[0] ?? ''
  if (!first) return ''
  const [is, wanted] = [first, next].map((commit) => repository.readAt(commit, [stateFile]).get(stateFile))
  return is && isSameContent(is, wanted) ? first : ''
}

/** Throws on an unfinished operation or uncommitted changes, so that HEAD always has the user's work if something fails. */
export function assertReady(repository: Repository): void {
  const operation = currentOperation(repository)
  if (operation && getProgress(repository, operation) === 'neither' && repository.changes.length === 0) {
    // The user has undone it with git.
    removeWritten(repository, operation)
    clearOperation(repository)
  } else if (operation)
    throw new CliError(
      `"${operation.what}" isn’t finished. Run "npx plinth continue" to finish it or "npx plinth abort" to undo it.`,
    )
  for (const [state, name] of [
    ['MERGE_HEAD', 'merge'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
    ['REVERT_HEAD', 'revert'],
    ['rebase-merge', 'rebase'],
    ['rebase-apply', 'rebase'],
  ] as const)
    if (existsSync(gitPath(repository, state)))
      throw new CliError(`A ${name} is in progress in this repository. Finish it first.`)
  const { changes } = repository
  if (changes.length > 0)
    throw new CliError(`You have uncommitted changes:\n${indentedList(changes)}\nCommit or stash them first.`)
}

/** Removes files that an interrupted checkout has left: not in HEAD, and identical with the template. */
export function removeWritten(repository: Repository, { written, next }: Operation): void {
  const known = new Set(repository.pathsAt('HEAD'))
  const templateFiles = repository.readAt(next, written)
  for (const path of written) {
    const file = join(repository.folder, path)
    const isOurs = existsSync(file) && !known.has(path) && isPrefix(readFileSync(file), templateFiles.get(path))
    if (isOurs) rmSync(file)
    if (isOurs || !existsSync(file)) removeEmptyFolders(repository.folder, dirname(path))
  }
}

/** Also true for a file that was only partly written. */
const isPrefix = (some: Buffer, whole: Buffer | null | undefined) =>
  whole?.subarray(0, some.length).equals(some) ||
  normalizeLineEndings(whole ?? Buffer.alloc(0)).startsWith(normalizeLineEndings(some))

function removeEmptyFolders(root: string, path: string): void {
  for (let folder = path; folder !== '.'; folder = dirname(folder)) {
    const full = join(root, folder)
    if (!existsSync(full)) continue
    if (readdirSync(full).length > 0) return
    rmSync(full, { recursive: true })
  }
}
