import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { findMigrationFolders, migrate, readMigrations } from '../../../src/core/db/migrate.ts'
import { createDatabase, dropDatabase, findServer } from '../../app/support/database.ts'
import { fullTemplate, moduleNames, namesInSchema, present, TestApp } from './test-app.ts'

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
      await work(
        client,
        async (app) => (await migrate(database.url, readMigrations(findMigrationFolders(app.folder)))).length,
      )
    } finally {
      await client.end()
      await dropDatabase(server.url, database.name)
    }
  }
  for (const { name, tables } of present.modules.filter((module) => module.tables.length > 0))
    test(`${name}: is preserved by remove and add, and dropped by remove --drop-data`, async () => {
      const others = moduleNames.filter((one) => one !== name)
      using without = new TestApp(fullTemplate, 'present', others)
      using app = new TestApp(fullTemplate, 'present', moduleNames)
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

        // Adding the module again before the drop was applied to a database loses nothing.
        app.remove([name], { isDataDropped: true })
        app.add(name)
        assert.equal(await applyAll(app), 0)
        assert.deepEqual(await countRows(client, tables), counted)

        app.remove([name], { isDataDropped: true })
        assert.ok(app.isClean)
        assert.equal(await applyAll(app), 1)
        assert.deepEqual(await namesInSchema(client), bare)
        assert.equal((await client.query('select from users')).rowCount, 1)

        // Added again after the drop, the module starts with empty tables.
        app.add(name)
        assert.ok((await applyAll(app)) > 0)
        assert.deepEqual(await namesInSchema(client), full)
      })
      // All these migrations also succeed on an empty database.
      await withDatabase(async (client, applyAll) => {
        await applyAll(app)
        assert.ok((await namesInSchema(client)).includes(`r ${tables[0]}`))
      })
    })
})

/** Inserts a row into each table. session_replication_role disables foreign keys and triggers meanwhile. */
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
    const values = `(${names}) values (${columns.map(value).join(', ')})`
    await client.query(`insert into ${table} ${names ? values : 'default values'} on conflict do nothing`)
  }
  await client.query('set session_replication_role = origin')
}

async function countRows(client: pg.Client, tables: string[]): Promise<number[]> {
  const counts: number[] = []
  for (const table of tables) counts.push((await client.query(`select from ${table}`)).rowCount ?? 0)
  return counts
}
