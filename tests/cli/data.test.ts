import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { findHistories, migrate, readMigrations } from '../../src/core/db/migrate.ts'
import { createDatabase, dropDatabase, findServer } from '../support/database.ts'
import { moduleNames, namesInSchema, present, TestApp, whole } from './world.ts'

describe('data of a module', () => {
  let server: Awaited<ReturnType<typeof findServer>>
  before(async () => {
    server = await findServer()
  })
  after(() => server.stop())

  async function withDatabase(work: (client: pg.Client, applyAll: (app: TestApp) => Promise<number>) => Promise<void>) {
    const database = await createDatabase(server.url)
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await work(client, async (app) => (await migrate(database.url, readMigrations(findHistories(app.folder)))).length)
    } finally {
      await client.end()
      await dropDatabase(server.url, database.name)
    }
  }
  for (const { name, tables } of present.modules.filter((module) => module.tables.length > 0))
    test(`${name}: stays when the module goes, and is found again; with --drop-data nothing of it stays`, async () => {
      const others = moduleNames.filter((one) => one !== name)
      using without = new TestApp(whole, 'present', others)
      using app = new TestApp(whole, 'present', moduleNames)
      let bare: string[] = []
      await withDatabase(async (client, applyAll) => {
        await applyAll(without)
        bare = await namesInSchema(client)
      })
      await withDatabase(async (client, applyAll) => {
        await applyAll(app)
        const full = await namesInSchema(client)
        assert.notDeepEqual(full, bare)
        await client.query(`insert into users (email, name) values ('ada@example.com', 'Ada')`)
        await fillTables(client, tables)
        const counted = await countRows(client, tables)

        app.remove([name])
        assert.equal(await applyAll(app), 0)
        assert.deepEqual(await namesInSchema(client), full)
        app.add(name)
        assert.equal(await applyAll(app), 0)
        assert.deepEqual(await countRows(client, tables), counted)
        assert.ok(counted.some((count) => count > 0))

        // Who changes their mind before any database has heard of it loses nothing.
        app.remove([name], { isDataDropped: true })
        app.add(name)
        assert.equal(await applyAll(app), 0)
        assert.deepEqual(await countRows(client, tables), counted)

        app.remove([name], { isDataDropped: true })
        assert.ok(app.isClean)
        assert.equal(await applyAll(app), 1)
        assert.deepEqual(await namesInSchema(client), bare)
        assert.equal((await client.query('select from users')).rowCount, 1)

        // Whoever wants it back begins from nothing.
        app.add(name)
        assert.ok((await applyAll(app)) > 0)
        assert.deepEqual(await namesInSchema(client), full)
      })
      // And where nothing was ever there, both go through as well.
      await withDatabase(async (client, applyAll) => {
        await applyAll(app)
        assert.ok((await namesInSchema(client)).includes(`r ${tables[0]}`))
      })
    })
})

/** A row in each table, made of what its columns want. What it refers to need not be there: nobody looks, for this while. */
async function fillTables(client: pg.Client, tables: string[]): Promise<void> {
  await client.query('set session_replication_role = replica')
  for (const table of tables) {
    const { rows: columns } = await client.query<{ name: string; type: string }>(
      `select column_name as name, data_type as type from information_schema.columns
       where table_name = $1 and is_nullable = 'NO' and column_default is null`,
      [table],
    )
    const value = ({ type }: { type: string }) => {
      if (type === 'uuid') return 'gen_random_uuid()'
      if (type === 'bytea') return `'\\x00'::bytea`
      if (type.startsWith('timestamp')) return 'now()'
      if (type === 'date') return 'current_date'
      if (type === 'ARRAY') return `'{}'`
      if (type === 'boolean') return 'true'
      return type === 'text' || type === 'tsvector' ? `'viewer'` : '1'
    }
    const names = columns.map(({ name }) => `"${name}"`).join(', ')
    await client.query(
      `insert into ${table} (${names}) values (${columns.map(value).join(', ')}) on conflict do nothing`,
    )
  }
  await client.query('set session_replication_role = origin')
}

async function countRows(client: pg.Client, tables: string[]): Promise<number[]> {
  const counts: number[] = []
  for (const table of tables) counts.push((await client.query(`select from ${table}`)).rowCount ?? 0)
  return counts
}
