import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { db } from '../db/client'
import { prune } from '../jobs/prune'

const monthsFromNow = (months: number) => {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + months, 15))
}
const partitionName = (month: Date) => `audit_events_${month.toISOString().slice(0, 7).replace('-', '_')}`
const partitions = async () =>
  (
    await db.execute<{ name: string }>(
      sql`select inhrelid::regclass::text as name from pg_inherits where inhparent = 'audit_events'::regclass order by 1`,
    )
  ).rows.map(({ name }) => name)
const insertAt = async (at: Date) => {
  const { rows } = await db.execute<{ partition: string }>(
    sql`insert into audit_events (kind, at) values ('thing.done', ${at.toISOString()}) returning tableoid::regclass::text as partition`,
  )
  return rows[0]?.partition
}
/** Creates the partition of a past month. */
async function createPartition(month: Date): Promise<void> {
  const [from, to] = [0, 1].map((more) => new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + more, 1)))
  await db.execute(
    sql.raw(
      `create table ${partitionName(month)} partition of audit_events for values from ('${from?.toISOString()}') to ('${to?.toISOString()}')`,
    ),
  )
}

afterEach(() => {
  delete process.env.AUDIT_RETENTION_MONTHS
})

test('partitions for the coming months exist, and events are inserted into them', async () => {
  for (const months of [1, 2, 3])
    expect(await insertAt(monthsFromNow(months))).toBe(partitionName(monthsFromNow(months)))
  expect(await insertAt(new Date())).toBe('audit_events_first')
})

test('an event without a monthly partition goes to the default one, and blocks no new partitions', async () => {
  expect(await insertAt(monthsFromNow(30))).toBe('audit_events_rest')
  const before = await partitions()
  await db.execute(sql`select audit_prepare(31)`)
  const created = (await partitions()).filter((name) => !before.includes(name))
  expect(created).toHaveLength(27)
  expect(created).not.toContain(partitionName(monthsFromNow(30)))
})

test('the worker creates missing partitions, once', async () => {
  await db.execute(sql.raw(`drop table ${partitionName(monthsFromNow(2))}`))
  await prune.work({}, { id: 'test' })
  const created = await partitions()
  expect(created).toContain(partitionName(monthsFromNow(2)))
  await prune.work({}, { id: 'test' })
  expect(await partitions()).toEqual(created)
})

test('no partition of the audit log can be changed directly', async () => {
  await insertAt(monthsFromNow(1))
  for (const partition of await partitions()) {
    for (const statement of [
      `update ${partition} set kind = 'x.y'`,
      `delete from ${partition}`,
      `truncate ${partition}`,
    ])
      await expect(db.execute(sql.raw(statement)), statement).rejects.toMatchObject({
        cause: { message: expect.stringContaining('written once and never changed') },
      })
  }
})

test('partitions older than AUDIT_RETENTION_MONTHS are dropped; without the setting, none is', async () => {
  // The first partition has no lower bound, so it would overlap with the ones created below.
  await db.execute(sql`alter table audit_events detach partition audit_events_first`)
  for (const months of [-5, -3, -2]) await createPartition(monthsFromNow(months))
  const old = partitionName(monthsFromNow(-3))
  await prune.work({}, { id: 'test' })
  expect(await partitions()).toContain(old)
  process.env.AUDIT_RETENTION_MONTHS = '2'
  await prune.work({}, { id: 'test' })
  const left = await partitions()
  expect(left).not.toContain(old)
  expect(left).not.toContain(partitionName(monthsFromNow(-5)))
  expect(left).toContain(partitionName(monthsFromNow(-2)))
  expect(left).toContain(partitionName(monthsFromNow(3)))
})
