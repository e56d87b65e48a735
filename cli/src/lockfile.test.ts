import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/root.ts'
import { addLockedPackages, pruneLockfile } from './lockfile.ts'

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

test('with all dependencies the lockfile of the template stays complete', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const pruned = pruneLockfile(text, readFileSync(join(root, 'package.json'), 'utf8'))
  expect(packagesIn(pruned)).toEqual(packagesIn(text))
})

test('new packages get the versions that the template locked, and packages of the app keep theirs', () => {
  const template = lockfile({
    '': { dependencies: { a: '1', b: '1', c: '1' } },
    'node_modules/a': { version: '1.0.0', dependencies: { deep: '^1' } },
    'node_modules/b': { version: '1.0.0', dependencies: { shared: '^1' } },
    'node_modules/c': { version: '1.0.0' },
    'node_modules/deep': { version: '1.0.0' },
    'node_modules/shared': { version: '1.0.0' },
  })
  const app = lockfile({
    '': { dependencies: { b: '1', own: '1' } },
    'node_modules/b': { version: '1.0.0', dependencies: { shared: '^1' } },
    'node_modules/own': { version: '3.0.0' },
    'node_modules/shared': { version: '1.2.0' },
  })
  const manifest = JSON.stringify({ dependencies: { a: '1', b: '1', own: '1' } })
  const { packages } = JSON.parse(addLockedPackages(app, template, manifest))
  expect(Object.entries(packages).map(([path, entry]) => [path, (entry as { version?: string }).version])).toEqual([
    ['', undefined],
    ['node_modules/a', '1.0.0'],
    ['node_modules/b', '1.0.0'],
    ['node_modules/deep', '1.0.0'],
    ['node_modules/own', '3.0.0'],
    ['node_modules/shared', '1.2.0'],
  ])
})
