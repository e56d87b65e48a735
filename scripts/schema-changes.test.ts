import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from './root.ts'
import { findDifferences, findOwnersWithoutMigration, isChanged } from './schema-changes.ts'

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

test('after handwritten migrations, the database shows what is missing', async () => {
  await database.query(`
    create table notes (id integer primary key, title text not null, constraint notes_title_check check (title <> ''));
    create index notes_title_idx on notes (title)
  `)
  const notes = pgTable('notes', { id: integer().primaryKey(), title: text().notNull() }, (table) => [
    index('notes_title_idx').on(table.title),
    check('notes_title_check', sql`${table.title} <> ''`),
  ])
  expect(await findDifferences({ notes }, database)).toEqual([])
  const changed = [
    [pgTable('other', { id: integer().primaryKey() }), 'other.id'],
    [pgTable('notes', { id: integer().primaryKey() }), 'notes.title'],
    [pgTable('notes', { id: integer().primaryKey(), title: text() }), 'notes.title'],
    [pgTable('notes', { id: text().primaryKey(), title: text().notNull() }), 'notes.id'],
    [pgTable('notes', { id: integer().primaryKey(), title: text().notNull(), body: text() }), 'notes.body'],
    [
      pgTable('notes', { id: integer().primaryKey(), title: text().notNull() }, (table) => [
        index('notes_id_idx').on(table.id),
      ]),
      'notes.notes_id_idx',
    ],
  ] as const
  for (const [table, difference] of changed) expect(await findDifferences({ table }, database)).toEqual([difference])
})
