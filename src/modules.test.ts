import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { coreEnv } from './core/env'
import { modules } from './modules'

const folders = readdirSync(join(root, 'src/app')).filter((name) => name.startsWith('('))
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|e2e)\.ts$/.test(file))

test('the installed modules are the folders in parentheses, no more and no fewer', () => {
  expect(modules.map(({ name }) => `(${name})`).sort()).toEqual(folders.sort())
})

/** Where a page or a route answers. */
const addressOf = (file: string) =>
  dirname(file)
    .replace(/^src\/app/, '')
    .replaceAll(/\/\([^)]*\)/g, '')

test('no two owners share an address', () => {
  // A page that core keeps for whoever has no module for it is not one of its own.
  const doors = sources.filter((file) => /^src\/app\/.*\/?(page|route)\.tsx?$/.test(file)).map(addressOf)
  expect(doors.filter((address, index) => doors.indexOf(address) < index)).toEqual([])
})

test('no two owners share a setting', () => {
  const names = [...coreEnv.names, ...modules.flatMap(({ env }) => env?.names ?? [])]
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
})

test('no input is put into SQL as it is', () => {
  // What a caller sent has one of these names wherever it arrives. Values go into sql`…` as they are: Drizzle binds them.
  const raw =
    /\bsql\.(raw|identifier)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\b(input|query|params|body|form|request|searchParams)\b/
  for (const file of sources) expect(raw.exec(read(file))?.[0], file).toBeUndefined()
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

  test('nobody is let in for being there: what may be done is asked of requireActor, requirePermission or allow', () => {
    // A thing that only looks like somebody (an error, a promise) is there, too. `if (!actor)` refuses, and may stand.
    const who = '(?:await get)?(?:session|actor|caller|user)(?:\\(\\))?'
    const lettingIn = new RegExp(
      `if \\(${who}\\) (?!redirect)|!!\\(?${who}\\b|\\bBoolean\\(${who}\\)|\\b${who} &&|\\b${who}\\.role [!=]=`,
      'i',
    )
    expect(
      ['if (session) return', '!!(await getActor())', 'session && secret', "actor.role === 'admin'"].filter(
        (text) => !lettingIn.test(text),
      ),
    ).toEqual([])
    for (const file of sources) {
      if (file !== 'src/core/auth/actor.ts') expect(withoutComments(read(file)), file).not.toMatch(lettingIn)
    }
  })

  test('only core/auth reads cookies', () => {
    const readers = sources.filter((file) =>
      /\bcookies\b[^;]*next\/headers|['"`]cookie['"`]|\.cookies\b/i.test(withoutComments(read(file))),
    )
    for (const file of readers) expect(dirname(file)).toMatch(/^src\/core\/auth(\/|$)/)
  })
})
