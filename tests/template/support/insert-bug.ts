import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What a bug replaces, and with what. */
type Edit = [from: string | RegExp, to: string]

/** A bug that is inserted into a copy of the project, to see whether tests find it. */
export interface Bug {
  name: string
  description: string
  /** By path: what changes in a file, or the content of a new one. */
  changes: Record<string, Edit[] | string>
}

/** The files with the bug, by path. Fails if a file does not contain what the bug replaces. */
export function filesWithBug(folder: string, { name, changes }: Bug): [file: string, content: string][] {
  return Object.entries(changes).map(([file, change]) => {
    if (typeof change === 'string') return [file, change]
    const text = readFileSync(join(folder, file), 'utf8')
    return [file, change.reduce((before, edit) => applyEdit(before, edit, `"${name}" into ${file}`), text)]
  })
}

function applyEdit(before: string, [from, to]: Edit, what: string): string {
  const after = before.replace(from, to)
  if (after === before) throw new Error(`Cannot insert the bug ${what}, which does not contain ${from}`)
  return after
}

export function insertBug(folder: string, bug: Bug): void {
  for (const [file, content] of filesWithBug(folder, bug)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), content)
  }
}
