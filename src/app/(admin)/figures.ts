import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { cache } from 'react'
import { db } from '@/core/db/client'
import { matchingUsers, sortKeys } from './matching-users'

export interface Figure {
  count: number
  precision: 'exact' | 'estimated' | 'at least'
}

const maxCounted = 10_000
const limit = sql.raw(`limit ${maxCounted + 1}`)
const numberOf = (rows: SQL) =>
  sql`(select count(*)::int from (select 1 from (${rows}) as matching ${limit}) as counted)`

/** All users, those seen this week, suspended ones, and sessions used this week: exact up to 10,000, in one query. */
export const findFigures = cache(async (): Promise<Record<'users' | 'active' | 'suspended' | 'sessions', Figure>> => {
  // The order matches an index, so that few matches among many users are found quickly.
  const active = matchingUsers(
    { status: 'active' },
    sortKeys.seen,
    (key, id) => sql`and ${key} > now() - interval '7 days' order by ${key}, ${id} ${limit}`,
  )
  const suspended = matchingUsers(
    { status: 'suspended' },
    sortKeys.created,
    (key, id) => sql`order by ${key}, ${id} ${limit}`,
  )
  const { rows } = await db.execute<Record<'users' | 'estimate' | 'active' | 'suspended' | 'sessions', number>>(sql`
    select ${numberOf(sql`select 1 from users ${limit}`)} as users,
      (select greatest(reltuples, 0)::bigint::int from pg_class where oid = 'users'::regclass) as estimate,
      ${numberOf(active)} as active,
      ${numberOf(suspended)} as suspended,
      ${numberOf(sql`select 1 from sessions where last_seen_at > now() - interval '7 days' ${limit}`)} as sessions`)
  const [found] = rows
  const figureOf = (count = 0): Figure =>
    count <= maxCounted ? { count, precision: 'exact' } : { count: maxCounted, precision: 'at least' }
  const users = figureOf(found?.users)
  return {
    users:
      users.precision === 'exact'
        ? users
        : { count: Math.max(found?.estimate ?? 0, maxCounted), precision: 'estimated' },
    active: figureOf(found?.active),
    suspended: figureOf(found?.suspended),
    sessions: figureOf(found?.sessions),
  }
})

const compact = new Intl.NumberFormat('en', { notation: 'compact' })

/** A figure as text: "53", "10,000+" or "About 2M". */
export function formatFigure({ count, precision }: Figure): string {
  if (precision === 'estimated') return `About ${compact.format(count)}`
  return `${count.toLocaleString('en')}${precision === 'exact' ? '' : '+'}`
}
