import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/root.ts'
import { db } from '../db/client'
import { seedUsers } from '../db/seed-users'
import { adminRole, defaultRole, findRole, isAdminRole, roleLabel, roles, roleTable } from './roles'

test('the database accepts exactly the roles of the table', async () => {
  const { rows } = await db.execute<{ definition: string }>(
    sql`select pg_get_constraintdef(oid) as definition from pg_constraint where conname = 'users_role_check'`,
  )
  const allowed = [...(rows[0]?.definition ?? '').matchAll(/'(\w+)'/g)].map((match) => match[1])
  expect(allowed.sort(), 'run "npm run db:generate -- core roles"').toEqual(roles.toSorted())
})

test('every role has a name for SQL and URLs, and a label of its own', () => {
  for (const name of roles) expect(name).toMatch(/^[a-z][a-z_]*$/)
  expect(new Set(roles).size).toBe(roles.length)
  expect(new Set(roleTable.map(({ label }) => label)).size).toBe(roles.length)
})

test('new users have the lowest role, and admins the highest', () => {
  expect(roles[0]).toBe(defaultRole)
  expect(roles.at(-1)).toBe(adminRole)
  expect(roles.filter(isAdminRole)).toEqual([adminRole])
})

test('every role has a seeded user', () => {
  expect(seedUsers.map(({ role }) => role).sort()).toEqual(roles.toSorted())
  expect(seedUsers[0]).toMatchObject({ role: adminRole, email: 'admin@example.com' })
})

test('a role that no longer exists is shown as it is stored', () => {
  expect(roleLabel('editor')).toBe('Editor')
  expect(roleLabel('owner')).toBe('owner')
  expect(findRole('constructor')).toBeUndefined()
})

test('core and the modules for accounts and users name no role outside of policies', () => {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => /^src\/(core|app\/\((account|admin)\))\//.test(file))
    .filter((file) => !/\.(test|e2e)\.ts$|(policy|roles|screenshots|e2e-\w+)\.ts$/.test(file))
  expect(files.length).toBeGreaterThan(100)
  const namesRole = /'(viewer|editor)'|\brole\b.{0,12}'admin'/
  expect(["role === 'admin'", "role: 'admin'", "['editor']"].filter((text) => !namesRole.test(text))).toEqual([])
  expect(files.filter((file) => namesRole.test(readFileSync(join(root, file), 'utf8')))).toEqual([])
})
