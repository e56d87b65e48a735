// Package versions with known vulnerabilities are rejected.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isOlder, minimumVersions } from '../../../scripts/minimum-versions.ts'
import { root } from '../../../scripts/root.ts'
import { check } from '../../app/support/checks.ts'

/** Versions that fixed a known vulnerability. */
const fixedVersions = {
  next: '16.4.3',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'next-auth': '5.0.0-beta.32',
  '@auth/core': '0.41.3',
  zod: '4.6.7',
  'drizzle-orm': '0.45.2',
  sharp: '0.35.5',
  nodemailer: '10.0.0',
}

check(
  'H-288',
  'the lockfile check fails for a version below its minimum, and installed versions are above it',
  async () => {
    const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
    for (const [name, fixed] of Object.entries(fixedVersions)) {
      const minimum = minimumVersions[name]?.minimum ?? assert.fail(`${name} has no minimum version`)
      assert.ok(!isOlder(minimum, fixed), `the minimum version of ${name} was lowered to ${minimum}`)
      const { version } = readJson(`node_modules/${name}/package.json`)
      assert.ok(!isOlder(version, minimum), `${name} ${version} is installed`)
    }
    assert.match(readJson('package.json').scripts.check, /npm run lockfile/)

    // Runs the check itself on a copy of its inputs.
    const folder = mkdtempSync(join(tmpdir(), 'plinth-minimum-versions-'))
    const run = () => spawnSync(process.execPath, ['scripts/lockfile.ts'], { cwd: folder, encoding: 'utf8' })
    try {
      for (const file of ['scripts', 'package.json', 'package-lock.json'])
        cpSync(join(root, file), join(folder, file), { recursive: true })
      assert.equal(run().status, 0, run().stderr)
      for (const name of Object.keys(fixedVersions)) {
        const lock = readJson('package-lock.json')
        lock.packages[`node_modules/${name}`].version = '0.0.1'
        writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
        const { status, stderr } = run()
        assert.equal(status, 1, name)
        assert.match(stderr, new RegExp(`node_modules/${name} is 0\\.0\\.1, but must be at least`))
      }
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    return Object.entries(minimumVersions)
      .map(([name, { minimum }]) => `${name} ${minimum}`)
      .join(', ')
  },
)
