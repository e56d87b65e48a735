import { withoutBlocks } from './env-example.ts'
import { pruneLockfile } from './lockfile.ts'
import { manifestFor } from './manifest.ts'
import { Refusal } from './refusal.ts'
import { type Snapshot, type State, stateFile, type Tree, writeState } from './snapshot.ts'

/** "my-shop" is "My shop". */
export function titleOf(name: string): string {
  const words = name.replaceAll(/[^a-zA-Z0-9]+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const folderOf = (module: string) => `src/app/(${module})/`

/**
 * The app as it comes: the template without the folders of the modules that were not chosen, and without what only
 * they need. The same for the same state, for ever: an upgrade begins by making what an older version once made.
 */
export function render(snapshot: Snapshot, { name, modules }: Pick<State, 'name' | 'modules'>): Tree {
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
  for (const { file, text } of snapshot.titleIn) change(file, (before) => before.replaceAll(text, titleIn(text, name)))
  const state = { name, version: snapshot.version, modules: chosen.map((module) => module.name).sort() }
  return tree.set(stateFile, Buffer.from(writeState(state)))
}

/** The text with the template's own name in it replaced. */
const titleIn = (text: string, name: string) => text.replace('Plinth', titleOf(name))

/** The chosen modules and all that they require. Throws a sentence for one that is unknown. */
export function withRequired(snapshot: Snapshot, names: string[]): string[] {
  const found = new Set<string>()
  const visit = (name: string) => {
    const module = snapshot.modules.find((one) => one.name === name)
    if (!module) {
      const known = snapshot.modules.map((one) => one.name).join(', ')
      throw new Refusal(`There is no module "${name}". There are: ${known}.`)
    }
    if (found.has(name)) return
    found.add(name)
    for (const required of module.requires) visit(required)
  }
  for (const name of names) visit(name)
  return [...found].sort()
}
