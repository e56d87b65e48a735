import { spawnSync } from 'node:child_process'
import { Refusal } from './refusal.ts'
import type { Tree } from './snapshot.ts'

interface Answer {
  /** Null when it was killed. */
  status: number | null
  output: string
  complaint: string
}

const needed = 'Adding, removing and upgrading need git.'

/**
 * Hooks are for what people write. Folders that look renamed are not followed: folders are modules here. What git
 * remembers of earlier conflicts must not be taken for the person's decision.
 */
const settings = [
  'core.hooksPath=/dev/null',
  'merge.directoryRenames=false',
  'rerere.autoUpdate=false',
  'core.quotePath=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting])

/** The git repository that an app is in, which may begin further up. */
export class Repository {
  /** The app's folder. */
  readonly folder: string
  /** Where the app is in the repository: '' or 'apps/shop/'. */
  readonly prefix: string

  constructor(folder: string) {
    this.folder = folder
    const { status, output, complaint } = this.try('rev-parse', '--show-prefix')
    if (status !== 0)
      throw new Refusal(
        /not a git repository/.test(complaint)
          ? `This folder is not in a git repository. ${needed} Make one first:\n  git init && git add -A && git commit -m "Begin"`
          : `git refuses to look at this folder: ${complaint}`,
      )
    this.prefix = output
    if (!this.commitAt('HEAD'))
      throw new Refusal('There is no commit yet. Commit the app first: git add -A && git commit -m "Begin"')
  }

  try(...args: string[]): Answer {
    return this.tryWith({}, ...args)
  }

  tryWith({ input, env }: { input?: Buffer; env?: Record<string, string> }, ...args: string[]): Answer {
    const { status, stdout, stderr, error } = spawnSync('git', [...settings, ...args], {
      cwd: this.folder,
      input: input ?? '',
      env: { ...process.env, GIT_EDITOR: 'true', LC_ALL: 'C', ...env },
      maxBuffer: 1024 * 1024 * 1024,
    })
    if (error) throw new Refusal(`git is not installed. ${needed}`)
    return { status, output: stdout.toString().replace(/\n$/, ''), complaint: stderr.toString().trim() }
  }

  run(...args: string[]): string {
    const { status, output, complaint } = this.try(...args)
    if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${complaint || output}`)
    return output
  }

  lines(...args: string[]): string[] {
    return this.run(...args)
      .split('\0')
      .filter(Boolean)
  }

  /** The full name of a commit; '' when there is none. */
  commitAt(name: string): string {
    return this.try('rev-parse', '--verify', '--quiet', `${name}^{commit}`).output
  }

  /** Of the app's own files at a commit, those with these paths; null for what is not there. */
  readAt(commit: string, paths: string[]): Map<string, Buffer | null> {
    const { stdout } = spawnSync('git', ['cat-file', '--batch'], {
      cwd: this.folder,
      input: paths.map((path) => `${commit}:${this.prefix}${path}\n`).join(''),
      maxBuffer: 1024 * 1024 * 1024,
    })
    const found = new Map<string, Buffer | null>()
    let at = 0
    for (const path of paths) {
      const end = stdout.indexOf('\n', at)
      const size = /^[0-9a-f]+ blob (\d+)$/.exec(stdout.subarray(at, end).toString())?.[1]
      at = end + 1
      if (size === undefined) {
        found.set(path, null)
        continue
      }
      found.set(path, stdout.subarray(at, at + Number(size)))
      at += Number(size) + 1
    }
    return found
  }

  /** Paths of the app's files at a commit. */
  pathsAt(commit: string): string[] {
    return this.lines('ls-tree', '-r', '-z', '--name-only', commit)
  }

  /** Tracked files with changes that are not committed, wherever they are in the repository. */
  get changes(): string[] {
    return this.lines('status', '--porcelain', '-z', '--no-renames', '--untracked-files=no').map((line) =>
      line.slice(3),
    )
  }

  /** Whose name stands on a commit made here; a name of our own where nobody has given one. */
  identity(): Record<string, string> {
    const isKnown = ['GIT_COMMITTER_IDENT', 'GIT_AUTHOR_IDENT'].every((name) => this.try('var', name).status === 0)
    return isKnown
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
   * keep git from sweeping them away while somebody solves a conflict.
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
    const { status, complaint } = this.tryWith({ input: Buffer.concat(parts) }, 'fast-import', '--quiet', '--force')
    if (status !== 0) throw new Error(`git fast-import failed: ${complaint}`)
  }
}
