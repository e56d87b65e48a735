// @module-tag full: starts programs that take seconds.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { hasModule } from '../tests/app/support/has-module.ts'
import { root } from './root.ts'

// The doctor bundles sources and loads drizzle-kit: seconds of work, and more on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const doctor = (env: Record<string, string>) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'doctor.mjs')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })

test('the doctor reports no problem in a valid setup', () => {
  const { status, stdout } = doctor({})
  expect(stdout).toContain('All migrations are applied')
  expect(stdout).toContain('No schema change without a migration was found')
  expect(stdout).not.toContain('BROKEN')
  expect(status).toBe(0)
})

test.runIf(hasModule('organizations'))('the doctor tells whether organizations are kept apart', async () => {
  expect(doctor({}).stdout).toContain('ok     Row-level security keeps organizations apart')

  const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
  const login = `plinth_test_${crypto.randomUUID().slice(0, 8)}`
  await client.connect()
  try {
    // A login that may read everything, and was not given the role.
    await client.query(`create role ${login} login password 'only-for-tests'; grant pg_read_all_data to ${login}`)
    const url = new URL(process.env.DATABASE_URL ?? '')
    url.username = login
    url.password = 'only-for-tests'
    const { status, stdout } = doctor({ DATABASE_URL: url.href })
    expect(stdout).toMatch(
      /BROKEN Rows of organizations aren’t kept apart: .* cannot switch to the role app_scoped.*\n.*docs\/tenancy\.md/,
    )
    expect(status).toBe(1)

    await client.query('alter table organizations_members disable row level security')
    expect(doctor({}).stdout).toContain('row-level security is missing on organizations_members')
  } finally {
    await client.query('alter table organizations_members enable row level security')
    await client.query(`drop owned by ${login}; drop role ${login}`)
    await client.end()
  }
})

test('the doctor reports an unreachable database, and what to do', () => {
  const { status, stdout } = doctor({ DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' })
  expect(stdout).toMatch(/BROKEN Can’t connect to the database in DATABASE_URL.*\n.*leave DATABASE_URL empty/)
  expect(stdout).not.toContain('secret-word')
  expect(status).toBe(1)
})

test('the doctor reports the same problems with settings as the app', () => {
  const { status, stdout } = doctor({ AUTH_SECRET: 'short' })
  expect(stdout).toContain('AUTH_SECRET: is shorter than 32 bytes')
  expect(status).toBe(1)
})

test('the doctor recognizes a misspelled setting', () => {
  const { status, stdout } = doctor({ PASWORD_MIN_LENGTH: '8' })
  expect(stdout).toMatch(/note {3}PASWORD_MIN_LENGTH isn’t a setting\n.*Did you mean PASSWORD_MIN_LENGTH\?/)
  expect(status).toBe(0)
})

test('the doctor checks the PostgreSQL from npm when DATABASE_URL is empty', () => {
  const { status, stdout } = doctor({ DATABASE_URL: '' })
  expect(stdout).toMatch(/ok {5}PostgreSQL \d+\.\d+ from npm/)
  expect(status).toBe(0)
})
