import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
// With its extension, because `npm run doctor` runs this file in plain Node.
import { broken, type Finding, note, ok } from './finding.ts'

/** Compares the modules in plinth.json with the folders. Without a plinth.json this is the template itself. */
export function checkModules(root: string): Finding {
  const apps = join(root, 'src', 'app')
  const folders = readdirSync(apps).flatMap((name) => /^\((.+)\)$/.exec(name)?.[1] ?? [])
  const manifestPath = (name: string) => join(apps, `(${name})`, 'module.json')
  const incomplete = folders.filter((name) => !existsSync(manifestPath(name)))
  if (incomplete.length > 0) return broken(`src/app/(${incomplete[0]}) has no module.json`, 'See docs/modules.md.')
  const missing = folders.flatMap((name) => {
    const { requires = [] } = JSON.parse(readFileSync(manifestPath(name), 'utf8')) as { requires?: string[] }
    return requires.filter((required) => !folders.includes(required)).map((required) => `${name} requires ${required}`)
  })
  if (missing.length > 0) return broken(`Missing modules: ${missing.join(', ')}`, 'Add them: npx plinth add <module>')
  const file = join(root, 'plinth.json')
  const recordedModules: string[] = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).modules : []
  const removed = recordedModules.filter((name) => !folders.includes(name))
  return removed.length > 0
    ? note(
        `plinth.json lists ${removed.join(', ')}, but the folder doesn’t exist`,
        'If you removed it by hand, remove it from plinth.json before the next upgrade.',
      )
    : ok(`Modules: ${folders.sort().join(', ') || 'none'}`)
}
