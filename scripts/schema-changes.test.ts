import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './root.ts'
import { findOwnersWithoutMigration, isChanged } from './schema-changes.ts'

const database = new pg.Client({ connectionString: process.env.DATABASE_URL })
beforeAll(() => database.connect())
afterAll(() => database.end())

test('every schema has its migrations: after a change, run "npm run db:generate -- <owner> <name>"', async () => {
  expect(await findOwnersWithoutMigration(root, database)).toEqual([])
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
