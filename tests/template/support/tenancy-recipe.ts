// Follows "Make my module per organization" of docs/tenancy.md for the module of docs/modules.md, with the code that the pages show.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { changeSource, stepsIn, writeSource } from './recipes.ts'

const module = 'src/app/(notes)'

const generate = (folder: string, name: string) =>
  execFileSync('npm', ['run', 'db:generate', '--', 'notes', name], { cwd: folder, stdio: 'ignore' })

/** Writes the module of docs/modules.md, with its migration. */
export function writeNotes(folder: string): void {
  for (const { name, content } of stepsIn(readFileSync(join(folder, 'docs', 'modules.md'), 'utf8')))
    writeSource(folder, name.startsWith('src/') ? name : `${module}/${name}`, content)
  writeSource(folder, `${module}/README.md`, '# Notes\n')
  generate(folder, 'init')
}

/** The code of a step, by its number. */
function readSteps(folder: string): (number: number) => { text: string; code: string } {
  const page = readFileSync(join(folder, 'docs', 'tenancy.md'), 'utf8')
  const section = page.split(/^## /m).find((text) => text.startsWith('Make my module per organization\n')) ?? ''
  return (number) => {
    const text = section.split(/^(?=\*\*\d+\. )/m).find((step) => step.startsWith(`**${number}. `))
    if (text === undefined) throw new Error(`docs/tenancy.md has no step ${number}`)
    return { text, code: /```\w+\n([\s\S]*?)```/.exec(text)?.[1] ?? '' }
  }
}

/** What the page shows; throws if it no longer does. */
function shown(text: string, pattern: RegExp): string {
  const [, found] = pattern.exec(text) ?? []
  if (found === undefined) throw new Error(`docs/tenancy.md does not show ${pattern}`)
  return found
}

/** Adds imports before the first one of a file. */
const addImports = (folder: string, file: string, ...lines: string[]) =>
  changeSource(folder, file, /^(?=import )/m, lines.map((line) => `${line}\n`).join(''))

const importScopePath = `import { scopePath } from '@/core/scope'`

export function makeNotesPerOrganization(folder: string): void {
  const step = readSteps(folder)
  const file = (name: string) => `${module}/${name}`

  const schema = step(1).code
  addImports(folder, file('schema.ts'), shown(schema, /^(import .*)$/m))
  changeSource(folder, file('schema.ts'), /(?<=defaultRandom\(\),\n)/, shown(schema, /^( {4}scopeId: .*\n)/m))
  changeSource(folder, file('schema.ts'), /^ {2}\(table\) => .*$/m, shown(schema, /^( {2}\(table\) => .*)$/m))
  generate(folder, shown(step(1).text, /`npm run db:generate -- notes (\w+)`/))

  writeSource(folder, file('policy.ts'), step(2).code)
  writeSource(folder, file('find-notes.ts'), step(3).code)

  addImports(folder, file('actions.ts'), importScopePath)
  changeSource(folder, file('actions.ts'), `redirect('/notes')`, shown(step(4).text, /`(redirect\(.*?\))`/))

  const page = 'notes/page.tsx'
  addImports(folder, file(page), importScopePath, `import { ScopeField } from '@/core/ui/scope-field'`)
  changeSource(folder, file(page), /^export default [\s\S]*?<AppShell>\n/m, step(5).code)
  changeSource(folder, file(page), '<FormMessage />', `<FormMessage />${shown(step(5).text, /`(<ScopeField .*?\/>)`/)}`)
  const [name, content] = [/`(o\/\[scope\]\/.*?)`/, /`(export \{ default, metadata \}.*?)`/].map((pattern) =>
    shown(step(5).text, pattern),
  )
  writeSource(folder, file(name ?? ''), `${content}\n`)
  changeSource(folder, file('api/notes/route.ts'), 'run: async () =>', 'run: async ({ actor }) =>')
  changeSource(folder, file('api/notes/route.ts'), 'findNotes()', shown(step(5).text, /`(findNotes\(.*?\))`/))

  addImports(folder, file('ui.tsx'), importScopePath)
  changeSource(folder, file('ui.tsx'), /^(?= {2}navigation: )/m, step(6).code)
}
