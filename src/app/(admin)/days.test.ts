import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { countDays, findDays, longestPeriod, percentChange } from './days'

const day = (age: number) => sql`(now() at time zone 'UTC')::date - ${age}::int`
const insertEvents = (kind: string, age: number, times: number) =>
  db.execute(sql`insert into audit_events (kind, at)
    select ${kind}, (${day(age)})::timestamp at time zone 'UTC' + number * interval '1 second'
    from generate_series(0, ${times - 1}) number`)
const runJob = () => countDays.work({}, { id: 'test' })
const countRows = async () =>
  (await db.execute<{ count: number }>(sql`select count(*)::int as count from admin_days`)).rows[0]?.count

beforeEach(async () => {
  await db.execute(sql`alter table audit_events_first disable trigger user`)
  await db.execute(sql`delete from audit_events_first`)
  await db.execute(sql`delete from admin_days`)
})

test.each([7, 30, longestPeriod])(
  'in a period of %i days each day has its count and that of one period earlier, and both are summed up',
  async (period) => {
    await insertEvents('session.started', 0, 3)
    await insertEvents('session.started', 2, 5)
    await insertEvents('session.started', period - 1, 7)
    await insertEvents('session.started', period, 11)
    await insertEvents('session.started', period + 2, 2)
    await insertEvents('session.started', 2 * period, 13)
    await insertEvents('thing.done', 0, 17)
    const counts = await findDays(period)
    const { days, total, before } = counts['session.started']
    expect(days).toHaveLength(period)
    expect(days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), count: 3, before: 11 })
    expect(days.at(-2)).toMatchObject({ count: 0, before: 0 })
    expect(days.at(-3)).toMatchObject({ count: 5, before: 2 })
    expect(days[0]?.count).toBe(7)
    expect([total, before]).toEqual([15, 13])
    expect(counts['person.joined']).toMatchObject({ total: 0, before: 0 })
  },
)

test('the worker counts each finished day once, and the result is the same before and after', async () => {
  await insertEvents('person.joined', 0, 2)
  await insertEvents('person.joined', 1, 4)
  await insertEvents('signin.failed', 40, 6)
  await insertEvents('signin.failed', 2 * longestPeriod - 1, 5)
  const before = await findDays(longestPeriod)
  await runJob()
  expect(await findDays(longestPeriod)).toEqual(before)
  expect(await countRows()).toBe(3 * 2 * longestPeriod)
  // Counted days are not counted again: only today is still open.
  await insertEvents('person.joined', 1, 100)
  await insertEvents('person.joined', 0, 1)
  await runJob()
  const { days } = (await findDays(7))['person.joined']
  expect([days.at(-1)?.count, days.at(-2)?.count]).toEqual([3, 4])
})

test('the worker also counts days before the first one that an older version has counted', async () => {
  await insertEvents('person.joined', 100, 8)
  await db.execute(sql`insert into admin_days (day, kind, count)
    select ${day(0)} - age, 'person.joined', 1 from generate_series(1, 60) age`)
  await runJob()
  const { days } = (await findDays(longestPeriod))['person.joined']
  expect(days.at(-1 - (100 - longestPeriod))?.before).toBe(8)
  expect(days.at(-2)?.count).toBe(1)
})

test('a change is in percent, good or bad by its meaning, and absent without anything to compare with', () => {
  const series = (total: number, before: number) => ({ days: [], total, before })
  expect(percentChange(series(161, 100))).toMatchObject({ text: '61%', isUp: true, isGood: true })
  expect(percentChange(series(161, 100), false)).toMatchObject({ text: '61%', isUp: true, isGood: false })
  expect(percentChange(series(50, 100), false)).toMatchObject({ text: '50%', isUp: false, isGood: true })
  expect(percentChange(series(5, 0))).toBeUndefined()
  expect(percentChange(series(1_001, 1_000))).toBeUndefined()
})
