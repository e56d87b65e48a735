import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { modules } from './modules'

const folders = readdirSync(join(root, 'src/app')).filter((name) => name.startsWith('('))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|e2e)\.ts$/.test(file))

test('the installed modules are the folders in parentheses, no more and no fewer', () => {
  expect(modules.map(({ name }) => `(${name})`).sort()).toEqual(folders.sort())
})

test('no two modules share a permission', () => {
  const names = modules.flatMap(({ permissions }) => Object.keys(permissions ?? {}))
  expect(new Set(names).size).toBe(names.length)
})

describe.each(modules.map((module) => [module.name, module] as const))('the module %s', (name, module) => {
  const folder = `src/app/(${name})`
  const manifest = existsSync(join(root, folder, 'module.json')) ? JSON.parse(read(`${folder}/module.json`)) : undefined

  test('says in module.json what must be true outside its folder', () => {
    expect(Object.keys(manifest ?? {}).sort()).toEqual([
      'description',
      'env',
      'name',
      'npm',
      'requires',
      'tables',
      'title',
    ])
    expect(manifest).toMatchObject({ name, title: module.title, env: module.env?.names ?? [] })
  })

  test('has a README of at most 40 lines', () => {
    expect(read(`${folder}/README.md`).split('\n').length).toBeLessThanOrEqual(41)
  })

  test('lists in module.json the packages that nothing else uses', () => {
    const dependencies = Object.keys(JSON.parse(read('package.json')).dependencies)
    const usedBy = (packageName: string, inside: boolean) =>
      sources.some(
        (file) => file.startsWith(folder) === inside && new RegExp(`from '${packageName}(/[^']*)?'`).test(read(file)),
      )
    const own = dependencies.filter((packageName) => usedBy(packageName, true) && !usedBy(packageName, false))
    expect(manifest.npm.sort()).toEqual(own.sort())
  })

  test('owns tables that begin with its name', () => {
    const schema = existsSync(join(root, folder, 'schema.ts')) ? read(`${folder}/schema.ts`) : ''
    const tables = [...schema.matchAll(/pgTable\(\s*'([^']+)'/g)].map((match) => match[1] ?? '')
    expect(manifest.tables.sort()).toEqual(tables.sort())
    for (const table of tables) expect(table.startsWith(`${name}_`), table).toBe(true)
  })
})

describe('every door is guarded', () => {
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1')

  test('server actions are made by defineAction or definePublicAction, in files of their own', () => {
    for (const file of sources) {
      const text = withoutComments(read(file))
      const places = [...text.matchAll(/['"`]use server['"`]/g)].map((match) => text.slice(0, match.index))
      if (places.length === 0) continue
      expect(
        places.map((before) => before.trim()),
        `${file}: only as the first statement`,
      ).toEqual([''])
      const exported = [...text.matchAll(/^\s*export\b(.*)$/gm)].map((match) => match[1]?.trim() ?? '')
      const values = exported.filter((line) => !/^(type|interface)\b/.test(line))
      expect(values.length, file).toBeGreaterThan(0)
      for (const line of values) expect(line, file).toMatch(/^const \w+ = define(Public)?Action\(/)
    }
  })

  test('route files export what defineRoute made, and nothing else', () => {
    const files = sources.filter((file) => /^route\.tsx?$/.test(basename(file)))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const exported = [...withoutComments(read(file)).matchAll(/^\s*export\b(.*)$/gm)].map((match) => match[1]?.trim())
      expect(exported, file).toEqual(['const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({'])
    }
  })

  test('only core/auth reads cookies', () => {
    const readers = sources.filter((file) =>
      /\bcookies\b[^;]*next\/headers|['"`]cookie['"`]|\.cookies\b/i.test(withoutComments(read(file))),
    )
    for (const file of readers) expect(dirname(file)).toMatch(/^src\/core\/auth(\/|$)/)
  })
})
