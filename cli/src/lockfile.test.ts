import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/root.ts'
import { mergeLockfile, pruneLockfile } from './lockfile.ts'

const lockfile = (packages: Record<string, object>) =>
  JSON.stringify({ name: 'plinth', version: '1.0.0', lockfileVersion: 3, packages })
const packagesIn = (text: string) => Object.keys(JSON.parse(text).packages)

test('packages that are no longer required are removed, including nested ones', () => {
  const text = lockfile({
    '': { name: 'plinth', dependencies: { a: '1', b: '1' }, devDependencies: { c: '1' } },
    'node_modules/a': { dependencies: { shared: '1' } },
    'node_modules/b': { dependencies: { shared: '2', deep: '1' }, peerDependencies: { c: '1' } },
    'node_modules/b/node_modules/shared': {},
    'node_modules/c': { peerDependencies: { extra: '1' }, peerDependenciesMeta: { extra: { optional: true } } },
    'node_modules/deep': {},
    'node_modules/extra': {},
    'node_modules/shared': {},
  })
  const manifest = JSON.stringify({
    name: 'shop',
    version: '0.1.0',
    dependencies: { a: '1' },
    devDependencies: { c: '1' },
  })
  const pruned = pruneLockfile(text, manifest)
  expect(packagesIn(pruned)).toEqual(['', 'node_modules/a', 'node_modules/c', 'node_modules/shared'])
  expect(JSON.parse(pruned)).toMatchObject({
    name: 'shop',
    packages: { '': { name: 'shop', dependencies: { a: '1' } } },
  })
})

test('with all dependencies the lockfile of the template stays as npm wrote it', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  expect(pruneLockfile(text, readFileSync(join(root, 'package.json'), 'utf8'))).toBe(text)
})

const versions = (text: string | null) =>
  Object.fromEntries(
    Object.entries(JSON.parse(text ?? '{}').packages as Record<string, { version?: string }>).flatMap(
      ([path, { version }]) => (path ? [[path.replaceAll('node_modules/', ''), version]] : []),
    ),
  )
const locked = (dependencies: Record<string, string>, packages: Record<string, [string, Record<string, string>?]>) =>
  lockfile({
    '': { dependencies },
    ...Object.fromEntries(
      Object.entries(packages).map(([path, [version, needs]]) => [
        `node_modules/${path.replaceAll('/', '/node_modules/')}`,
        { version, ...(needs && { dependencies: needs }) },
      ]),
    ),
  })
const manifest = (dependencies: Record<string, string>) => JSON.stringify({ name: 'shop', dependencies })

test('packages that come have the versions of the template, and those of the app keep theirs', () => {
  const base = locked({ b: '1.0.0' }, { b: ['1.0.0', { shared: '^1.0.0' }], shared: ['1.0.0'] })
  const next = locked(
    { a: '1.0.0', b: '1.0.0' },
    { a: ['1.0.0', { deep: '^1.0.0' }], b: ['1.0.0', { shared: '^1.0.0' }], deep: ['1.0.0'], shared: ['1.0.0'] },
  )
  const user = locked(
    { b: '1.0.0', own: '3.0.0' },
    { b: ['1.0.0', { shared: '^1.0.0' }], own: ['3.0.0'], shared: ['1.2.0'] },
  )
  const merged = mergeLockfile({ base, next, user }, manifest({ a: '1.0.0', b: '1.0.0', own: '3.0.0' }))
  expect(versions(merged)).toEqual({ a: '1.0.0', b: '1.0.0', deep: '1.0.0', own: '3.0.0', shared: '1.2.0' })
})

test('an upgrade takes the versions of the new template, unless the user has newer ones', () => {
  const base = locked(
    { a: '1.0.0' },
    { a: ['1.0.0', { deep: '^1.0.0', low: '^1.0.0' }], deep: ['1.0.0'], low: ['1.0.0'] },
  )
  const next = locked(
    { a: '1.1.0' },
    { a: ['1.1.0', { deep: '^1.0.0', low: '^1.0.0' }], deep: ['1.5.0'], low: ['1.5.0'] },
  )
  const user = locked(
    { a: '1.0.0' },
    { a: ['1.0.0', { deep: '^1.0.0', low: '^1.0.0' }], deep: ['1.9.0'], low: ['1.2.0'] },
  )
  const merged = mergeLockfile({ base, next, user }, manifest({ a: '1.1.0' }))
  expect(versions(merged)).toEqual({ a: '1.1.0', deep: '1.9.0', low: '1.5.0' })
})

test('packages of the user and of the template that need different versions of a third get both', () => {
  const base = locked({}, {})
  const next = locked(
    { a: '1.0.0' },
    { a: ['1.0.0', { third: '^2.0.0' }], third: ['2.1.0', { deep: '^1.0.0' }], deep: ['1.0.0'] },
  )
  const user = locked({ own: '3.0.0' }, { own: ['3.0.0', { third: '^1.0.0' }], third: ['1.4.0'] })
  const merged = mergeLockfile({ base, next, user }, manifest({ a: '1.0.0', own: '3.0.0' }))
  expect(versions(merged)).toEqual({ a: '1.0.0', 'a/third': '2.1.0', deep: '1.0.0', own: '3.0.0', third: '1.4.0' })
  // If the app itself needs the one of the template, the package of the user keeps its own.
  const direct = locked({ third: '2.1.0' }, { third: ['2.1.0'] })
  const other = mergeLockfile({ base, next: direct, user }, manifest({ third: '2.1.0', own: '3.0.0' }))
  expect(versions(other)).toEqual({ own: '3.0.0', 'own/third': '1.4.0', third: '2.1.0' })
})

test('what nothing requires any more goes, unless the user’s packages still do', () => {
  const base = locked(
    { a: '1.0.0' },
    { a: ['1.0.0', { deep: '^1.0.0', other: '^1.0.0' }], deep: ['1.0.0'], other: ['1.0.0'] },
  )
  const user = locked(
    { a: '1.0.0', own: '3.0.0' },
    {
      a: ['1.0.0', { deep: '^1.0.0', other: '^1.0.0' }],
      deep: ['1.0.0'],
      other: ['1.0.0'],
      own: ['3.0.0', { deep: '^1.0.0' }],
    },
  )
  const merged = mergeLockfile({ base, next: locked({}, {}), user }, manifest({ own: '3.0.0' }))
  expect(versions(merged)).toEqual({ deep: '1.0.0', own: '3.0.0' })
})

test('packages of workspaces in the app stay', () => {
  const base = locked({ a: '1.0.0' }, { a: ['1.0.0'] })
  const user = lockfile({
    '': { dependencies: { a: '1.0.0' }, workspaces: ['packages/*'] },
    'node_modules/a': { version: '1.0.0' },
    'node_modules/deep': { version: '1.4.0' },
    'node_modules/shop-api': { resolved: 'packages/shop-api', link: true },
    'packages/shop-api': { version: '0.0.1', dependencies: { deep: '^1.0.0' } },
  })
  const manifestText = JSON.stringify({ name: 'shop', workspaces: ['packages/*'] })
  const merged = JSON.parse(mergeLockfile({ base, next: locked({}, {}), user }, manifestText) ?? '{}')
  const { 'node_modules/a': _, ...rest } = JSON.parse(user).packages
  expect(merged.packages).toEqual({ ...rest, '': { name: 'shop', workspaces: ['packages/*'] } })
})

test('a package that becomes a dependency in production is no longer marked as one of development', () => {
  const entries = { 'node_modules/a': { version: '1.0.0' } }
  const user = lockfile({ '': { devDependencies: { a: '1.0.0' } }, 'node_modules/a': { version: '1.0.0', dev: true } })
  const next = lockfile({ '': { dependencies: { a: '1.0.0' } }, ...entries })
  const merged = JSON.parse(mergeLockfile({ base: user, next, user }, manifest({ a: '1.0.0' })) ?? '{}')
  expect(merged.packages['node_modules/a']).toEqual({ version: '1.0.0' })
  const back = JSON.parse(
    mergeLockfile({ base: next, next: user, user: next }, JSON.stringify({ devDependencies: { a: '1.0.0' } })) ?? '{}',
  )
  expect(back.packages['node_modules/a']).toEqual({ version: '1.0.0', dev: true })
})

test('a lockfile that cannot be read is left to npm', () => {
  const fine = locked({}, {})
  expect(mergeLockfile({ base: fine, next: fine, user: '<<<<<<< HEAD' }, manifest({}))).toBeNull()
  expect(mergeLockfile({ base: fine, next: fine, user: '{ "lockfileVersion": 1 }' }, manifest({}))).toBeNull()
})
