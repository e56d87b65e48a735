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

test('of two transactions that wait for each other both succeed, and each does its work once', async () => {
  await pool.query('create table pair (id int primary key, count int not null)')
  await pool.query('insert into pair values (1, 0), (2, 0)')
  let runs = 0
  const both = (first: number, second: number) =>
    db.transaction(async (tx) => {
      runs++
      await tx.execute(sql`update pair set count = count + 1 where id = ${first}`)
      await new Promise((resolve) => setTimeout(resolve, 100))
      await tx.execute(sql`update pair set count = count + 1 where id = ${second}`)
    })
  await Promise.all([both(1, 2), both(2, 1)])
  expect(runs).toBeGreaterThan(2)
  expect((await pool.query('select count from pair')).rows).toEqual([{ count: 2 }, { count: 2 }])
})

test('of two transactions that want what only one can have, the other sees that it is taken', async () => {
  await pool.query('create table name (name text primary key)')
  const take = () =>
    db.transaction(async (tx) => {
      const { rowCount } = await tx.execute(sql`select from name`)
      if (rowCount) return 'taken'
      await new Promise((resolve) => setTimeout(resolve, 100))
      await tx.execute(sql`insert into name values ('Ada')`)
      return 'mine'
    })
  expect((await Promise.all([take(), take()])).sort()).toEqual(['mine', 'taken'])
})

test('a transaction that collides every time gives up at the third', async () => {
  let runs = 0
  const colliding = db.transaction(async (tx) => {
    runs++
    await tx.execute(sql`do $$ begin raise exception 'no' using errcode = '40001'; end $$`)
  })
  await expect(colliding).rejects.toMatchObject({ cause: { code: '40001' } })
  expect(runs).toBe(3)
})
