import { expect, test } from 'vitest'
import { lockfileProblems } from './lockfile.ts'
import { isOlder, minimumVersions } from './minimum-versions.ts'

const validLockfile = {
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
  expect(lockfileProblems(validLockfile, { dependencies: { next: '16.4.3' } })).toEqual([])
})

test('a platform package without an entry is reported', () => {
  const { 'node_modules/@next/swc-darwin-arm64': _, ...packages } = validLockfile.packages
  expect(lockfileProblems({ packages }, {})).toEqual([expect.stringContaining('@next/swc-darwin-arm64')])
})

test('a missing checksum, a download URL and a version range are reported', () => {
  const packages = { 'node_modules/a': { resolved: 'https://registry.example/a.tgz' } }
  expect(lockfileProblems({ packages }, { devDependencies: { a: '^1.0.0' } })).toHaveLength(3)
})

test('a package with an install script that was not reviewed is reported', () => {
  const packages = {
    'node_modules/esbuild': { integrity: 'x', hasInstallScript: true },
    'node_modules/a': { integrity: 'x', hasInstallScript: true },
  }
  const problems = lockfileProblems({ packages }, { allowScripts: { esbuild: false } })
  expect(problems).toEqual([expect.stringContaining('node_modules/a has an install script')])
  expect(lockfileProblems({ packages }, { allowScripts: { esbuild: false, a: true } })).toHaveLength(1)
})

test('versions are compared numerically, and a prerelease is older than its release', () => {
  const ascending = [
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
  for (const [at, version] of ascending.entries())
    for (const [other, later] of ascending.entries())
      expect(isOlder(version, later), `${version} ${later}`).toBe(at < other)
})

test('a version below its minimum is reported, wherever it is installed and whatever package.json says', () => {
  for (const [name, { minimum, reason }] of Object.entries(minimumVersions)) {
    const older = minimum.replace(/\d+$/, '0').replace(/^(\d+)\.0\.0$/, (_, major) => `${major - 1}.99.99`)
    const at = (version: string) => ({
      packages: { [`node_modules/a/node_modules/${name}`]: { version, integrity: 'x' } },
    })
    expect(lockfileProblems(at(older), {}), name).toEqual([expect.stringContaining(reason)])
    expect(lockfileProblems(at(minimum), { dependencies: { [name]: older } })).toEqual([
      expect.stringContaining('in package.json'),
    ])
    expect(lockfileProblems(at(minimum), { dependencies: { [name]: minimum } })).toEqual([])
  }
})
