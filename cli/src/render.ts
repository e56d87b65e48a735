import { CliError } from './cli-error.ts'
import { withoutBlocks } from './env-example.ts'
import { pruneLockfile } from './lockfile.ts'
import { manifestFor } from './manifest.ts'
import { type Snapshot, type State, stateFile, type Tree, writeState } from './snapshot.ts'

/** The title of an app: "my-shop" becomes "My shop". */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[^a-zA-Z0-9]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The name in cookies, tokens and URNs, which limit it to 32 characters: "my.shop" becomes "my-shop". */
export const slugOf = (name: string) =>
  name
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 32)
    .replace(/-+$/, '')

const folderOf = (module: string) => `src/app/(${module})/`

/**
 * Generates the app: the template without the modules that were not chosen, and without the packages and settings that only
 * they need. Must be deterministic: an upgrade starts by generating the app of the old version again.
 */
export function render(snapshot: Snapshot, { name, modules, slug }: Omit<State, 'version'>): Tree {
  const absent = snapshot.modules.filter((module) => !modules.includes(module.name))
  const chosen = snapshot.modules.filter((module) => modules.includes(module.name))
  const paths = Object.keys(snapshot.files).filter(
    (path) => !absent.some((module) => path.startsWith(folderOf(module.name))),
  )
  const tree: Tree = new Map()
  for (const path of paths.sort()) {
    const file = snapshot.files[path]
    if (file) tree.set(path, 'text' in file ? Buffer.from(file.text) : Buffer.from(file.base64, 'base64'))
  }
  const change = (path: string, edit: (text: string) => string) => {
    const bytes = tree.get(path)
    if (bytes) tree.set(path, Buffer.from(edit(bytes.toString())))
  }
  const unused = [
    ...snapshot.workshop,
    ...absent.flatMap(({ npm }) => npm).filter((pack) => !chosen.some(({ npm }) => npm.includes(pack))),
  ]
  change('package.json', (text) =>
    manifestFor(text, { name, version: snapshot.version, unused, files: new Set(paths) }),
  )
  change('package-lock.json', (text) => pruneLockfile(text, tree.get('package.json')?.toString() ?? '{}'))
  change('.env.example', (text) =>
    withoutBlocks(
      text,
      absent.map((module) => module.name),
    ),
  )
  for (const { file, text, by = text } of snapshot.titleIn)
    change(file, (before) => before.replaceAll(text, withName(by, name, slug)))
  const state: State = {
    name,
    version: snapshot.version,
    modules: chosen.map((module) => module.name).sort(),
    ...(slug && { slug }),
  }
  return tree.set(stateFile, Buffer.from(writeState(state)))
}

/** Replaces the name of the template in a text, once: the name of the app may contain it. */
const withName = (text: string, name: string, slug = slugOf(name)) =>
  text.replace(/plinth/i, (found) => (found === 'plinth' ? slug : titleOf(name)))

/** The chosen modules and all modules that they require. Throws for an unknown module. */
export function withRequired(snapshot: Snapshot, names: string[]): string[] {
  const found = new Set<string>()
  const visit = (name: string) => {
    const module = snapshot.modules.find((one) => one.name === name)
    if (!module) {
      const known = snapshot.modules.map((one) => one.name).join(', ')
      throw new CliError(`Unknown module "${name}". Available modules: ${known}.`)
    }
    if (found.has(name)) return
    found.add(name)
    for (const required of module.requires) visit(required)
  }
  for (const name of names) visit(name)
  return [...found].sort()
}
