import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { providerFiles } from './core/auth/oauth/provider-files'
import { roleTable } from './core/auth/roles'

const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8')
const recipes = page.split(/^## /m).slice(1)
const recipe = (title: string) => recipes.find((text) => text.startsWith(`${title}\n`)) ?? ''

/** The steps of a recipe with a file and its code, as a test of the template follows them. */
const filesOf = (text: string) =>
  [...text.matchAll(/^\*\*\d+\. [\s\S]*?`([\w./()-]+\.(?:json|tsx?))`[\s\S]*?```\w+\n([\s\S]*?)```/gm)].map(
    ([, file = '', code = '']) => ({ file, code }),
  )

test('every recipe ends with the command that checks it', () => {
  expect(recipes.length).toBeGreaterThanOrEqual(13)
  for (const text of recipes) expect(text).toMatch(/^\*\*Check it\*\*: `npm run /m)
})

test('a recipe names only files that exist, that it creates, or that belong to a module', () => {
  for (const text of recipes) {
    const created = filesOf(text).map(({ file }) => file)
    const named = [...text.matchAll(/`((?:src|docs)\/[\w./()-]+)`/g)].map((match) => match[1] ?? '')
    const missing = named.filter((path) => !existsSync(join(root, path)) && !created.includes(path))
    expect(missing.filter((path) => !path.startsWith('src/app/('))).toEqual([])
  }
})

test('a recipe imports only what the app exports', () => {
  const missing = recipes.flatMap((text) =>
    [...text.matchAll(/^import (?:type )?\{([^}]+)\} from '@\/([^']+)'/gm)].flatMap(([, names = '', path = '']) => {
      const file = ['.ts', '.tsx'].map((end) => join(root, 'src', path + end)).find((one) => existsSync(one))
      const source = file ? readFileSync(file, 'utf8') : ''
      return names
        .split(',')
        .map((name) => name.replace('type ', '').trim())
        .filter((name) => !new RegExp(`^export .*\\b${name}\\b`, 'm').test(source))
        .map((name) => `${name} from @/${path}`)
    }),
  )
  expect(missing).toEqual([])
})

test('the recipe for a role shows an entry with all that the table has', () => {
  const [{ file, code } = { file: '', code: '' }] = filesOf(recipe('Add a role'))
  expect(file).toBe('src/core/auth/roles.ts')
  const keys = [...code.matchAll(/^ {4}(\w+):/gm)].map((match) => match[1])
  expect(keys).toEqual(Object.keys(roleTable[0]))
})

test('the recipe for a provider creates a file where providers are found', () => {
  const [{ file, code } = { file: '', code: '' }] = filesOf(recipe('Add a sign-in provider'))
  expect(file).toMatch(/^src\/core\/auth\/oauth\/providers\/[a-z]+\.ts$/)
  expect(code).toContain('export const provider = defineProvider({')
  expect(providerFiles.length).toBeGreaterThan(0)
})

test('the recipe for a field creates a module without touching core', () => {
  const files = filesOf(recipe('Add a field to users'))
  expect(files.map(({ file }) => file)).toEqual([
    'src/app/(company)/module.json',
    'src/app/(company)/schema.ts',
    'src/app/(company)/companies.ts',
    'src/app/(company)/module.ts',
  ])
  expect(JSON.parse(files[0]?.code ?? '{}')).toMatchObject({ name: 'company', tables: ['company_companies'] })
})
