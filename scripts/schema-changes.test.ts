import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { expect, test } from 'vitest'
import { root } from './root.ts'
import { findOwnersWithoutMigration, isChanged } from './schema-changes.ts'

test('every schema has its migrations: after a change, run "npm run db:generate -- <owner> <name>"', {
  timeout: 60_000,
}, async () => {
  expect(await findOwnersWithoutMigration(root)).toEqual([])
})

test('a new table, a new column and another type are changes', async () => {
  const { generateDrizzleJson } = await import('drizzle-kit/api')
  const notes = pgTable('notes', { id: integer().primaryKey() })
  const snapshot = JSON.parse(JSON.stringify(generateDrizzleJson({ notes })))
  expect(await isChanged({ notes }, snapshot)).toBe(false)
  expect(await isChanged({ notes }, null)).toBe(true)
  expect(await isChanged({}, null)).toBe(false)
  expect(await isChanged({}, snapshot)).toBe(true)
  const changed = [
    pgTable('notes', { id: integer().primaryKey(), title: text() }),
    pgTable('notes', { id: text().primaryKey() }),
    pgTable('notes', { id: integer() }),
  ]
  for (const table of changed) expect(await isChanged({ notes: table }, snapshot)).toBe(true)
})
