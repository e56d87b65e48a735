import { expect, test } from 'vitest'
import { floors, isOlder } from './floors.ts'
import { lockfileProblems } from './lockfile.ts'

const sound = {
  packages: {
    '': {},
    'node_modules/next': {
      version: '16.4.3',
      integrity: 'sha512-x',
      optionalDependencies: { '@next/swc-darwin-arm64': '1.0.0' },
    },
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

test('versions are compared by their numbers, and one with a word behind it comes before the one without', () => {
  const rising = [
    '0.9.10',
    '0.45.2',
    '5.0.0-alpha.40',
    '5.0.0-beta.4',
    '5.0.0-beta.32',
    '5.0.0-rc.1',
    '5.0.0',
    '16.4.3',
    '16.10.0',
  ]
  for (const [at, version] of rising.entries())
    for (const [other, later] of rising.entries())
      expect(isOlder(version, later), `${version} ${later}`).toBe(at < other)
})

test('a version below its floor is named, wherever it is installed and whatever package.json says', () => {
  for (const [name, { least, because }] of Object.entries(floors)) {
    const older = least.replace(/\d+$/, '0').replace(/^(\d+)\.0\.0$/, (_, major) => `${major - 1}.99.99`)
    const at = (version: string) => ({
      packages: { [`node_modules/a/node_modules/${name}`]: { version, integrity: 'x' } },
    })
    expect(lockfileProblems(at(older), {}), name).toEqual([expect.stringContaining(because)])
    expect(lockfileProblems(at(least), { dependencies: { [name]: older } })).toEqual([
      expect.stringContaining('in package.json'),
    ])
    expect(lockfileProblems(at(least), { dependencies: { [name]: least } })).toEqual([])
  }
})
