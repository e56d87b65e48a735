import { sql } from 'drizzle-orm'
import { afterAll, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { db } from '../db/client'
import { users } from '../db/schema'
import { defineJob } from './job'
import { enqueue } from './queue'
import { startWorker } from './worker'

// A second try waits for the worker's next look.
vi.setConfig({ testTimeout: 45_000 })

const done: unknown[] = []
let refusals = 0
const job = defineJob('test.note', {
  data: z.object({ text: z.string() }),
  run: async ({ text }, { id }) => {
    if (text === 'stubborn' && refusals++ === 0) throw new Error('a secret reason')
    done.push([text, typeof id])
  },
})
const worker = startWorker([job])
afterAll(() => worker.stop())

const wait = (condition: () => boolean) => expect.poll(condition, { timeout: 40_000 }).toBe(true)
const stored = async () =>
  (await db.execute<{ row: string }>(sql`select j::text as row from jobs.job j where name = 'test.note'`)).rows

test('a job is done as soon as its transaction is committed, not when the worker looks next', async () => {
  const start = Date.now()
  await db.transaction((tx) => enqueue(tx, job, { text: 'hello' }))
  await wait(() => done.length === 1)
  expect(done).toEqual([['hello', 'string']])
  expect(Date.now() - start).toBeLessThan(5_000)
})

test('a job of a transaction that was rolled back is never there', async () => {
  const before = (await stored()).length
  const failing = db.transaction(async (tx) => {
    await tx.insert(users).values({ email: 'ada@example.com', name: 'Ada' })
    await enqueue(tx, job, { text: 'never' })
    throw new Error('something else went wrong')
  })
  await expect(failing).rejects.toThrow('something else')
  expect(await stored()).toHaveLength(before)
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
})

test('a job that fails is tried again, and what went wrong is not stored with it', async () => {
  await db.transaction((tx) => enqueue(tx, job, { text: 'stubborn' }))
  await wait(() => done.some((entry) => (entry as string[])[0] === 'stubborn'))
  expect(refusals).toBe(2)
  expect(JSON.stringify(await stored())).not.toContain('a secret reason')
})
