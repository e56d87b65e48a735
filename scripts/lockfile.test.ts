import { expect, test } from 'vitest'
import { lockfileProblems } from './lockfile.ts'

const sound = {
  packages: {
    '': {},
    'node_modules/next': { integrity: 'sha512-x', optionalDependencies: { '@next/swc-darwin-arm64': '1.0.0' } },
    'node_modules/@next/swc-darwin-arm64': { integrity: 'sha512-y' },
  },
}

test('a complete lockfile has no problems', () => {
  expect(lockfileProblems(sound, { dependencies: { next: '16.4.3' } })).toEqual([])
})

test('a platform package without an entry is named', () => {
  const { 'node_modules/@next/swc-darwin-arm64': _, ...packages } = sound.packages
  expect(lockfileProblems({ packages }, {})).toEqual([expect.stringContaining('@next/swc-darwin-arm64')])
})

test('a missing checksum, a download address and a loose version are named', () => {
  const packages = { 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } }
  expect(lockfileProblems({ packages }, { devDependencies: { a: '^1.0.0' } })).toHaveLength(3)
})

test('a package with an install script that nobody has looked at is named', () => {
  const packages = {
    'node_modules/esbuild': { integrity: 'x', hasInstallScript: true },
    'node_modules/a': { integrity: 'x', hasInstallScript: true },
  }
  expect(lockfileProblems({ packages }, {})).toEqual([expect.stringContaining('node_modules/a has an install script')])
})
