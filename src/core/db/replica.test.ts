import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { createDatabase, dropDatabase } from '../../../tests/support/database'

// Not a replica, but another database: so that it can be told which one has answered.
let replica = { url: '', name: '' }
let client: typeof import('./client')

beforeAll(async () => {
  replica = await createDatabase(inject('server'))
  process.env.DATABASE_REPLICA_URL = replica.url
  vi.resetModules()
  client = await import('./client')
})
afterAll(() => dropDatabase(inject('server'), replica.name))

type Source = typeof client.lists
const whoAnswers = async (source: Source) =>
  (await source.execute<{ name: string }>(sql`select current_database() as name`)).rows[0]?.name

test('lists are read from the replica, all else from the database', async () => {
  expect(await whoAnswers(client.lists)).toBe(replica.name)
  expect(await whoAnswers(client.db)).not.toBe(replica.name)
})

test('a query that is wrong is not asked a second time', async () => {
  await expect(client.lists.execute(sql`select 1 / 0`)).rejects.toMatchObject({ cause: { code: '22012' } })
  expect(await whoAnswers(client.lists)).toBe(replica.name)
})

test('a table that the replica does not have yet is read from the database', async () => {
  expect((await client.lists.execute(sql`select count(*)::int as count from users`)).rows).toHaveLength(1)
})

test('while the replica is away lists are read from the database, and nobody waits for it again', async () => {
  await dropDatabase(inject('server'), replica.name)
  expect(await whoAnswers(client.lists)).toBe(await whoAnswers(client.db))
  const start = performance.now()
  for (let count = 0; count < 20; count++) await whoAnswers(client.lists)
  expect(performance.now() - start).toBeLessThan(1_000)
})
