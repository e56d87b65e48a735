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
