import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { db, pool } from './client'

/** Cuts the wire of each connection that is handed out, as a database that goes away does. */
const cut = (client: unknown) => (client as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

afterEach(() => {
  pool.removeAllListeners('acquire')
})

const more = pool.options.max + 2
const add = () => db.transaction(async (tx) => (await tx.execute(sql`select 1 + 1 as sum`)).rows[0]?.sum)

test('a transaction gives its result, and its connection back', async () => {
  for (let round = 0; round < more; round++) expect(await add()).toBe(2)
  expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0])
})

test('a transaction that fails undoes what it did, and says why', async () => {
  const table = `kept_${crypto.randomUUID().slice(0, 8)}`
  const failing = db.transaction(async (tx) => {
    await tx.execute(sql.raw(`create table ${table} (id int)`))
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  await expect(pool.query(`select from ${table}`)).rejects.toMatchObject({ code: '42P01' })
})

test('transactions that cannot even begin lose no connection', async () => {
  pool.on('acquire', cut)
  for (let round = 0; round < more; round++) await expect(add()).rejects.toThrow()
  pool.removeAllListeners('acquire')
  expect(pool.totalCount).toBe(0)
  expect(await Promise.all(Array.from({ length: more }, add))).toEqual(Array(more).fill(2))
})

test('a transaction that loses its connection halfway gives up at once, and loses no other', async () => {
  for (let round = 0; round < more; round++) {
    let lost: unknown
    pool.once('acquire', (client) => {
      lost = client
    })
    const halfway = db.transaction(async (tx) => {
      await tx.execute(sql`select 1`)
      cut(lost)
      await tx.execute(sql`select 1`)
    })
    await expect(halfway).rejects.toMatchObject({
      cause: { message: expect.stringContaining('Connection terminated') },
    })
  }
  expect(await Promise.all(Array.from({ length: more }, add))).toEqual(Array(more).fill(2))
})
