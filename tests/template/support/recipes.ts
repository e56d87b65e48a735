// Follows docs/recipes.md in a copy of the project or in a created app, with the code and the commands that the page shows.
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

interface Recipe {
  /** The steps that have a file name and a code block. */
  files: { name: string; content: string }[]
  /** The names in the blocks of settings, and what the recipe adds to `.env.example`. */
  settings: string[]
  envExample: string
  /** The commands that write a migration. */
  generate: string[]
  /** The command that proves it. */
  check: string
}

/** The steps of a page that have a file name and a code block. */
export const stepsIn = (text: string) =>
  [...text.matchAll(/^\*\*\d+\. [\s\S]*?`([\w./()-]+\.(?:json|tsx?))`[\s\S]*?```\w+\n([\s\S]*?)```/gm)].map(
    ([, name = '', content = '']) => ({ name, content }),
  )

export function readRecipe(folder: string, title: string): Recipe {
  const page = readFileSync(join(folder, 'docs', 'recipes.md'), 'utf8')
  const text = page.split(/^## /m).find((section) => section.startsWith(`${title}\n`))
  if (!text) throw new Error(`docs/recipes.md has no recipe "${title}"`)
  const [, ...steps] = text.split(/^(?=\*\*\d+\. )/m)
  return {
    files: stepsIn(text),
    settings: [...steps.join('').matchAll(/^([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name),
    envExample: /`\.env\.example`[\s\S]*?```sh\n([\s\S]*?)```/.exec(text)?.[1] ?? '',
    generate: [...text.matchAll(/`(npm run db:generate -- [a-z ]+)`/g)].map(([, command = '']) => command),
    check: /^\*\*Check it\*\*: `([^`]+)`/m.exec(text)?.[1] ?? '',
  }
}

export function writeSource(folder: string, file: string, content: string): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true })
  writeFileSync(join(folder, file), content)
}

export function changeSource(folder: string, file: string, before: string | RegExp, after: string): void {
  const text = readFileSync(join(folder, file), 'utf8')
  const changed = text.replace(before, () => after)
  if (changed === text) throw new Error(`${file} has no ${before}`)
  writeFileSync(join(folder, file), changed)
}

export function generateMigrations(folder: string, { generate }: Recipe): void {
  if (generate.length === 0) throw new Error('the recipe does not generate a migration')
  for (const command of generate) execFileSync('sh', ['-c', command], { cwd: folder, stdio: 'ignore' })
}

/** Adds what the recipe shows to the module of "Begin a module". */
export function followInModule(folder: string, title: string): void {
  const recipe = readRecipe(folder, title)
  for (const { name, content } of [...readRecipe(folder, 'Begin a module').files, ...recipe.files])
    writeSource(folder, name, content)
  writeSource(folder, 'src/app/(shop)/README.md', '# Shop\n')
  const settings = readFileSync(join(folder, '.env.example'), 'utf8')
  writeSource(folder, '.env.example', settings + recipe.envExample)
}

/** Renames the app, draws its logo, and changes the color of emails and icons. */
export function changeLook(folder: string): void {
  const [brand, logo, colors] = readRecipe(folder, 'Change the name and the look').files
  if (!brand || !logo || !colors) throw new Error('the recipe for the look shows no name, no logo or no color')
  for (const line of brand.content.trim().split('\n'))
    changeSource(folder, brand.name, new RegExp(`^${line.split("'")[0]}.*`, 'm'), line)
  writeSource(folder, logo.name, logo.content)
  for (const [, color = '', object = ''] of colors.content.matchAll(/primary: ('#\w+'), \/\/ in (\w+)/g))
    changeSource(folder, colors.name, new RegExp(`(?<=export const ${object}\\b[^}]*  primary: )'#\\w+'`), color)
}

/** Adds the file of the provider. */
export function addProvider(folder: string): Recipe {
  const recipe = readRecipe(folder, 'Add a sign-in provider')
  for (const { name, content } of recipe.files) writeSource(folder, name, content)
  return recipe
}

/** Describes the settings of the provider after those of GitHub, as a unit test demands. */
export function describeSettings(folder: string, { settings }: Recipe): void {
  const lines = settings.map((name) => `${name}=\n`).join('')
  changeSource(folder, '.env.example', 'AUTH_GITHUB_SECRET=\n', `AUTH_GITHUB_SECRET=\n${lines}`)
}

const nextRole = "  {\n    name: 'editor',"

/** Adds the role after the viewer, with its migration. It has no permission yet. */
export function addRole(folder: string): Recipe {
  const recipe = readRecipe(folder, 'Add a role')
  const [entry] = recipe.files
  if (!entry) throw new Error('the recipe for a role shows no entry')
  changeSource(folder, entry.name, nextRole, `${entry.content}${nextRole}`)
  generateMigrations(folder, recipe)
  return recipe
}

/** Gives the role the permission of the recipe. */
export function allowRole(folder: string): void {
  const [, policy] = readRecipe(folder, 'Add a role').files
  if (!policy) throw new Error('the recipe for a role shows no permission')
  changeSource(folder, policy.name, /^ {2}'posts\.write': .*\n/m, policy.content)
  changeSource(folder, 'docs/security.md', '| `editor` |', '| `author` | write posts of their own |\n| `editor` |')
}

/** Writes the module with the field, without its migration. `docs` is the project whose page is followed. */
export function writeField(folder: string, docs: string = folder): Recipe {
  const recipe = readRecipe(docs, 'Add a field to users')
  for (const { name, content } of recipe.files) writeSource(folder, name, content)
  writeSource(folder, 'src/app/(company)/README.md', '# Company\n')
  return recipe
}

export function addField(folder: string): Recipe {
  const recipe = writeField(folder)
  generateMigrations(folder, recipe)
  return recipe
}
