// @module-tag full: creates ten databases and waits for locks.
import { createHash } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest'
import { createDatabase, dropDatabase } from '../../../tests/app/support/database'
import { type Migration, migrate } from './migrate'

let database = { url: '', name: '' }
beforeEach(async () => {
  database = await createDatabase(inject('server'))
})
afterEach(() => dropDatabase(inject('server'), database.name))

const migration = (owner: string, name: string, sql: string): Migration => ({
  owner,
  name,
  sql,
  checksum: createHash('sha256').update(sql).digest('hex'),
})
const table = (owner: string, name: string) => migration(owner, name, `create table ${owner}_${name} (id int)`)

async function query<Row extends pg.QueryResultRow>(text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const { rows } = await client.query<Row>(text)
  await client.end()
  return rows
}

const tables = async () =>
  (
    await query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'plinth_migrations' order by 1`,
    )
  ).map(({ name }) => name)
const names = (migrations: Migration[]) => migrations.map(({ owner, name }) => `${owner}/${name}`)

describe('migrations', () => {
  test('are applied once, in the order of their names', async () => {
    const all = [table('core', '0000_a'), table('core', '0001_b')]
    expect(names(await migrate(database.url, all))).toEqual(['core/0000_a', 'core/0001_b'])
    expect(names(await migrate(database.url, all))).toEqual([])
    expect(await tables()).toEqual(['core_0000_a', 'core_0001_b'])
  })

  test('ignore the statement and lock timeouts of the database', async () => {
    await query(`alter database ${database.name} set statement_timeout = '1s'`)
    await query(`alter database ${database.name} set lock_timeout = '1s'`)
    const slow = migration('core', '0000_slow', 'select pg_sleep(1.5)')
    expect(names(await migrate(database.url, [slow]))).toEqual(['core/0000_slow'])
  })

  test('with an earlier date than the newest applied one are applied as well', async () => {
    await migrate(database.url, [table('core', '20260301_late')])
    expect(
      names(await migrate(database.url, [table('core', '20260101_early'), table('core', '20260301_late')])),
    ).toEqual(['core/20260101_early'])
  })

  test('of two owners with interleaved dates, and with the same names, are all applied', async () => {
    await migrate(database.url, [table('core', '0001_x'), table('core', '0003_x')])
    const all = [table('core', '0001_x'), table('core', '0003_x'), table('blog', '0001_x'), table('blog', '0002_x')]
    expect(names(await migrate(database.url, all))).toEqual(['blog/0001_x', 'blog/0002_x'])
    expect(await tables()).toHaveLength(4)
  })

  test('that were changed after they were applied cause an error that names them; nothing is applied', async () => {
    await migrate(database.url, [table('core', '0000_a')])
    const edited = migration('core', '0000_a', 'create table core_0000_a (id bigint)')
    await expect(migrate(database.url, [edited, table('core', '0001_b')])).rejects.toThrow('core/0000_a')
    expect(await tables()).toEqual(['core_0000_a'])
  })

  test('are applied once if many nodes run them at the same time', async () => {
    const all = ['0000_a', '0001_b', '0002_c'].map((name) => table('core', name))
    const rounds = await Promise.all(Array.from({ length: 6 }, () => migrate(database.url, all)))
    expect(rounds.flat()).toHaveLength(3)
    expect(await query('select from plinth_migrations')).toHaveLength(3)
  })

  test('can build an index concurrently if many nodes run them at the same time', async () => {
    const index = migration(
      'core',
      '0001_i',
      '-- no transaction\ndrop index concurrently if exists i;\n--> statement-breakpoint\ncreate index concurrently i on core_0000_a (id)',
    )
    await Promise.all(Array.from({ length: 6 }, () => migrate(database.url, [table('core', '0000_a'), index])))
    expect(await query(`select from pg_index where indexrelid = 'i'::regclass and indisvalid`)).toHaveLength(1)
  })

  test('that fail are rolled back, and the error names them', async () => {
    const broken = migration(
      'core',
      '0001_b',
      'create table half (id int);\n--> statement-breakpoint\ncreate table nonsense (',
    )
    await expect(migrate(database.url, [table('core', '0000_a'), broken])).rejects.toThrow('core/0001_b')
    expect(await tables()).toEqual(['core_0000_a'])
    const fixed = migration('core', '0001_b', 'create table half (id int)')
    expect(names(await migrate(database.url, [table('core', '0000_a'), fixed]))).toEqual(['core/0001_b'])
  })

  test('wait for a locked table in short attempts, and succeed', async () => {
    await migrate(database.url, [table('core', '0000_a')])
    const reader = new pg.Client({ connectionString: database.url })
    await reader.connect()
    await reader.query('begin; select * from core_0000_a')
    const change = migration('core', '0001_b', 'alter table core_0000_a add column name text')
    const done = migrate(database.url, [table('core', '0000_a'), change])
    await new Promise((resolve) => setTimeout(resolve, 700))
    await reader.query('commit')
    await reader.end()
    expect(names(await done)).toEqual(['core/0001_b'])
  })

  test('can opt out of the transaction', async () => {
    await migrate(database.url, [table('core', '0000_a')])
    const index = migration(
      'core',
      '0001_i',
      '-- no transaction\ncreate index concurrently if not exists i on core_0000_a (id)',
    )
    expect(names(await migrate(database.url, [table('core', '0000_a'), index]))).toEqual(['core/0001_i'])
  })
})
