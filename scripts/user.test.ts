import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { verifyPassword } from '@/core/auth/password'
import { lookAtReset } from '@/core/auth/reset'
import { pool } from '@/core/db/client'
import { root } from './root.ts'

const user = (input: string, ...args: string[]) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'user.ts'), ...args], {
    cwd: root,
    encoding: 'utf8',
    input,
    env: process.env,
  })

const find = async (email: string) =>
  (await pool.query('select role, hash from users join passwords on user_id = users.id where email = $1', [email]))
    .rows[0]

test('the first admin is made from the terminal, and chooses a password behind a link', async () => {
  const { status, stdout } = user('', 'create', '--email', 'root@example.com', '--name', 'Root', '--role', 'admin')
  expect(status).toBe(0)
  const token = /^http:\/\/localhost:\d+\/reset\?token=(\S+)$/m.exec(stdout)?.[1] ?? ''
  expect(await lookAtReset(token)).toEqual({ email: 'root@example.com' })
  expect((await find('root@example.com')).role).toBe('admin')
  expect(stdout).not.toMatch(/password:/i)
})

test('a password that is piped in is used, and not shown', async () => {
  const { status, stdout } = user('a long walk by the sea\n', 'create', '--email', 'piped@example.com')
  expect(status).toBe(0)
  expect(stdout).not.toContain('sea')
  const row = await find('piped@example.com')
  expect(row.role).toBe('viewer')
  expect((await verifyPassword(row.hash, 'a long walk by the sea')).isRight).toBe(true)
})

test('what is wrong is said, and nobody is made', async () => {
  const { status, stderr } = user('short', 'create', '--email', 'weak@example.com', '--role', 'owner')
  expect(status).toBe(1)
  expect(stderr).toContain('password: Use at least 12 characters')
  expect(stderr).toContain('role: Choose one of viewer, editor, admin')
  expect(await find('weak@example.com')).toBeUndefined()
  expect(user('', 'destroy').stderr).toContain('Usage:')
})
