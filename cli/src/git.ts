import { spawnSync } from 'node:child_process'
import { CliError } from './cli-error.ts'
import type { Tree } from './snapshot.ts'

interface GitResult {
  /** Null when it was killed. */
  status: number | null
  output: string
  errorOutput: string
}

const gitRequired = 'You need git to add or remove modules and to upgrade.'

/**
 * Disables hooks, which are meant for the user's own commits. Disables directory rename detection, because folders are
 * modules here. Disables rerere, because an earlier conflict resolution is not the user's decision about this one.
 */
const settings = [
  'core.hooksPath=/dev/null',
  'merge.directoryRenames=false',
  'rerere.autoUpdate=false',
  'core.quotePath=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting])

/** The git repository of an app. Its root may be a parent folder of the app. */
export class Repository {
  /** The app's folder. */
  readonly folder: string
  /** The path of the app in the repository: '' or 'apps/shop/'. */
  readonly prefix: string

  constructor(folder: string) {
    this.folder = folder
    const { status, output, errorOutput } = this.try('rev-parse', '--show-prefix')
    if (status !== 0)
      throw new CliError(
        /not a git repository/.test(errorOutput)
          ? `This folder isn’t in a git repository. ${gitRequired} Create a repository first:\n  git init && git add -A && git commit -m "Initial commit"`
          : `git can’t read this folder: ${errorOutput}`,
      )
    this.prefix = output
    if (!this.commitAt('HEAD'))
      throw new CliError(
        'This repository has no commits yet. Commit the app first: git add -A && git commit -m "Initial commit"',
      )
  }

  try(...args: string[]): GitResult {
    return this.tryWith({}, ...args)
  }

  tryWith({ input, env }: { input?: Buffer; env?: Record<string, string> }, ...args: string[]): GitResult {
    const { status, stdout, stderr, error } = spawnSync('git', [...settings, ...args], {
      cwd: this.folder,
      input: input ?? '',
      env: { ...process.env, GIT_EDITOR: 'true', LC_ALL: 'C', ...env },
      maxBuffer: 1024 * 1024 * 1024,
    })
    if (error) throw new CliError(`git isn’t installed. ${gitRequired}`)
    return { status, output: stdout.toString().replace(/\n$/, ''), errorOutput: stderr.toString().trim() }
  }

  run(...args: string[]): string {
    const { status, output, errorOutput } = this.try(...args)
    if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${errorOutput || output}`)
    return output
  }

  lines(...args: string[]): string[] {
    return this.run(...args)
      .split('\0')
      .filter(Boolean)
  }

  /** The hash of a commit; '' if it does not exist. */
  commitAt(name: string): string {
    return this.try('rev-parse', '--verify', '--quiet', `${name}^{commit}`).output
  }

  /** Reads files of the app at a commit; null for a file that does not exist. */
  readAt(commit: string, paths: string[]): Map<string, Buffer | null> {
    const { stdout } = spawnSync('git', ['cat-file', '--batch'], {
      cwd: this.folder,
      input: paths.map((path) => `${commit}:${this.prefix}${path}\n`).join(''),
      maxBuffer: 1024 * 1024 * 1024,
    })
    const found = new Map<string, Buffer | null>()
    let offset = 0
    for (const path of paths) {
      const end = stdout.indexOf('\n', offset)
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(stdout.subarray(offset, end).toString())?.[1]
      offset = end + 1
      if (size === undefined) {
        found.set(path, null)
        continue
      }
      found.set(path, stdout.subarray(offset, offset + Number(size)))
      offset += Number(size) + 1
    }
    return found
  }

  /** Paths of the app's files at a commit. */
  pathsAt(commit: string): string[] {
    return this.lines('ls-tree', '-r', '-z', '--name-only', commit)
  }

  /** Tracked files with uncommitted changes, anywhere in the repository. */
  get changes(): string[] {
    return this.lines('status', '--porcelain', '-z', '--no-renames', '--untracked-files=no').map((line) =>
      line.slice(3),
    )
  }

  /** Environment variables for the author of a commit: empty if git has an identity, otherwise our own. */
  identity(): Record<string, string> {
    const hasIdentity = ['GIT_COMMITTER_IDENT', 'GIT_AUTHOR_IDENT'].every((name) => this.try('var', name).status === 0)
    return hasIdentity
      ? {}
      : {
          GIT_AUTHOR_NAME: 'plinth',
          GIT_AUTHOR_EMAIL: 'plinth@localhost',
          GIT_COMMITTER_NAME: 'plinth',
          GIT_COMMITTER_EMAIL: 'plinth@localhost',
        }
  }

  /**
   * Writes both trees as commits, the second on top of the first, without touching index, work tree or hooks. The refs
   * protect the commits from garbage collection while the user resolves conflicts.
   */
  writeCommits(refs: { base: string; next: string }, base: Tree, next: Tree, message: string): void {
    const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = this.identity()
    const author = name
      ? `${name} <${email}> ${Math.floor(Date.now() / 1000)} +0000`
      : this.run('var', 'GIT_AUTHOR_IDENT')
    const parts: Buffer[] = [Buffer.from('feature done\n')]
    const data = (bytes: Buffer) => parts.push(Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n'))
    const commit = (ref: string, tree: Tree, text: string, from?: string) => {
      parts.push(Buffer.from(`commit ${ref}\nauthor ${author}\ncommitter ${author}\n`))
      data(Buffer.from(text))
      parts.push(Buffer.from(`${from ? `from ${from}\n` : ''}deleteall\n`))
      for (const [path, bytes] of tree) {
        parts.push(Buffer.from(`M 100644 inline ${this.prefix}${path}\n`))
        data(bytes)
      }
    }
    for (const ref of [refs.base, refs.next]) this.try('update-ref', '-d', ref)
    commit(refs.base, base, 'The app as it came')
    commit(refs.next, next, message, refs.base)
    parts.push(Buffer.from('done\n'))
    const { status, errorOutput } = this.tryWith({ input: Buffer.concat(parts) }, 'fast-import', '--quiet', '--force')
    if (status !== 0) throw new Error(`git fast-import failed: ${errorOutput}`)
  }
}
