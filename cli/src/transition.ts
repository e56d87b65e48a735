import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CliError } from './cli-error.ts'
import { mergeEnvExample } from './env-example.ts'
import { formatLike } from './format.ts'
import type { Repository } from './git.ts'
import { normalizeLineEndings } from './line-endings.ts'
import { mergeLockfile } from './lockfile.ts'
import { mergeManifest } from './manifest.ts'
import {
  clearOperation,
  currentOperation,
  findCommit,
  getProgress,
  gitPath,
  indentedList,
  type Operation,
  refs,
  removeWritten,
  saveOperation,
} from './operation.ts'
import type { Tree } from './snapshot.ts'

/** Merged by package. The lockfiles of other package managers are not, because the template has none for them. */
const lockfile = 'package-lock.json'

export interface Plan {
  what: string
  message: string
  base: Tree
  next: Tree
  /** What is left to do for the user, printed at the end. */
  nextSteps: string[]
}

export interface Outcome {
  changed: string[]
  conflicts: string[]
}

/** The outcome of an operation that was carried out. */
export type AppliedChange = Outcome & Pick<Operation, 'what' | 'hasNewPackages' | 'nextSteps'> & { commit: string }

/** Prepares both trees so that git merges them into the app with real conflicts only. */
function prepare(repository: Repository, plan: Plan): { base: Tree; next: Tree; hasNewPackages: boolean } {
  const [base, next] = formatLike(repository, plan.base, plan.next)
  const paths = [...new Set([...base.keys(), ...next.keys()])]
  const appFiles = repository.readAt('HEAD', paths)
  for (const [path, merge] of [
    ['package.json', mergeManifest],
    ['.env.example', mergeEnvExample],
  ] as const) {
    const [was, becomes, is] = [base.get(path), next.get(path), appFiles.get(path)]
    if (!was || !becomes || !is) continue
    const merged = merge({ base: was.toString(), next: becomes.toString(), user: normalizeLineEndings(is) })
    base.set(path, Buffer.from(merged.base))
    next.set(path, Buffer.from(merged.next))
  }
  prepareLockfile(base, next, appFiles.get(lockfile))
  // Other line endings than in the template must not count as a change.
  for (const [path, bytes] of appFiles) {
    if (!bytes?.includes('\r\n')) continue
    for (const tree of [base, next]) {
      const text = tree.get(path)
      if (text && !text.includes(0)) tree.set(path, Buffer.from(text.toString().replaceAll(/\r?\n/g, '\r\n')))
    }
  }
  return { base, next, hasNewPackages: packagesOf(base) !== packagesOf(next) }
}

/** Replaces both lockfiles by the one of the app, before and after, so that git never has to merge its lines. */
function prepareLockfile(base: Tree, next: Tree, ofApp: Buffer | null | undefined): void {
  const [was, becomes] = [base.get(lockfile)?.toString(), next.get(lockfile)?.toString()]
  for (const tree of [base, next]) tree.delete(lockfile)
  if (!was || !becomes || !ofApp) return
  const user = normalizeLineEndings(ofApp)
  const merged = mergeLockfile({ base: was, next: becomes, user }, next.get('package.json')?.toString() ?? '{}')
  if (merged === null) return
  base.set(lockfile, Buffer.from(user))
  next.set(lockfile, Buffer.from(merged))
}

/** What the package manager installs, for comparison. */
function packagesOf(tree: Tree): string {
  const { dependencies, devDependencies, overrides } = JSON.parse(tree.get('package.json')?.toString() ?? '{}')
  return JSON.stringify([dependencies, devDependencies, overrides, tree.get(lockfile)?.toString()])
}

/** The outcome of a plan as a dry run: writes only to git's object store. */
export function preview(repository: Repository, plan: Plan): Outcome {
  const { base, next } = prepare(repository, plan)
  repository.writeCommits(refs, base, next, plan.message)
  try {
    // A commit of the app's files with the base as parent, so that git uses the base as the merge base.
    const appCommit = repository.tryWith(
      { env: repository.identity() },
      ...['-c', 'commit.gpgSign=false', 'commit-tree', 'HEAD^{tree}', '-p', refs.base, '-m', 'The app as it is'],
    )
    if (appCommit.status !== 0) throw new Error(appCommit.errorOutput)
    const { status, output } = repository.try(
      ...['merge-tree', '--write-tree', '--no-messages', '-z', appCommit.output, refs.next],
    )
    if (status === null || status > 1) throw new CliError('A dry run needs git 2.38 or newer.')
    const [tree = '', ...entries] = output.split('\0').filter(Boolean)
    const sides = sidesOf(entries)
    const changed = repository.lines('diff-tree', '-r', '-z', '--name-only', '--relative', 'HEAD', tree)
    const stayDeleted = new Set(deletedByUser(sides))
    const conflicts = [...sides.keys()].filter((path) => !stayDeleted.has(path))
    const relativePath = (path: string) => path.slice(repository.prefix.length)
    return {
      changed: changed.filter((path) => !stayDeleted.has(repository.prefix + path)),
      conflicts: conflicts.map(relativePath),
    }
  } finally {
    clearOperation(repository)
  }
}

/** The index stages of each path with a conflict: 1 is the base, 2 the app, 3 the template. */
function sidesOf(entries: string[]): Map<string, string> {
  const sides = new Map<string, string>()
  for (const entry of entries) {
    const [, side = '', path = ''] = /^\S+ \S+ (\d)\t(.*)$/s.exec(entry) ?? []
    sides.set(path, (sides.get(path) ?? '') + side)
  }
  return sides
}

const unmerged = (repository: Repository) => sidesOf(repository.lines('ls-files', '--unmerged', '--full-name', '-z'))

/** Files that the user deleted and the template changed. They stay deleted. */
const deletedByUser = (sides: Map<string, string>) =>
  [...sides].filter(([, some]) => some === '13').map(([path]) => path)

/** Carries out a plan: one commit on top of HEAD, or git conflicts for the user to resolve. */
export function applyPlan(repository: Repository, plan: Plan): AppliedChange {
  const { base, next, hasNewPackages } = prepare(repository, plan)
  const known = new Set(repository.pathsAt('HEAD'))
  const differs = (path: string) => !base.get(path)?.equals(next.get(path) ?? Buffer.alloc(0))
  const written = [...next.keys()].filter((path) => !known.has(path) && differs(path))
  const untracked = written.filter((path) => existsSync(join(repository.folder, path)))
  if (untracked.length > 0)
    throw new CliError(
      `These untracked files would be overwritten:\n${indentedList(untracked)}\nMove or commit them first.`,
    )
  repository.writeCommits(refs, base, next, plan.message)
  const operation: Operation = {
    what: plan.what,
    prefix: repository.prefix,
    from: repository.commitAt('HEAD'),
    next: repository.commitAt(refs.next),
    written,
    hasNewPackages,
    nextSteps: plan.nextSteps,
  }
  saveOperation(repository, operation)
  const { status, errorOutput } = repository.tryWith(
    { env: repository.identity() },
    ...['cherry-pick', '--allow-empty', '--keep-redundant-commits', operation.next],
  )
  if (status === 0) return toAppliedChange(repository, operation)
  if (status === null) throw new Error('git was killed. Run "npx plinth abort" to restore everything.')
  if (getProgress(repository, operation) !== 'picking') {
    // Git did not start, for example because of a changed file that is marked as assume-unchanged.
    clearOperation(repository)
    throw new CliError(`git failed: ${errorOutput}`)
  }
  const stayDeleted = deletedByUser(unmerged(repository))
  if (stayDeleted.length > 0) repository.run('rm', '--quiet', '--', ...stayDeleted.map((path) => `:(top)${path}`))
  const conflicts = [...unmerged(repository).keys()].map((path) => path.slice(repository.prefix.length))
  if (conflicts.length > 0)
    return { what: plan.what, hasNewPackages, nextSteps: plan.nextSteps, changed: [], conflicts, commit: '' }
  return commitPick(repository, operation)
}

function commitPick(repository: Repository, operation: Operation): AppliedChange {
  const { status, errorOutput } = repository.tryWith({ env: repository.identity() }, ...['cherry-pick', '--continue'])
  if (status !== 0)
    throw new CliError(
      `git couldn’t commit: ${errorOutput}\nFix the problem, then run "npx plinth continue". To undo everything, run "npx plinth abort".`,
    )
  return toAppliedChange(repository, operation)
}

function toAppliedChange(repository: Repository, operation: Operation): AppliedChange {
  // An operation that an older version began has no steps.
  const { what, hasNewPackages, nextSteps = [], from } = operation
  const commit = findCommit(repository, operation)
  const changed = repository.lines('diff', '--name-only', '-z', '--relative', from, commit)
  return { what, hasNewPackages, nextSteps, changed, conflicts: [], commit }
}

/** Continues an operation that stopped at conflicts or was killed. */
export function continueOperation(repository: Repository): AppliedChange {
  const operation = currentOperation(repository)
  if (!operation) throw new CliError('No operation in progress.')
  const progress = getProgress(repository, operation)
  if (progress === 'committed') return toAppliedChange(repository, operation)
  if (progress === 'neither')
    throw new CliError(`"${operation.what}" can’t be continued. Undo it with "npx plinth abort" and start again.`)
  const open = [...unmerged(repository)].map(([path, sides]) => ({ path: path.slice(repository.prefix.length), sides }))
  const marked = open.filter(({ path }) => hasMarkers(join(repository.folder, path))).map(({ path }) => path)
  if (marked.length > 0)
    throw new CliError(
      `There are unresolved conflicts in:\n${indentedList(marked)}\nResolve them, then run "npx plinth continue".`,
    )
  const undecided = open.filter(({ sides }) => !/23/.test(sides)).map(({ path }) => path)
  if (undecided.length > 0)
    throw new CliError(
      `You changed files that Plinth deleted:\n${indentedList(undecided)}\nKeep them with "git add" or delete them with "git rm", then run "npx plinth continue".`,
    )
  if (open.length > 0) repository.run('add', '--', ...open.map(({ path }) => path))
  return commitPick(repository, operation)
}

const hasMarkers = (file: string) => existsSync(file) && /^(<{7} |={7}$|>{7} )/m.test(readFileSync(file, 'utf8'))

/** Ends the operation: deletes the data that `abort` would need. */
export function finish(repository: Repository): void {
  clearOperation(repository)
}

/** Restores everything byte-identical. Returns what was undone, and the stash with uncommitted work, if there was any. */
export function abort(repository: Repository): { what: string; stash: string } {
  const operation = currentOperation(repository)
  if (!operation)
    throw new CliError('No operation in progress. To undo the last change, run "git reset --keep HEAD~1".')
  const { what, from } = operation
  // Left over if git was killed while writing.
  rmSync(gitPath(repository, 'index.lock'), { force: true })
  let stash = ''
  const progress = getProgress(repository, operation)
  if (progress === 'committed') {
    const isOnTop = findCommit(repository, operation) === repository.commitAt('HEAD')
    const { status, errorOutput } = isOnTop
      ? repository.try('reset', '--quiet', '--keep', from)
      : { status: 1, errorOutput: 'There are newer commits on top of it.' }
    if (status !== 0)
      throw new CliError(`"${what}" is already committed. ${errorOutput}\nFinish it with "npx plinth continue".`)
  } else if (progress !== 'picking' || repository.try('cherry-pick', '--abort').status !== 0) {
    // Killed half-way: the changes in the work tree may be git's or the user's. Stash all of them.
    if (repository.changes.length > 0) {
      stash = repository.tryWith({ env: repository.identity() }, 'stash', 'create', `before undoing ${what}`).output
      if (stash) repository.run('stash', 'store', '-m', `Found when "${what}" was undone`, stash)
    }
    repository.run('reset', '--quiet', '--hard', 'HEAD')
  }
  removeWritten(repository, operation)
  clearOperation(repository)
  return { what, stash }
}

/**
 * Adds the lockfile to the commit of the operation, if that is still the last commit. False if the user must commit it.
 */
export function amendWith(repository: Repository, { commit }: AppliedChange, files: string[]): boolean {
  const there = files.filter(
    (file) => existsSync(join(repository.folder, file)) && repository.try('check-ignore', '--quiet', file).status !== 0,
  )
  if (there.length === 0 || repository.commitAt('HEAD') !== commit) return false
  repository.run('add', '--', ...there)
  if (repository.try('diff', '--cached', '--quiet').status === 0) return true
  const { status } = repository.tryWith(
    { env: repository.identity() },
    ...['commit', '--quiet', '--amend', '--no-edit', '--no-verify', '--only', '--', ...there],
  )
  return status === 0
}
