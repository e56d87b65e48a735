import 'server-only'
import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '@/core/db/client'
import { defineJob } from '@/core/jobs/job'
import { days } from './schema'

/** What is counted: kinds of the audit log. */
export const counted = ['person.joined', 'session.started', 'signin.failed'] as const
type Kind = (typeof counted)[number]

const kinds = sql.raw(counted.map((kind) => `'${kind}'`).join(', '))
const today = sql`(now() at time zone 'UTC')::date`

/** Days in the chart; as many before them are what they are compared with. */
export const shown = 30

/** What happened on each day from this one on, from the log itself. */
const happened = (from: ReturnType<typeof sql>) => sql`
  select (at at time zone 'UTC')::date as day, kind, count(*)::int as count from audit_events
  where kind in (${kinds}) and at >= (${from})::timestamp at time zone 'UTC' group by 1, 2`

/** The day after the last one that was counted; without any, the first that is shown. */
const open = sql`select coalesce(max(day) + 1, ${today} - ${sql.raw(String(2 * shown))}) from ${days}`

/** Counts the days that are over, each once, so that a page need not: a log can hold millions of a day. */
export const countDays = defineJob('admin.count_days', {
  data: z.object({}),
  cron: '7 * * * *',
  run: async () => {
    // A day on which nothing happened is counted, too, or it would be asked for again and again.
    await db.execute(sql`
      insert into ${days} (day, kind, count)
      select day::date, kind, coalesce(happened.count, 0)
      from generate_series((${open})::timestamp, ${today} - 1, '1 day') as day
      cross join unnest(array[${kinds}]) as kind
      left join (${happened(open)}) as happened using (day, kind)
      on conflict do nothing`)
  },
})

export interface DayCount {
  /** As in 2026-11-15. */
  day: string
  count: number
}

/** By kind: each day that is shown, the last one being today, and how many there were in as many days before. */
export async function findDays(): Promise<Record<Kind, { days: DayCount[]; before: number }>> {
  const { rows } = await db.execute<{ kind: Kind; age: number; count: number }>(sql`
    select kind, ${today} - day as age, count from (
      select day, kind, count from ${days} where day > ${today} - ${sql.raw(String(2 * shown))}
      union all ${happened(open)}
    ) as counted`)
  const now = new Date()
  const dayOf = (age: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - age)).toISOString().slice(0, 10)
  const of = (kind: Kind) => {
    const counts = new Map(rows.filter((row) => row.kind === kind).map(({ age, count }) => [age, count]))
    const each = Array.from({ length: shown }, (_, index) => {
      const age = shown - 1 - index
      return { day: dayOf(age), count: counts.get(age) ?? 0 }
    })
    const before = [...counts].reduce((sum, [age, count]) => (age >= shown && age < 2 * shown ? sum + count : sum), 0)
    return { days: each, before }
  }
  return Object.fromEntries(counted.map((kind) => [kind, of(kind)])) as Record<Kind, ReturnType<typeof of>>
}

/** Exactly while that is cheap; past ten thousand, what the database believes. */
export async function countSessions(): Promise<{ count: number; is: 'exact' | 'estimated' }> {
  const { rows } = await db.execute<{ counted: number; guessed: number }>(sql`
    select (select count(*)::int from (
        select 1 from sessions where last_seen_at > now() - interval '7 days' limit 10001) as lately) as counted,
      (select greatest(reltuples, 0)::int from pg_class where oid = 'sessions'::regclass) as guessed`)
  const { counted: count = 0, guessed = 0 } = rows[0] ?? {}
  return count <= 10_000 ? { count, is: 'exact' } : { count: Math.max(guessed, 10_000), is: 'estimated' }
}
