import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../../scripts/root.ts'
import { temporaryFolder } from '../../../tests/app/support/temporary-folder.ts'
import { expectMigrations, findPendingMigrations } from './pending-migrations'

test('a migrated database has nothing pending, and is not asked again', async () => {
  expectMigrations(root)
  expect(await findPendingMigrations()).toEqual([])
  expect(await findPendingMigrations()).toEqual([])
})

test('a migration that the database does not have is named with its owner', async () => {
  const folder = temporaryFolder()
  const migrations = join(folder, 'src', 'app', '(shop)', '_migrations')
  mkdirSync(migrations, { recursive: true })
  writeFileSync(join(migrations, '0000_init.sql'), 'select 1')
  expectMigrations(folder)
  expect(await findPendingMigrations()).toEqual(['shop/0000_init'])
})

test('without the folder of the app nothing is expected', async () => {
  expectMigrations('/nonexistent')
  expect(await findPendingMigrations()).toEqual([])
})
