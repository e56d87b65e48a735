import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findDifferences } from '../../../scripts/schema-changes.ts'
import * as core from './schema'

const database = new pg.Client({ connectionString: process.env.DATABASE_URL })
beforeAll(() => database.connect())
afterAll(() => database.end())

const modules = import.meta.glob<Record<string, unknown>>('../../app/*/schema.ts', { eager: true })

test.each(Object.entries({ core, ...modules }))(
  'the migrated database has what the schema says: %s',
  async (_, schema) => {
    expect(await findDifferences({ ...schema }, database)).toEqual([])
  },
)

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
