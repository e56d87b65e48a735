import { sql } from 'drizzle-orm'
import { afterEach, describe, expect, test } from 'vitest'
import { db, pool, type Transaction } from './client'
import { inOneRoundTrip, inTransaction } from './in-transaction'

/** Destroys the socket of a connection, as if the database had crashed. */
const destroySocket = (client: unknown) =>
  (client as { connection: { stream: { destroy(): void } } }).connection.stream.destroy()

afterEach(() => {
  pool.removeAllListeners('acquire')
})

/** Every call waits until there have been that many. */
function meetingOf(count: number): () => Promise<void> {
  let arrived = 0
  let start = () => {}
  const all = new Promise<void>((resolve) => {
    start = resolve
  })
  return () => {
    if (++arrived === count) start()
    return all
  }
}

const moreThanPoolSize = pool.options.max + 2
const add = () => inTransaction(async (tx) => (await tx.execute(sql`select 1 + 1 as sum`)).rows[0]?.sum)

test('a transaction returns its result and releases its connection', async () => {
  for (let round = 0; round < moreThanPoolSize; round++) expect(await add()).toBe(2)
  expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0])
})

test('a transaction that fails is rolled back, and throws the error', async () => {
  const table = `kept_${crypto.randomUUID().slice(0, 8)}`
  const failing = inTransaction(async (tx) => {
    await tx.execute(sql.raw(`create table ${table} (id int)`))
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  await expect(pool.query(`select from ${table}`)).rejects.toMatchObject({ code: '42P01' })
})

test('work that goes on after its transaction failed writes nothing', async () => {
  const table = `late_${crypto.randomUUID().slice(0, 8)}`
  let writing: Promise<unknown> | undefined
  const failing = inTransaction(async (tx) => {
    writing = new Promise((resolve) => setTimeout(resolve, 50)).then(() =>
      tx.execute(sql.raw(`create table ${table} ()`)),
    )
    throw new Error('changed my mind')
  })
  await expect(failing).rejects.toThrow('changed my mind')
  await expect(writing).rejects.toThrow()
  await expect(pool.query(`select from ${table}`)).rejects.toMatchObject({ code: '42P01' })
})

test('transactions whose BEGIN fails leak no connection', { tags: 'full' }, async () => {
  pool.on('acquire', destroySocket)
  for (let round = 0; round < moreThanPoolSize; round++) await expect(add()).rejects.toThrow()
  pool.removeAllListeners('acquire')
  expect(pool.totalCount).toBe(0)
  expect(await Promise.all(Array.from({ length: moreThanPoolSize }, add))).toEqual(Array(moreThanPoolSize).fill(2))
})

test('a transaction that loses its connection fails at once, and leaks no connection', async () => {
  for (let round = 0; round < moreThanPoolSize; round++) {
    let lostClient: unknown
    pool.once('acquire', (client) => {
      lostClient = client
    })
    const halfway = inTransaction(async (tx) => {
      await tx.execute(sql`select 1`)
      destroySocket(lostClient)
      await tx.execute(sql`select 1`)
    })
    await expect(halfway).rejects.toMatchObject({
      cause: { message: expect.stringContaining('Connection terminated') },
    })
  }
  expect(await Promise.all(Array.from({ length: moreThanPoolSize }, add))).toEqual(Array(moreThanPoolSize).fill(2))
})

test('two transactions that deadlock both succeed after a retry, and each change is applied once', async () => {
  await pool.query('create table pair (id int primary key, count int not null)')
  await pool.query('insert into pair values (1, 0), (2, 0)')
  let runs = 0
  const bothHaveOne = meetingOf(2)
  const incrementBoth = (first: number, second: number) =>
    inTransaction(async (tx) => {
      runs++
      await tx.execute(sql`update pair set count = count + 1 where id = ${first}`)
      await bothHaveOne()
      await tx.execute(sql`update pair set count = count + 1 where id = ${second}`)
    })
  await Promise.all([incrementBoth(1, 2), incrementBoth(2, 1)])
  expect(runs).toBeGreaterThan(2)
  expect((await pool.query('select count from pair')).rows).toEqual([{ count: 2 }, { count: 2 }])
})

test('after a unique violation, the retried transaction sees the row of the other', async () => {
  await pool.query('create table name (name text primary key)')
  const bothHaveRead = meetingOf(2)
  const work = async (tx: Transaction) => {
    const { rowCount } = await tx.execute(sql`select from name`)
    if (rowCount) return 'taken'
    await bothHaveRead()
    await tx.execute(sql`insert into name values ('Ada')`)
    return 'mine'
  }
  const take = () => inTransaction(work, { retry: 'unique_violation' })
  expect((await Promise.all([take(), take()])).sort()).toEqual(['mine', 'taken'])
})

test('a unique violation is not retried unless asked for', async () => {
  await pool.query('create table city (name text primary key)')
  let runs = 0
  const work = async (tx: Transaction) => {
    runs++
    await tx.execute(sql`insert into city values ('Turin'), ('Turin')`)
  }
  await expect(inTransaction(work)).rejects.toMatchObject({ cause: { code: '23505' } })
  expect(runs).toBe(1)
  await expect(inTransaction(work, { retry: 'unique_violation' })).rejects.toMatchObject({ cause: { code: '23505' } })
  expect(runs).toBe(4)
})

test('a transaction on a read-only standby is retried', async () => {
  let runs = 0
  const work = async (tx: Transaction) => {
    runs++
    if (runs === 1) await tx.execute(sql`do $$ begin raise exception 'no' using errcode = '25006'; end $$`)
  }
  await inTransaction(work)
  expect(runs).toBe(2)
})

test('a transaction that fails to serialize every time gives up after three attempts', async () => {
  let runs = 0
  const colliding = inTransaction(async (tx) => {
    runs++
    await tx.execute(sql`do $$ begin raise exception 'no' using errcode = '40001'; end $$`)
  })
  await expect(colliding).rejects.toMatchObject({ cause: { code: '40001' } })
  expect(runs).toBe(3)
})

describe('statements in one round trip', () => {
  const newTable = async () => {
    const name = `trip_${crypto.randomUUID().slice(0, 8)}`
    await pool.query(`create table ${name} (id int primary key)`)
    return sql.identifier(name)
  }
  const idsIn = async (table: ReturnType<typeof sql.identifier>) =>
    (await db.execute(sql`select id from ${table} order by id`)).rows.map(({ id }) => id)

  test('run in order in one transaction, and return their results', async () => {
    const table = await newTable()
    const [, { rows }, { rowCount }] = await inOneRoundTrip((tx) => [
      tx.execute(sql`insert into ${table} values (1), (2)`),
      tx.execute(sql`select count(*)::int, txid_current_if_assigned() is not null as writes from ${table}`),
      tx.execute(sql`delete from ${table} where id = 1`),
    ])
    expect([rows[0], rowCount]).toEqual([{ count: 2, writes: true }, 1])
    expect(await idsIn(table)).toEqual([2])
  })

  test('are all undone if one of them fails, which is the error that is thrown', async () => {
    const table = await newTable()
    const failing = inOneRoundTrip((tx) => [
      tx.execute(sql`insert into ${table} values (1)`),
      tx.execute(sql`insert into ${table} values (1)`),
      tx.execute(sql`insert into ${table} values (2)`),
    ])
    await expect(failing).rejects.toMatchObject({ cause: { code: '23505' } })
    expect(await idsIn(table)).toEqual([])
    expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0])
  })

  test('are all undone if one of them cannot be sent', async () => {
    const table = await newTable()
    const broken = {
      // biome-ignore lint/suspicious/noThenProperty: as in Drizzle, the statement is sent when it is awaited
      then: () => {
        throw new Error('not a statement')
      },
    }
    const failing = inOneRoundTrip((tx) => [tx.execute(sql`insert into ${table} values (1)`), broken])
    await expect(failing).rejects.toThrow('not a statement')
    expect(await idsIn(table)).toEqual([])
  })

  test('see what was committed while an earlier one waited for a lock', async () => {
    const table = await newTable()
    await db.execute(sql`insert into ${table} values (1)`)
    const isLocked = meetingOf(2)
    const other = inTransaction(async (tx) => {
      await tx.execute(sql`select from ${table} where id = 1 for update`)
      await isLocked()
      const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      await expect.poll(async () => (await db.execute(waiting)).rowCount, { timeout: 30_000 }).toBe(1)
      await tx.execute(sql`insert into ${table} values (2)`)
    })
    await isLocked()
    const [, { rows }] = await inOneRoundTrip((tx) => [
      tx.execute(sql`select from ${table} where id = 1 for update`),
      tx.execute(sql`select count(*)::int from ${table}`),
    ])
    await other
    expect(rows).toEqual([{ count: 2 }])
  })

  test('are retried after a deadlock', { tags: 'full' }, async () => {
    const table = await newTable()
    await db.execute(sql`insert into ${table} values (1), (2)`)
    const lock = (id: number) => sql`select pg_sleep(0.1) from ${table} where id = ${id} for update`
    const lockBoth = (first: number, second: number) =>
      inOneRoundTrip((tx) => [tx.execute(lock(first)), tx.execute(lock(second))])
    await expect(Promise.all([lockBoth(1, 2), lockBoth(2, 1)])).resolves.toHaveLength(2)
  })
})
