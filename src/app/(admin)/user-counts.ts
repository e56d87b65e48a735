import 'server-only'
import { sql } from 'drizzle-orm'
import { cache } from 'react'
import { db } from '@/core/db/client'
import { countUsers, type Total } from './list-users'
import { invitations } from './schema'
import type { Filter } from './user-query'

const maxInvitations = 1_000

/** Once in a request: the sidebar shows it, and the tabs of the list. */
const countInvitations = cache(async (): Promise<Total> => {
  const counted = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from ${invitations} limit ${maxInvitations + 1}) as counted`,
  )
  const count = counted.rows[0]?.count ?? 0
  return count <= maxInvitations ? { count, precision: 'exact' } : { count: maxInvitations, precision: 'at least' }
})

/** What the sidebar shows beside "Invitations". */
export async function findInvitationBadge(): Promise<string | null> {
  const total = await countInvitations()
  return total.count === 0 ? null : formatCount(total)
}

/**
 * The number of users in the list, and the numbers on its tabs. Each is what the tab would show, so with another filter only
 * the current tab has one: to count the others would cost as much as the list itself.
 */
export async function countTabs({ search, role, seen, status }: Filter) {
  if (search || role || seen) {
    const total = await countUsers({ search, role, seen, status })
    return { total, tabs: { [status ?? 'all']: total } as Partial<Record<Tab, Total>> }
  }
  const [active, suspended, invited] = await Promise.all([
    countUsers({ status: 'active' }),
    countUsers({ status: 'suspended' }),
    countInvitations(),
  ])
  const isExact = active.precision === 'exact' && suspended.precision === 'exact'
  const all: Total = isExact ? { count: active.count + suspended.count, precision: 'exact' } : await countUsers({})
  const tabs: Partial<Record<Tab, Total>> = { all, active, suspended, invited }
  return { total: { all, active, suspended }[status ?? 'all'], tabs }
}

export type Tab = 'all' | 'active' | 'suspended' | 'invited'

const compact = new Intl.NumberFormat('en', { notation: 'compact' })

/** A number as short as a tab needs it: "53", "10,000+", "~1.2M". */
export function formatCount({ count, precision }: Total): string {
  if (precision === 'estimated') return `~${compact.format(count)}`
  return `${count.toLocaleString('en')}${precision === 'at least' ? '+' : ''}`
}

/** What part of the list a page shows. Only the first page knows its place: the others are found by a row, not by a number. */
export function formatRange(
  { count, precision }: Total,
  { shown, isFirst, isLast }: { shown: number; isFirst: boolean; isLast: boolean },
): string {
  if (isFirst && isLast) return `${shown} ${shown === 1 ? 'user' : 'users'}`
  const prefix = { exact: '', estimated: 'about ', 'at least': 'more than ' }[precision]
  return `${isFirst ? `1–${shown}` : shown} of ${prefix}${count.toLocaleString('en')} users`
}
