import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../scripts/root.ts'
import { pruneLockfile } from './lockfile.ts'

const lockfile = (packages: Record<string, object>) =>
  JSON.stringify({ name: 'plinth', version: '1.0.0', lockfileVersion: 3, packages })
const packagesIn = (text: string) => Object.keys(JSON.parse(text).packages)

test('what nothing leads to any more is left out, also what was nested', () => {
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

test('with all packages the lockfile of the template stays whole', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8')
  const pruned = pruneLockfile(text, readFileSync(join(root, 'package.json'), 'utf8'))
  expect(packagesIn(pruned)).toEqual(packagesIn(text))
})
