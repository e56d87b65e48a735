import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { db } from '../db/client'
import { prune } from '../jobs/prune'

const monthsFromNow = (months: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15))
}
const nameOf = (month: Date) => `audit_events_${month.toISOString().slice(0, 7).replace('-', '_')}`
const parts = async () =>
  (
    await db.execute<{ name: string }>(
      sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_events'::regclass order by 1`,
    )
  ).rows.map(({ name }) => name)
const insertAt = async (at: Date) => {
  const { rows } = await db.execute<{ part: string }>(
    sql`insert into audit_events (kind, at) values ('thing.done', ${at.toISOString()}) returning tableoid::regclass::text as part`,
  )
  return rows[0]?.part
}
/** A month of the past, as if it had been made then. */
async function makeMonth(month: Date): Promise<void> {
  const [from, to] = [0, 1].map((more) => new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + more, 1)))
  await db.execute(
    sql.raw(
      `create table ${nameOf(month)} partition of audit_events for values from ('${from?.toISOString()}') to ('${to?.toISOString()}')`,
    ),
  )
}

afterEach(() => {
  delete process.env.AUDIT_RETENTION_MONTHS
})

test('the months to come are there, and what happens in them goes there', async () => {
  for (const months of [1, 2, 3]) expect(await insertAt(monthsFromNow(months))).toBe(nameOf(monthsFromNow(months)))
  expect(await insertAt(new Date())).toBe('audit_events_first')
})

test('what happens in a month that nobody has made is kept all the same, and stands in nobody’s way', async () => {
  expect(await insertAt(monthsFromNow(30))).toBe('audit_events_rest')
  const before = await parts()
  await db.execute(sql`select audit_prepare(31)`)
  const made = (await parts()).filter((name) => !before.includes(name))
  expect(made).toHaveLength(27)
  expect(made).not.toContain(nameOf(monthsFromNow(30)))
})

test('the worker makes months, once', async () => {
  await db.execute(sql.raw(`drop table ${nameOf(monthsFromNow(2))}`))
  await prune.work({}, { id: 'test' })
  const made = await parts()
  expect(made).toContain(nameOf(monthsFromNow(2)))
  await prune.work({}, { id: 'test' })
  expect(await parts()).toEqual(made)
})

test('no part of the log can be changed behind its back', async () => {
  await insertAt(monthsFromNow(1))
  for (const part of await parts()) {
    for (const statement of [`update ${part} set kind = 'x.y'`, `delete from ${part}`, `truncate ${part}`])
      await expect(db.execute(sql.raw(statement)), statement).rejects.toMatchObject({
        cause: { message: expect.stringContaining('written once and never changed') },
      })
  }
})

test('months that are older than wanted go as a whole; without the setting, none does', async () => {
  // The first part reaches back for ever.
  await db.execute(sql`alter table audit_events detach partition audit_events_first`)
  for (const months of [-5, -3, -2]) await makeMonth(monthsFromNow(months))
  const old = nameOf(monthsFromNow(-3))
  await prune.work({}, { id: 'test' })
  expect(await parts()).toContain(old)
  process.env.AUDIT_RETENTION_MONTHS = '2'
  await prune.work({}, { id: 'test' })
  const left = await parts()
  expect(left).not.toContain(old)
  expect(left).not.toContain(nameOf(monthsFromNow(-5)))
  expect(left).toContain(nameOf(monthsFromNow(-2)))
  expect(left).toContain(nameOf(monthsFromNow(3)))
})
