import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from './root.ts'

const doctor = (env: Record<string, string>) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'doctor.mjs')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  })

test('the doctor finds a sound set-up sound', () => {
  const { status, stdout } = doctor({})
  expect(stdout).toContain('All migrations are applied')
  expect(stdout).not.toContain('BROKEN')
  expect(status).toBe(0)
})

test('the doctor says that the database is away, and what to do', () => {
  const { status, stdout } = doctor({ DATABASE_URL: 'postgres://nobody:secret-word@127.0.0.1:1/none' })
  expect(stdout).toMatch(/BROKEN The database in DATABASE_URL does not answer.*\n.*leave DATABASE_URL empty/)
  expect(stdout).not.toContain('secret-word')
  expect(status).toBe(1)
})

test('the doctor repeats what the app itself would say about its settings', () => {
  const { status, stdout } = doctor({ AUTH_SECRET: 'short' })
  expect(stdout).toContain('AUTH_SECRET: is shorter than 32 bytes')
  expect(status).toBe(1)
})

test('the doctor knows the database from npm when no other is named', () => {
  const { status, stdout } = doctor({ DATABASE_URL: '' })
  expect(stdout).toMatch(/ok {5}PostgreSQL \d+\.\d+ from npm/)
  expect(status).toBe(0)
})
