import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root } from '../scripts/root.ts'
import { coreEnv } from './core/env'
import { modules } from './modules'

const folders = readdirSync(join(root, 'src/app')).filter((name) => name.startsWith('('))
const contents = new Map<string, string>()
/** The content of a file, read once for all rules. */
function read(path: string): string {
  const text = contents.get(path) ?? readFileSync(join(root, path), 'utf8')
  contents.set(path, text)
  return text
}
const sources = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.(test|e2e)\.ts$/.test(file))

const packages = new Map<string, Set<string>>()
/** The npm packages that a file imports. */
function packagesIn(file: string): Set<string> {
  const known = packages.get(file)
  if (known) return known
  const names = [...read(file).matchAll(/(?:from |import\()'((?:@[\w.-]+\/)?[\w.-]+)[^']*'/g)].map(
    ([, name = '']) => name,
  )
  const found = new Set(names)
  packages.set(file, found)
  return found
}

test('the installed modules are exactly the folders in parentheses', () => {
  expect(modules.map(({ name }) => `(${name})`).sort()).toEqual(folders.sort())
})

/** The URL path of a page or a route. */
const pathOf = (file: string) =>
  dirname(file)
    .replace(/^src\/app/, '')
    .replaceAll(/\/\([^)]*\)/g, '')

test('no two owners share a path', () => {
  const paths = sources.filter((file) => /^src\/app\/(.*\/)?(page|route)\.tsx?$/.test(file)).map(pathOf)
  expect(paths.filter((path, index) => paths.indexOf(path) < index)).toEqual([])
})

test('the same dynamic segment has the same name everywhere', () => {
  // Next builds an app in which it has not, and then the server does not start.
  const findClashes = (paths: string[]) => {
    const names = new Map<string, Set<string>>()
    for (const path of paths) {
      const parts = path.split('/')
      for (const [index, part] of parts.entries()) {
        if (!/^\[[^.]+\]$/.test(part)) continue
        const before = parts
          .slice(0, index)
          .join('/')
          .replaceAll(/\[[^.\]]+\]/g, '[]')
        names.set(before, (names.get(before) ?? new Set()).add(part))
      }
    }
    return [...names].filter(([, some]) => some.size > 1).map(([path, some]) => `${path}: ${[...some].join(', ')}`)
  }
  expect(findClashes(['/o/[scope]/a', '/o/[slug]/b', '/posts/[slug]'])).toEqual(['/o: [scope], [slug]'])
  const paths = sources.filter((file) => /^src\/app\/(.*\/)?(page|route)\.tsx?$/.test(file)).map(pathOf)
  expect(findClashes(paths)).toEqual([])
})

test('at most one module has scopes', () => {
  expect(modules.filter(({ scope }) => scope).length).toBeLessThanOrEqual(1)
})

test('no two owners share a setting', () => {
  const names = [...coreEnv.names, ...modules.flatMap(({ env }) => env?.names ?? [])]
  expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([])
})

test('no input is interpolated into raw SQL', () => {
  // Input of a caller always has one of these names. Values inside sql`…` are fine: Drizzle binds them as parameters.
  const raw =
    /\bsql\.(raw|identifier)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\b(input|query|params|body|form|request|searchParams)\b/
  for (const file of sources) expect(raw.exec(read(file))?.[0], file).toBeUndefined()
})

test('no two modules share a permission', () => {
  const names = modules.flatMap(({ permissions }) => Object.keys(permissions ?? {}))
  expect(new Set(names).size).toBe(names.length)
})

test('no two modules share a field of a user, and none has the name of a field of core', () => {
  const names = modules.flatMap(({ userFields }) => userFields?.map(({ name }) => name) ?? [])
  expect(new Set(names).size).toBe(names.length)
  const ofCore = ['id', 'name', 'email', 'password', 'role', 'token', 'username', 'isResend', 'callbackUrl']
  expect(names.filter((name) => ofCore.includes(name) || !/^[a-z][A-Za-z]*$/.test(name))).toEqual([])
})

describe.each(modules.map((module) => [module.name, module] as const))('the module %s', (name, module) => {
  const folder = `src/app/(${name})`
  const manifest = existsSync(join(root, folder, 'module.json')) ? JSON.parse(read(`${folder}/module.json`)) : undefined

  test('has a complete module.json', () => {
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
      sources.some((file) => file.startsWith(folder) === inside && packagesIn(file).has(packageName))
    const own = dependencies.filter((packageName) => usedBy(packageName, true) && !usedBy(packageName, false))
    expect(manifest.npm.sort()).toEqual(own.sort())
  })

  test('owns only tables with its name as prefix', () => {
    const schema = existsSync(join(root, folder, 'schema.ts')) ? read(`${folder}/schema.ts`) : ''
    const tables = [...schema.matchAll(/pgTable\(\s*'([^']+)'/g)].map((match) => match[1] ?? '')
    expect(manifest.tables.sort()).toEqual(tables.sort())
    // SQL names without quotes cannot contain the hyphen that a folder may.
    for (const table of tables) expect(table.startsWith(`${name.replaceAll('-', '_')}_`), table).toBe(true)
  })
})

describe('every entry point is guarded', () => {
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1')

  test('server actions are made by defineAction or definePublicAction, in files of their own', () => {
    for (const file of sources) {
      const text = withoutComments(read(file))
      const directives = [...text.matchAll(/['"`]use server['"`]/g)].map((match) => text.slice(0, match.index))
      if (directives.length === 0) continue
      expect(
        directives.map((before) => before.trim()),
        `${file}: only as the first statement`,
      ).toEqual([''])
      const exported = [...text.matchAll(/^\s*export\b(.*)$/gm)].map((match) => match[1]?.trim() ?? '')
      const values = exported.filter((line) => !/^(type|interface)\b/.test(line))
      expect(values.length, file).toBeGreaterThan(0)
      for (const line of values) expect(line, file).toMatch(/^const \w+ = define(Public)?Action\(/)
    }
  })

  test('route files export the result of defineRoute, and nothing else', () => {
    const files = sources.filter((file) => /^route(\.dev)?\.tsx?$/.test(basename(file)))
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      const exported = [...withoutComments(read(file)).matchAll(/^\s*export\b(.*)$/gm)].map((match) => match[1]?.trim())
      expect(exported, file).toEqual(['const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({'])
    }
  })

  test('access is decided by requirePermission or allow, not by comparing the role of the caller', () => {
    // Comparing the role of another user, such as the one that an admin looks at, is fine.
    const comparesRole =
      /\b(?:actor|caller|session|session\??\.user)\??\.role\s*[!=]==?|[!=]==?\s*(?:actor|caller|session|session\??\.user)\??\.role\b/
    const examples = ["if (actor.role === 'admin')", "session?.user.role !== 'viewer'", "'admin' === caller.role"]
    expect(examples.filter((text) => !comparesRole.test(text))).toEqual([])
    const problems = sources
      .filter((file) => file.startsWith('src/app/') && comparesRole.test(withoutComments(read(file))))
      .map((file) => `${file} compares the role of the caller. Use allow, requirePermission or isAllowed instead.`)
    expect(problems).toEqual([])
  })

  test('writes that need a permission run in transactionAs, which checks it again', () => {
    const declarations = (text: string) =>
      withoutComments(text).split(/^(?=(?:export )?(?:async )?(?:function|const) )/m)
    const writesUnchecked = (text: string) =>
      /\b(actor|writer)\b/.test(text) && /\binTransaction\(|\bdb\s*\.(insert|update|delete)\(/.test(text)
    expect(writesUnchecked('function remove(actor: Actor) {\n  await db\n    .delete(posts) }')).toBe(true)
    const guarded = modules.flatMap(({ name, permissions }) =>
      permissions ? sources.filter((file) => file.startsWith(`src/app/(${name})/`)) : [],
    )
    for (const file of guarded) expect(declarations(read(file)).filter(writesUnchecked), file).toEqual([])
    // An action that does not pass the actor on cannot have the permission checked again.
    const actions = sources.filter((file) => /['"]use server['"]/.test(read(file)))
    for (const file of actions)
      for (const action of declarations(read(file)))
        if (action.includes('allow: can(')) expect(action, file).toMatch(/run: [^=]*\bactor\b/)
  })

  test('roles and suspensions change only where modules are notified', () => {
    const changes = /update\(users\)\s*\.set\(\{\s*(role\b|suspendedAt: sql)/
    const files = sources.filter((file) => changes.test(withoutComments(read(file))))
    // Making the first admin only adds rights, so modules need no notification.
    expect(files.sort()).toEqual(['src/core/auth/user/first-admin.ts', 'src/core/auth/user/rights.ts'])
  })

  test('only core/auth reads cookies', () => {
    const readers = sources.filter((file) =>
      /\bcookies\b[^;]*next\/headers|['"`]cookie['"`]|\.cookies\b/i.test(withoutComments(read(file))),
    )
    for (const file of readers) expect(dirname(file)).toMatch(/^src\/core\/auth(\/|$)/)
  })
})
