import 'server-only'
import { sql } from 'drizzle-orm'
import { cache } from 'react'
import { z } from 'zod'
import { db } from '@/core/db/client'
import { defineJob } from '@/core/jobs/job'
import type { StatChange } from '@/core/ui/stat'
import { dailyCounts } from './schema'

/** The audit event kinds that are counted. */
export const countedKinds = ['person.joined', 'session.started', 'signin.failed'] as const
type Kind = (typeof countedKinds)[number]

const kinds = sql.raw(countedKinds.map((kind) => `'${kind}'`).join(', '))
const today = sql`(now() at time zone 'UTC')::date`

/** The longest period of a chart, in days. The same number of days before that is used for comparison. */
export const longestPeriod = 90

const firstDay = sql`${today} - ${sql.raw(String(2 * longestPeriod))}`

/** Counts per day and kind from this day on, read from the audit log. */
const countsSince = (from: ReturnType<typeof sql>) => sql`
  select (at at time zone 'UTC')::date as day, kind, count(*)::int as count from audit_events
  where kind in (${kinds}) and at >= (${from})::timestamp at time zone 'UTC' group by 1, 2`

/** The day after the last one that is counted; if none is counted, the first day that a chart can show. */
const firstOpenDay = sql`select coalesce(max(day) + 1, ${firstDay}) from ${dailyCounts}`

/** The first finished day that is not counted, or today. An older version counted fewer days than charts show now. */
const firstMissingDay = sql`
  select coalesce(min(series.at)::date, ${today})
  from generate_series((${firstDay})::timestamp, ${today} - 1, '1 day') as series (at)
  where not exists (select 1 from ${dailyCounts} where day = series.at::date)`

/** Counts each finished day once, so that the page does not have to: the log can have millions of events a day. */
export const countDays = defineJob('admin.count_days', {
  data: z.object({}),
  cron: '7 * * * *',
  run: async () => {
    // Inserts days without events, too; otherwise they would be counted again every time.
    await db.execute(sql`
      insert into ${dailyCounts} (day, kind, count)
      select day::date, kind, coalesce(happened.count, 0)
      from generate_series((${firstMissingDay})::timestamp, ${today} - 1, '1 day') as day
      cross join unnest(array[${kinds}]) as kind
      left join (${countsSince(firstMissingDay)}) as happened using (day, kind)
      on conflict do nothing`)
  },
})

export interface DayCount {
  /** ISO date, such as 2026-11-15. */
  day: string
  count: number
  /** The count one period earlier. */
  before: number
}

/** One kind of event, day by day. The last day is today. */
export interface Series {
  days: DayCount[]
  total: number
  /** The total of the same number of days before. */
  before: number
}

const sumOf = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)

/** The counts of a period by kind. One query per page, however many charts the page has. */
export const findDays = cache(async (period: number): Promise<Record<Kind, Series>> => {
  const { rows } = await db.execute<{ kind: Kind; age: number; count: number }>(sql`
    select kind, ${today} - day as age, count from (
      select day, kind, count from ${dailyCounts} where day > ${today} - ${2 * period}::int
      union all ${countsSince(firstOpenDay)}
    ) as counted`)
  const now = new Date()
  const dayOf = (age: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() - age)).toISOString().slice(0, 10)
  const seriesOf = (kind: Kind): Series => {
    const counts = new Map(rows.filter((row) => row.kind === kind).map(({ age, count }) => [age, count]))
    const days = Array.from({ length: period }, (_, index) => {
      const age = period - 1 - index
      return { day: dayOf(age), count: counts.get(age) ?? 0, before: counts.get(age + period) ?? 0 }
    })
    return {
      days,
      total: sumOf(days.map(({ count }) => count)),
      before: sumOf(days.map(({ before }) => before)),
    }
  }
  return Object.fromEntries(countedKinds.map((kind) => [kind, seriesOf(kind)])) as Record<Kind, Series>
})

/** The change of a total from the period before, in percent. None if there is nothing to compare with, or no change. */
export function percentChange({ total, before, days }: Series, isMoreGood = true): StatChange | undefined {
  const percent = before === 0 ? 0 : Math.round(((total - before) / before) * 100)
  if (percent === 0) return undefined
  const isUp = percent > 0
  return {
    text: `${Math.abs(percent).toLocaleString('en')}%`,
    isUp,
    isGood: isUp === isMoreGood,
    description: `${isUp ? 'more' : 'less'} than in the previous ${days.length} days (${before.toLocaleString('en')})`,
  }
}
