// @module-tag full: starts programs that take seconds.
import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { peekReset } from '@/core/auth/flows/reset-password'
import { verifyPassword } from '@/core/auth/password/hash'
import { roles } from '@/core/auth/roles'
import { pool } from '@/core/db/client'
import { temporaryFolder } from '../tests/app/support/temporary-folder.ts'
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

test('the first admin is created from the terminal, and chooses a password through a link', async () => {
  const { status, stdout } = user('', 'create', '--email', 'root@example.com', '--name', 'Root', '--role', 'admin')
  expect(status).toBe(0)
  const token = /^http:\/\/localhost:\d+\/reset\?token=(\S+)$/m.exec(stdout)?.[1] ?? ''
  expect(await peekReset(token)).toEqual({ email: 'root@example.com' })
  expect((await find('root@example.com')).role).toBe('admin')
  expect(stdout).not.toMatch(/password:/i)
})

test('a piped password is used, and not printed', async () => {
  const { status, stdout } = user('a long walk by the sea\n', 'create', '--email', 'piped@example.com')
  expect(status).toBe(0)
  expect(stdout).not.toContain('by the sea')
  const row = await find('piped@example.com')
  expect(row.role).toBe('viewer')
  expect((await verifyPassword(row.hash, 'a long walk by the sea')).isCorrect).toBe(true)
})

test('invalid input is reported, and no user is created', async () => {
  const { status, stderr } = user('short', 'create', '--email', 'weak@example.com', '--role', 'owner')
  expect(status).toBe(1)
  expect(stderr).toContain('password: Use at least 12 characters')
  expect(stderr).toContain(`role: Choose one of ${roles.join(', ')}`)
  expect(await find('weak@example.com')).toBeUndefined()
  expect(user('', 'destroy').stderr).toContain('Usage:')
})

// A module does it, and modules can be removed.
test.skipIf(!existsSync(join(root, 'src/app/(admin)')))('users are imported after a report', async () => {
  const file = join(temporaryFolder(), 'users.csv')
  writeFileSync(file, 'email,name,role\nada\nroot@example.com\nnew@example.com,Ada,editor\n')
  const dry = user('', 'import', file)
  expect(dry.status).toBe(0)
  expect(dry.stdout).toContain('Row 2: ada: Not a valid email\nRow 3: root@example.com: Already a user\n')
  expect(dry.stdout).toContain('To import: 0. To invite: 1. To skip: 2.\nRoles: 1 editor.\nNothing was changed.')
  expect(user('', 'import', file, '--yes').stdout).toContain('Imported: 0. Invited: 1. Skipped: 2.')
  const invited = await pool.query(`select role from admin_invitations where email = 'new@example.com'`)
  expect(invited.rows).toEqual([{ role: 'editor' }])
})

test('a file that does not exist is reported', () => {
  const { status, stderr } = user('', 'import', 'no-such-file.csv')
  expect(status).toBe(1)
  expect(stderr).not.toBe('')
  expect(user('', 'import').stderr).toContain('Usage:')
})
