import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrateSources } from './codemods.ts'
import { formatLike } from './format.ts'
import type { Repository } from './git.ts'
import { isSameContent } from './line-endings.ts'
import type { Output } from './output.ts'
import { render } from './render.ts'
import { type Release, readState, type Snapshot, stateFile } from './snapshot.ts'

/** Whether one version comes after another. */
export function isNewer(one: string, other: string): boolean {
  const parts = (version: string) => version.split(/[.-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : -1))
  const [a, b] = [parts(one), parts(other)]
  for (let index = 0; index < 3; index++) if (a[index] !== b[index]) return (a[index] ?? 0) > (b[index] ?? 0)
  return b.length > 3 && a.length === 3
}

/** The versions after `version`, oldest first. */
const releasesAfter = ({ releases }: Snapshot, version: string): Release[] =>
  releases.filter((release) => isNewer(release.version, version)).reverse()

/** Prints what breaks after a version, and what to do about it. */
export function printBreaking(snapshot: Snapshot, version: string, output: Output): void {
  for (const release of releasesAfter(snapshot, version))
    if (release.breaking)
      output.print(
        `Breaking in ${release.version}:`,
        '',
        ...release.breaking.split('\n').map((line) => `  ${line}`),
        '',
      )
}

export interface OwnFiles {
  /** Files that were changed, in a commit of their own if git could make one. */
  changed: string[]
  /** Why git could not commit them. They are staged then. */
  commitError: string | null
  todo: string[]
}

/**
 * After an upgrade: renames what the template has renamed in the user's own files, and in those of the template that they have
 * changed, in a commit of its own. Null if the last operation was no upgrade.
 */
export function migrateOwnFiles(snapshot: Snapshot, repository: Repository, commit: string): OwnFiles | null {
  const stateAt = (at: string) => {
    const bytes = repository.readAt(at, [stateFile]).get(stateFile)
    return bytes ? readState(bytes.toString()) : null
  }
  const [before, after] = [stateAt(`${commit}~1`), stateAt(commit)]
  if (!before || !after || before.version === after.version || repository.commitAt('HEAD') !== commit) return null
  const rendered = render(snapshot, after)
  const [pristine] = formatLike(repository, rendered, rendered)
  const paths = repository.pathsAt(commit).filter((path) => /^(src|tests|scripts)\/.*\.tsx?$/.test(path))
  const files = repository.readAt(commit, paths)
  const own = paths.filter((path) => !isSameContent(files.get(path), pristine.get(path)))
  const { changed, todo } = migrateSources(
    new Map(own.map((path) => [path, files.get(path)?.toString() ?? ''])),
    releasesAfter(snapshot, before.version).flatMap(({ imports }) => imports),
    (path) => pristine.has(path) || paths.includes(path),
  )
  for (const [path, text] of changed) writeFileSync(join(repository.folder, path), text)
  const names = [...changed.keys()]
  if (names.length === 0) return { changed: [], commitError: null, todo }
  repository.run('add', '--', ...names)
  const message = `Rename what Plinth renamed since ${before.version}, in our own files`
  const { status, output, errorOutput } = repository.tryWith(
    { env: repository.identity() },
    ...['commit', '--quiet', '--no-verify', '-m', message, '--only', '--', ...names],
  )
  return { changed: names, commitError: status === 0 ? null : errorOutput || output, todo }
}
