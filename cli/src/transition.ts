import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { mergeEnvExample } from './env-example.ts'
import { formatLike } from './format.ts'
import type { Repository } from './git.ts'
import { mergeManifest } from './manifest.ts'
import { Refusal } from './refusal.ts'
import { listOf } from './say.ts'
import { stateFile, type Tree } from './snapshot.ts'

/** Of this work tree alone, should the repository have several. */
const refs = { base: 'refs/worktree/plinth/base', next: 'refs/worktree/plinth/next' }

/** Made anew by the package manager, never merged. */
const lockfile = 'package-lock.json'

/** What is under way, or was when it was interrupted. */
interface Operation {
  /** As in "add admin". */
  what: string
  /** Which app of the repository. */
  prefix: string
  /** HEAD when it began, and the commit that is picked onto it. */
  from: string
  next: string
  /** Files that git writes although HEAD has none there. */
  written: string[]
  /** Whether packages change, so that the lockfile has to be made anew. */
  hasNewPackages: boolean
}

export interface Plan {
  what: string
  message: string
  base: Tree
  next: Tree
}

export interface Outcome {
  changed: string[]
  conflicts: string[]
}

/** The same once it was carried out. */
export type Done = Outcome & Pick<Operation, 'what' | 'hasNewPackages'> & { commit: string }

const list = (paths: string[]) => listOf(paths).join('\n')
const gitPath = (repository: Repository, name: string) =>
  resolve(repository.folder, repository.run('rev-parse', '--git-path', name))
const operationFile = (repository: Repository) => gitPath(repository, 'plinth-operation.json')

/** What is under way here. Asked of another app in the same repository, it is refused. */
export function operationUnderWay(repository: Repository): Operation | null {
  const file = operationFile(repository)
  if (!existsSync(file)) return null
  const operation = JSON.parse(readFileSync(file, 'utf8')) as Operation
  if (operation.prefix !== repository.prefix)
    throw new Refusal(
      `"${operation.what}" is under way in ${operation.prefix || 'the top folder'} of this repository. Finish or abort it there first.`,
    )
  return operation
}

function forget(repository: Repository): void {
  for (const ref of Object.values(refs)) repository.try('update-ref', '-d', ref)
  rmSync(operationFile(repository), { force: true })
}

/**
 * How far it came. Somebody may have finished or undone it with git itself meanwhile, and gone on working: nothing of
 * theirs may be taken for ours.
 */
function progressOf(repository: Repository, operation: Operation): 'picking' | 'committed' | 'neither' {
  if (repository.commitAt('CHERRY_PICK_HEAD') === operation.next) return 'picking'
  return commitOf(repository, operation) ? 'committed' : 'neither'
}

/** The commit that came of it: the first after where it began, with the state that was wanted. '' when there is none. */
function commitOf(repository: Repository, { from, next }: Operation): string {
  const first = repository.try('rev-list', '--first-parent', '--reverse', `${from}..HEAD`).output.split('\n')[0] ?? ''
  if (!first) return ''
  const [is, wanted] = [first, next].map((commit) => repository.readAt(commit, [stateFile]).get(stateFile))
  return is && wanted && plain(is) === plain(wanted) ? first : ''
}

/** Nothing is begun on top of something unfinished: whatever goes wrong, HEAD is then what the person had. */
export function refuseUnlessReady(repository: Repository): void {
  const operation = operationUnderWay(repository)
  if (operation && progressOf(repository, operation) === 'neither' && repository.changes.length === 0) {
    // Undone with git itself.
    removeWritten(repository, operation)
    forget(repository)
  } else if (operation)
    throw new Refusal(
      `"${operation.what}" was begun and not finished. Finish it with "npx create-plinth continue", or undo it with "npx create-plinth abort".`,
    )
  for (const [state, name] of [
    ['MERGE_HEAD', 'merge'],
    ['CHERRY_PICK_HEAD', 'cherry-pick'],
    ['REVERT_HEAD', 'revert'],
    ['rebase-merge', 'rebase'],
    ['rebase-apply', 'rebase'],
  ] as const)
    if (existsSync(gitPath(repository, state)))
      throw new Refusal(`A ${name} is under way in this repository. Finish it first.`)
  const { changes } = repository
  if (changes.length > 0)
    throw new Refusal(
      `There are changes that are not committed:\n${list(changes)}\nCommit or stash them first, so that nothing of yours can be mixed up with what changes now.`,
    )
}

/** Prepares both trees so that git merges them into the app with true conflicts only. */
function prepare(repository: Repository, plan: Plan): { base: Tree; next: Tree; hasNewPackages: boolean } {
  const [base, next] = formatLike(repository, plan.base, plan.next)
  for (const tree of [base, next]) tree.delete(lockfile)
  const paths = [...new Set([...base.keys(), ...next.keys()])]
  const here = repository.readAt('HEAD', paths)
  for (const [path, merge] of [
    ['package.json', mergeManifest],
    ['.env.example', mergeEnvExample],
  ] as const) {
    const [was, becomes, is] = [base.get(path), next.get(path), here.get(path)]
    if (!was || !becomes || !is) continue
    const merged = merge({ base: was.toString(), next: becomes.toString(), user: plain(is) })
    base.set(path, Buffer.from(merged.base))
    next.set(path, Buffer.from(merged.next))
  }
  // Where the app has another end of line than the template, that is no change of anybody.
  for (const [path, bytes] of here) {
    if (!bytes?.includes('\r\n')) continue
    for (const tree of [base, next]) {
      const text = tree.get(path)
      if (text && !text.includes(0)) tree.set(path, Buffer.from(text.toString().replaceAll(/\r?\n/g, '\r\n')))
    }
  }
  return { base, next, hasNewPackages: packagesOf(base) !== packagesOf(next) }
}

const plain = (bytes: Buffer) => bytes.toString().replaceAll('\r\n', '\n')

/** What the package manager would have to install. */
function packagesOf(tree: Tree): string {
  const { dependencies, devDependencies, overrides } = JSON.parse(tree.get('package.json')?.toString() ?? '{}')
  return JSON.stringify([dependencies, devDependencies, overrides])
}

/** What would come of it, without touching anything but git's store of objects. */
export function preview(repository: Repository, plan: Plan): Outcome {
  const { base, next } = prepare(repository, plan)
  repository.writeCommits(refs, base, next, plan.message)
  try {
    // The app's files on top of the base: so git takes the base for what both have in common.
    const made = repository.tryWith(
      { env: repository.identity() },
      ...['-c', 'commit.gpgSign=false', 'commit-tree', 'HEAD^{tree}', '-p', refs.base, '-m', 'The app as it is'],
    )
    if (made.status !== 0) throw new Error(made.complaint)
    const { status, output } = repository.try(
      ...['merge-tree', '--write-tree', '--no-messages', '-z', made.output, refs.next],
    )
    if (status === null || status > 1) throw new Refusal('A dry run needs git 2.38 or newer.')
    const [tree = '', ...entries] = output.split('\0').filter(Boolean)
    const sides = sidesOf(entries)
    const changed = repository.lines('diff-tree', '-r', '-z', '--name-only', '--relative', 'HEAD', tree)
    const stayDeleted = new Set(deletedByThem(sides))
    const conflicts = [...sides.keys()].filter((path) => !stayDeleted.has(path))
    const ours = (path: string) => path.slice(repository.prefix.length)
    return {
      changed: changed.filter((path) => !stayDeleted.has(repository.prefix + path)),
      conflicts: conflicts.map(ours),
    }
  } finally {
    forget(repository)
  }
}

/** Of each path with a conflict, what git has of it: 1 is the base, 2 the app, 3 the template. */
function sidesOf(entries: string[]): Map<string, string> {
  const sides = new Map<string, string>()
  for (const entry of entries) {
    const [, side = '', path = ''] = /^\S+ \S+ (\d)\t(.*)$/s.exec(entry) ?? []
    sides.set(path, (sides.get(path) ?? '') + side)
  }
  return sides
}

const unmerged = (repository: Repository) => sidesOf(repository.lines('ls-files', '--unmerged', '--full-name', '-z'))

/** What they deleted stays deleted, whatever the template made of it. */
const deletedByThem = (sides: Map<string, string>) =>
  [...sides].filter(([, some]) => some === '13').map(([path]) => path)

/** Carries it out: one commit on top of HEAD, or ordinary conflicts that wait to be solved. */
export function carryOut(repository: Repository, plan: Plan): Done {
  const { base, next, hasNewPackages } = prepare(repository, plan)
  const known = new Set(repository.pathsAt('HEAD'))
  const differs = (path: string) => !base.get(path)?.equals(next.get(path) ?? Buffer.alloc(0))
  const written = [...next.keys()].filter((path) => !known.has(path) && differs(path))
  const inTheWay = written.filter((path) => existsSync(join(repository.folder, path)))
  if (inTheWay.length > 0)
    throw new Refusal(
      `These files are in the way, and git does not know them:\n${list(inTheWay)}\nMove them, or commit them first.`,
    )
  repository.writeCommits(refs, base, next, plan.message)
  const operation: Operation = {
    what: plan.what,
    prefix: repository.prefix,
    from: repository.commitAt('HEAD'),
    next: repository.commitAt(refs.next),
    written,
    hasNewPackages,
  }
  writeFileSync(operationFile(repository), JSON.stringify(operation))
  const { status, complaint } = repository.tryWith(
    { env: repository.identity() },
    ...['cherry-pick', '--allow-empty', '--keep-redundant-commits', operation.next],
  )
  if (status === 0) return doneWith(repository, operation)
  if (status === null) throw new Error('git was killed. "npx create-plinth abort" brings everything back.')
  if (progressOf(repository, operation) !== 'picking') {
    // Git has looked and not begun, as when a file is changed that it was told to overlook.
    forget(repository)
    throw new Refusal(`git refuses: ${complaint}`)
  }
  const stayDeleted = deletedByThem(unmerged(repository))
  if (stayDeleted.length > 0) repository.run('rm', '--quiet', '--', ...stayDeleted.map((path) => `:(top)${path}`))
  const conflicts = [...unmerged(repository).keys()].map((path) => path.slice(repository.prefix.length))
  if (conflicts.length > 0) return { what: plan.what, hasNewPackages, changed: [], conflicts, commit: '' }
  return commitPick(repository, operation)
}

function commitPick(repository: Repository, operation: Operation): Done {
  const { status, complaint } = repository.tryWith({ env: repository.identity() }, ...['cherry-pick', '--continue'])
  if (status !== 0)
    throw new Refusal(
      `git could not commit: ${complaint}\nMend that, then "npx create-plinth continue"; or have everything as before: "npx create-plinth abort".`,
    )
  return doneWith(repository, operation)
}

function doneWith(repository: Repository, operation: Operation): Done {
  const { what, hasNewPackages, from } = operation
  const commit = commitOf(repository, operation)
  const changed = repository.lines('diff', '--name-only', '-z', '--relative', from, commit)
  return { what, hasNewPackages, changed, conflicts: [], commit }
}

/** Takes up where conflicts, or a kill, stopped it. */
export function proceed(repository: Repository): Done {
  const operation = operationUnderWay(repository)
  if (!operation) throw new Refusal('Nothing is under way.')
  const progress = progressOf(repository, operation)
  if (progress === 'committed') return doneWith(repository, operation)
  if (progress === 'neither')
    throw new Refusal(
      `"${operation.what}" did not come far enough to go on. Undo it with "npx create-plinth abort", and begin again.`,
    )
  const open = [...unmerged(repository)].map(([path, sides]) => ({ path: path.slice(repository.prefix.length), sides }))
  const marked = open.filter(({ path }) => hasMarkers(join(repository.folder, path))).map(({ path }) => path)
  if (marked.length > 0)
    throw new Refusal(`There are conflicts left in:\n${list(marked)}\nSolve them, then "npx create-plinth continue".`)
  const undecided = open.filter(({ sides }) => !/23/.test(sides)).map(({ path }) => path)
  if (undecided.length > 0)
    throw new Refusal(
      `You changed what Plinth deleted:\n${list(undecided)}\nKeep it with "git add" or delete it with "git rm", then "npx create-plinth continue".`,
    )
  if (open.length > 0) repository.run('add', '--', ...open.map(({ path }) => path))
  return commitPick(repository, operation)
}

const hasMarkers = (file: string) => existsSync(file) && /^(<{7} |={7}$|>{7} )/m.test(readFileSync(file, 'utf8'))

/** Ends it for good: what was kept for the way back is let go. */
export function finish(repository: Repository): void {
  forget(repository)
}

/** Everything as it was before, to the byte. Returns what was undone, and where work that was found is kept. */
export function abort(repository: Repository): { what: string; stash: string } {
  const operation = operationUnderWay(repository)
  if (!operation) throw new Refusal('Nothing is under way. The last change is undone with "git reset --keep HEAD~1".')
  const { what, from } = operation
  // Git's own, when it was killed in the middle of writing.
  rmSync(gitPath(repository, 'index.lock'), { force: true })
  let stash = ''
  const progress = progressOf(repository, operation)
  if (progress === 'committed') {
    const isOnTop = commitOf(repository, operation) === repository.commitAt('HEAD')
    const { status, complaint } = isOnTop
      ? repository.try('reset', '--quiet', '--keep', from)
      : { status: 1, complaint: 'There are newer commits on top of it.' }
    if (status !== 0)
      throw new Refusal(`"${what}" is committed already. ${complaint}\nFinish it with "npx create-plinth continue".`)
  } else if (progress !== 'picking' || repository.try('cherry-pick', '--abort').status !== 0) {
    // Killed half-way: what is in the work tree may be git's half or the person's work. Both are kept.
    if (repository.changes.length > 0) {
      stash = repository.tryWith({ env: repository.identity() }, 'stash', 'create', `before undoing ${what}`).output
      if (stash) repository.run('stash', 'store', '-m', `Found when "${what}" was undone`, stash)
    }
    repository.run('reset', '--quiet', '--hard', 'HEAD')
  }
  removeWritten(repository, operation)
  forget(repository)
  return { what, stash }
}

/** What an interrupted checkout has left: files that HEAD does not have, as the template has them. */
function removeWritten(repository: Repository, { written, next }: Operation): void {
  const known = new Set(repository.pathsAt('HEAD'))
  const theirs = repository.readAt(next, written)
  for (const path of written) {
    const file = join(repository.folder, path)
    const isOurs = existsSync(file) && !known.has(path) && isBeginning(readFileSync(file), theirs.get(path))
    if (isOurs) rmSync(file)
    if (isOurs || !existsSync(file)) removeEmptyFolders(repository.folder, dirname(path))
  }
}

/** Also of a file that was not written to its end. */
const isBeginning = (some: Buffer, whole: Buffer | null | undefined) =>
  whole?.subarray(0, some.length).equals(some) || plain(whole ?? Buffer.alloc(0)).startsWith(plain(some))

function removeEmptyFolders(root: string, path: string): void {
  for (let folder = path; folder !== '.'; folder = dirname(folder)) {
    const full = join(root, folder)
    if (!existsSync(full)) continue
    if (readdirSync(full).length > 0) return
    rmSync(full, { recursive: true })
  }
}

/**
 * Puts what the package manager wrote into the commit that made it necessary, while that is the last one. False when it
 * is left to the person.
 */
export function amendWith(repository: Repository, { commit }: Done, files: string[]): boolean {
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
