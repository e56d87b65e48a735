import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { createDatabase, dropDatabase } from '../../../tests/app/support/database'

// Not a real replica, but another database, so that the tests can tell which one was queried.
let replica = { url: '', name: '' }
let client: typeof import('./client')

beforeAll(async () => {
  replica = await createDatabase(inject('server'))
  process.env.DATABASE_REPLICA_URL = replica.url
  vi.resetModules()
  client = await import('./client')
})
afterAll(() => dropDatabase(inject('server'), replica.name))

type Source = typeof client.readReplica
const queriedDatabase = async (source: Source) =>
  (await source.execute<{ name: string }>(sql`select current_database() as name`)).rows[0]?.name

test('the read replica is used only for the queries that ask for it', async () => {
  expect(await queriedDatabase(client.readReplica)).toBe(replica.name)
  expect(await queriedDatabase(client.db)).not.toBe(replica.name)
})

test('an invalid query is not retried on the primary', async () => {
  await expect(client.readReplica.execute(sql`select 1 / 0`)).rejects.toMatchObject({ cause: { code: '22012' } })
  expect(await queriedDatabase(client.readReplica)).toBe(replica.name)
})

test('a table that the replica does not have yet is read from the primary', async () => {
  expect((await client.readReplica.execute(sql`select count(*)::int as count from users`)).rows).toHaveLength(1)
})

test('while the replica is unavailable the primary is used, without waiting for the replica each time', async () => {
  await dropDatabase(inject('server'), replica.name)
  expect(await queriedDatabase(client.readReplica)).toBe(await queriedDatabase(client.db))
  const { plinthReplica } = globalThis as { plinthReplica?: { query(): Promise<unknown> } }
  if (!plinthReplica) throw new Error('There is no pool for the replica')
  const query = vi.spyOn(plinthReplica, 'query')
  const primary = await queriedDatabase(client.db)
  const ask = async (times: number) => {
    for (let count = 0; count < times; count++) expect(await queriedDatabase(client.readReplica)).toBe(primary)
    return query.mock.calls.length
  }
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 4_000 })
  expect(await ask(20)).toBe(0)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1_000 })
  expect(await ask(20)).toBe(1)
  vi.useRealTimers()
})
