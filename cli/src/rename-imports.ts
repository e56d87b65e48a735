import { posix } from 'node:path'
import type { ImportRename } from './snapshot.ts'

const { dirname, join, relative } = posix

interface Renamed {
  text: string
  /** What the user has to do. */
  todo: string[]
}

/**
 * Changes imports of files and exports that have other names now. A use of a renamed export gets the new name as well, or the
 * import an alias where that could change something else.
 */
export function renameImports(
  path: string,
  text: string,
  renames: ImportRename[],
  has: (path: string) => boolean,
): Renamed {
  const todo: string[] = []
  const newNames = new Map<string, string>()
  const rowsFor = (name: string) => renames.filter(({ from }) => from === resolve(path, name))
  const pathTo = ({ to }: ImportRename, name: string) => {
    if (!to.startsWith('tests/')) return to
    if (!has(to)) todo.push(`an app no longer has ${to}: "npx plinth verify" brings it.`)
    const target = relative(dirname(path), to)
    return (name.endsWith('.ts') ? target : target.replace(/\.ts$/, '')).replace(/^(?!\.)/, './')
  }

  const named = text.replaceAll(
    /^((?:import|export)(?: type)?) \{([^}]*)\} from (['"])([^'"]+)\3(;?)$/gm,
    (line, start: string, list: string, quote: string, name: string, semicolon: string) => {
      const rows = rowsFor(name)
      if (rows.length === 0) return line
      const byTarget = new Map<string, string[]>()
      for (const entry of list.split(',').map((one) => one.trim())) {
        if (!entry) continue
        const [, type = '', imported = '', alias] = /^(type )?(\w+)(?: as (\w+))?$/.exec(entry) ?? []
        const row = rows.find(({ only }) => only?.includes(imported)) ?? rows.find(({ only }) => !only)
        const target = row ? pathTo(row, name) : name
        const next = row?.exports[imported] ?? imported
        const isRenamable = next !== imported && !alias && start.startsWith('import') && canRename(text, imported, next)
        if (isRenamable) newNames.set(imported, next)
        const local = alias ?? (isRenamable ? next : imported)
        const changed = type + (local === next ? next : `${next} as ${local}`)
        byTarget.set(target, [...(byTarget.get(target) ?? []), changed])
      }
      return [...byTarget]
        .map(([target, entries]) => `${start} { ${entries.join(', ')} } from ${quote}${target}${quote}${semicolon}`)
        .join('\n')
    },
  )
  // Everything else that names the file: default and namespace imports, import(), vi.mock().
  const paths = named.replaceAll(
    /(['"])(@\/core\/[\w./-]+|\.{1,2}\/[\w./-]*tests\/support\/[\w./-]+)\1/g,
    (whole, quote, name) => {
      const row = rowsFor(name).find(({ only }) => !only)
      return row ? quote + pathTo(row, name) + quote : whole
    },
  )
  return { text: [...newNames].reduce((result, [old, next]) => renameUses(result, old, next), paths), todo }
}

/** What `from` in a row of the changelog would be for an import. */
function resolve(path: string, name: string): string {
  if (!name.startsWith('.')) return name
  const target = join(dirname(path), name)
  return target.endsWith('.ts') ? target : `${target}.ts`
}

/** As an identifier, not as a property or a part of a string. */
const uses = (name: string) => new RegExp(`(?<![\\w$.'"\`/-])${name}(?![\\w$'"\`/-])`, 'g')

/** Not if the new name is taken, or the old one is also a key or a shorthand property, which would have to keep its name. */
const canRename = (text: string, old: string, next: string) => {
  const code = text.replaceAll(/^(?:import|export)\b.*from .*$/gm, '')
  return !uses(next).test(code) && !new RegExp(`\\b${old}\\s*\\??:|[{,]\\s*${old}\\s*[,}]`).test(code)
}

const renameUses = (text: string, old: string, next: string) => text.replaceAll(uses(old), next)
