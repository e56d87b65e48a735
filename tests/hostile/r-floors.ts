// R. Versions that something is known about do not get in.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { floors, isOlder } from '../../scripts/floors.ts'
import { root } from '../../scripts/root.ts'
import { check } from './checks.ts'

const wanted = {
  next: '16.4.3',
  react: '19.3.1',
  'react-dom': '19.3.1',
  'next-auth': '5.0.0-beta.32',
  '@auth/core': '0.41.3',
  zod: '4.6.7',
  'drizzle-orm': '0.45.2',
  nodemailer: '10.0.0',
}

check('H-288', 'the gate closes on a version below its floor, and what is installed is above', async () => {
  const readJson = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8'))
  for (const [name, least] of Object.entries(wanted)) {
    const floor = floors[name]?.least ?? assert.fail(`${name} has no floor`)
    assert.ok(!isOlder(floor, least), `the floor of ${name} was lowered to ${floor}`)
    const { version } = readJson(`node_modules/${name}/package.json`)
    assert.ok(!isOlder(version, floor), `${name} ${version} is installed`)
  }
  assert.match(readJson('package.json').scripts.check, /npm run lockfile/)

  // The gate itself, on a copy of what it looks at.
  const folder = mkdtempSync(join(tmpdir(), 'plinth-floors-'))
  const run = () => spawnSync(process.execPath, ['scripts/lockfile.ts'], { cwd: folder, encoding: 'utf8' })
  try {
    for (const file of ['scripts', 'package.json', 'package-lock.json'])
      cpSync(join(root, file), join(folder, file), { recursive: true })
    assert.equal(run().status, 0, run().stderr)
    for (const name of Object.keys(wanted)) {
      const lock = readJson('package-lock.json')
      lock.packages[`node_modules/${name}`].version = '0.0.1'
      writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
      const { status, stderr } = run()
      assert.equal(status, 1, name)
      assert.match(stderr, new RegExp(`node_modules/${name} is 0\\.0\\.1, and must not be older than`))
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return Object.entries(floors)
    .map(([name, { least }]) => `${name} ${least}`)
    .join(', ')
})
