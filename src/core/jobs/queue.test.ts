// @module-tag full: waits for a worker.
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { db } from '../db/client'
import { inTransaction } from '../db/in-transaction'
import { users } from '../db/schema'
import { defineJob } from './job'
import { acceptOnly, enqueue } from './queue'
import { startWorker } from './worker'

// A retry waits for the worker's next poll.
vi.setConfig({ testTimeout: 45_000 })

const done: unknown[] = []
let failures = 0
const job = defineJob('test.note', {
  data: z.object({ text: z.string() }),
  run: async ({ text }, { id }) => {
    if (text === 'stubborn' && failures++ === 0) throw new Error('a secret reason')
    done.push([text, typeof id])
  },
})
const worker = startWorker([job])
afterAll(() => worker.stop())

const wait = (condition: () => boolean) => expect.poll(condition, { timeout: 40_000 }).toBe(true)
const storedJobs = async () =>
  (await db.execute<{ row: string }>(sql`select j::text as row from jobs.job j where name = 'test.note'`)).rows

test('a job runs as soon as its transaction is committed, without waiting for the worker’s next poll', async () => {
  await inTransaction((tx) => enqueue(tx, job, { text: 'the worker has started' }))
  await wait(() => done.length === 1)
  const start = Date.now()
  await inTransaction((tx) => enqueue(tx, job, { text: 'hello' }))
  await wait(() => done.length === 2)
  expect(done[1]).toEqual(['hello', 'string'])
  expect(Date.now() - start).toBeLessThan(8_000)
})

test('a job of a transaction that was rolled back is not enqueued', async () => {
  const before = (await storedJobs()).length
  const failing = inTransaction(async (tx) => {
    await tx.insert(users).values({ email: 'ada@example.com', name: 'Ada' })
    await enqueue(tx, job, { text: 'never' })
    throw new Error('something else went wrong')
  })
  await expect(failing).rejects.toThrow('something else')
  expect(await storedJobs()).toHaveLength(before)
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
})

describe('a job that is enqueued for later', () => {
  afterEach(() => vi.useRealTimers())

  test('starts by the clock of the database, whatever the clock of the node says', async () => {
    for (const hours of [-3, 3]) {
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
      await inTransaction((tx) => enqueue(tx, job, { text: `in ten minutes ${hours}` }, { startAfter: 600 }))
      vi.useRealTimers()
    }
    const { rows } = await db.execute<{ seconds: number }>(
      sql`select extract(epoch from start_after - now())::int as seconds from jobs.job
        where name = 'test.note' and data ->> 'text' like 'in ten minutes%'`,
    )
    expect(rows).toHaveLength(2)
    for (const { seconds } of rows) expect(Math.abs(seconds - 570)).toBeLessThanOrEqual(30)
  })
})

test('a job is retried for a day, or for a year if nothing else would ever do its work', async () => {
  const lasting = defineJob('test.lasting', {
    data: z.object({}),
    isRetriedForYear: true,
    run: async () => {
      throw new Error('the bucket is down')
    },
  })
  const startAfter = 24 * 3_600
  await inTransaction((tx) => enqueue(tx, job, { text: 'day' }, { startAfter }))
  await inTransaction((tx) => enqueue(tx, lasting, {}, { startAfter }))
  const daysOf = async (name: string) =>
    (
      await db.execute(sql`select
        retry_limit as tries, retry_delay_max / 3600 as hours, extract(day from keep_until - start_after)::int as days
        from jobs.job where name = ${name} and (data ->> 'text' = 'day' or data ->> 'text' is null)`)
    ).rows
  expect(await daysOf('test.note')).toEqual([{ tries: 34, hours: 1, days: 2 }])
  expect(await daysOf('test.lasting')).toEqual([{ tries: 400, hours: 24, days: 365 }])
})

test('a failed job is retried, and the error message is not stored with it', async () => {
  await inTransaction((tx) => enqueue(tx, job, { text: 'stubborn' }))
  await wait(() => done.some((entry) => (entry as string[])[0] === 'stubborn'))
  expect(failures).toBe(2)
  expect(JSON.stringify(await storedJobs())).not.toContain('a secret reason')
})

test('a job that is not in the list of the app is rejected, and its transaction with it', async () => {
  const forgotten = defineJob('test.forgotten', { data: z.object({}), run: async () => {} })
  acceptOnly([job])
  const failing = inTransaction(async (tx) => {
    await tx.insert(users).values({ email: 'grace@example.com', name: 'Grace' })
    await enqueue(tx, forgotten, {})
  })
  await expect(failing).rejects.toThrow('test.forgotten is not in the list of jobs: add it to "jobs" in module.ts')
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
  await inTransaction((tx) => enqueue(tx, job, { text: 'listed' }))
  await wait(() => done.some((entry) => (entry as string[])[0] === 'listed'))
})
