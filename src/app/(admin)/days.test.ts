import { sql } from 'drizzle-orm'
import { beforeEach, expect, test } from 'vitest'
import { db } from '@/core/db/client'
import { countDays, findDays, shown } from './days'

const day = (age: number) => sql`(now() at time zone 'UTC')::date - ${age}::int`
const happen = (kind: string, age: number, times: number) =>
  db.execute(sql`insert into audit_events (kind, at)
    select ${kind}, (${day(age)})::timestamp at time zone 'UTC' + number * interval '1 second'
    from generate_series(0, ${times - 1}) number`)
const sumOf = (days: { count: number }[]) => days.reduce((sum, { count }) => sum + count, 0)
const work = () => countDays.work({}, { id: 'test' })

beforeEach(async () => {
  await db.execute(sql`alter table audit_events_first disable trigger user`)
  await db.execute(sql`delete from audit_events_first`)
  await db.execute(sql`delete from admin_days`)
})

test('each day has its count, a day without anything has none, and what was before is one sum', async () => {
  await happen('session.started', 0, 3)
  await happen('session.started', 2, 5)
  await happen('session.started', shown - 1, 7)
  await happen('session.started', shown, 11)
  await happen('session.started', 2 * shown, 13)
  await happen('thing.done', 0, 17)
  const { days, before } = (await findDays())['session.started']
  expect(days).toHaveLength(shown)
  expect(days.at(-1)).toEqual({ day: new Date().toISOString().slice(0, 10), count: 3 })
  expect([days.at(-2)?.count, days.at(-3)?.count, days[0]?.count, before]).toEqual([0, 5, 7, 11])
  expect(sumOf((await findDays())['person.joined'].days)).toBe(0)
})

test('days that are over are counted once by the worker, and the page says the same before and after', async () => {
  await happen('person.joined', 0, 2)
  await happen('person.joined', 1, 4)
  await happen('signin.failed', 40, 6)
  const before = await findDays()
  await work()
  expect(await findDays()).toEqual(before)
  const { rows } = await db.execute<{ count: number }>(sql`select count(*)::int as count from admin_days`)
  expect(rows[0]?.count).toBe(3 * 2 * shown)
  // What is counted is not looked at again: only today is open.
  await happen('person.joined', 1, 100)
  await happen('person.joined', 0, 1)
  await work()
  const { days } = (await findDays())['person.joined']
  expect([days.at(-1)?.count, days.at(-2)?.count]).toEqual([3, 4])
})
