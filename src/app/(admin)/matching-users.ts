import 'server-only'
import { type SQL, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type Role, roles } from '@/core/auth/policy'
import { searchTerms } from './schema'
import type { Activity, Filter, Sort } from './user-query'

export interface SortKey {
  /** The sort expression, exactly as in the index, and its type for casting the key of a cursor. */
  key: SQL
  type: 'text' | 'timestamptz'
}

export const sortKeys: Record<Sort, SortKey> = {
  created: { key: sql`u.created_at`, type: 'timestamptz' },
  name: { key: sql`lower(u.name) collate "C"`, type: 'text' },
  email: { key: sql`lower(u.email) collate "C"`, type: 'text' },
  role: { key: sql`u.created_at`, type: 'timestamptz' },
  seen: { key: sql`coalesce(u.last_seen_at, timestamptz 'epoch')`, type: 'timestamptz' },
}

/** A range of the index by `sortKeys.seen`: only a list in that order can be filtered without reading other rows. */
const activityRanges: Record<Activity, SQL> = {
  day: sql`and ${sortKeys.seen.key} >= now() - interval '1 day'`,
  week: sql`and ${sortKeys.seen.key} >= now() - interval '7 days'`,
  month: sql`and ${sortKeys.seen.key} >= now() - interval '30 days'`,
  earlier: sql`and ${sortKeys.seen.key} > timestamptz 'epoch' and ${sortKeys.seen.key} < now() - interval '30 days'`,
  never: sql`and ${sortKeys.seen.key} = timestamptz 'epoch'`,
}

/** Whether the search uses `admin_terms`: not for a full id, and not for an empty search. */
export const isTerm = (search: string | undefined): search is string =>
  Boolean(search) && !z.uuid().safeParse(search).success

/** The combinations of role and status that the filter allows. SQL literals, so that the planner can use statistics. */
function rolesAndStatuses({ role, status }: Filter): { role: Role; isActive: boolean }[] {
  const active = status ? [status === 'active'] : [true, false]
  const allowed = role ? roles.filter((each) => [role].flat().includes(each)) : roles
  return allowed.flatMap((each) => active.map((isActive) => ({ role: each, isActive })))
}

const hasRoleAndStatus = (role: Role, isActive: boolean) =>
  sql`u.role = ${sql.raw(`'${role}'`)} and (u.suspended_at is null)::int = ${sql.raw(isActive ? '1' : '0')}`

/** SQL for the matching users as (id, role, key): one index scan per role and status. `rest` limits each scan. */
export function matchingUsers(filter: Filter, { key }: SortKey, rest: (key: SQL, id: SQL, role?: Role) => SQL): SQL {
  const { search } = filter
  const combinations = rolesAndStatuses(filter)
  if (isTerm(search)) {
    // A user with several matching terms must be listed once, for the first of these terms. That is the one whose
    // common prefix with the user's previous term (`shared`) is shorter than the search text. So there is one index
    // scan for each possible value of `shared`. Filtering term by term instead would scan half of the table when all
    // emails start with the name.
    const prefix = sql`lower(${search.replaceAll(/\s+/g, ' ')})`
    const values = sql.raw(combinations.map(({ role, isActive }) => `('${role}', ${isActive})`).join(', '))
    return sql`select walk.* from (values ${values}) as kind (role, is_active),
      generate_series(0, length(${prefix}) - 1) as shared,
      lateral (select t.user_id as id, t.role, t.term as key from ${searchTerms} t
        where t.role = kind.role and t.is_active = kind.is_active and t.shared = shared.shared
          and t.term >= ${prefix} and t.term < ${prefix} || ${'\u{10ffff}'}
          ${rest(sql`t.term`, sql`t.user_id`)}) as walk`
  }
  const idCondition = search ? sql`and u.id = ${search}` : sql``
  const activityCondition = filter.seen ? activityRanges[filter.seen] : sql``
  const scans = combinations.map(
    ({ role, isActive }) => sql`(select u.id, u.role, ${key} as key from users u
      where ${hasRoleAndStatus(role, isActive)} ${idCondition} ${activityCondition} ${rest(key, sql`u.id`, role)})`,
  )
  return sql.join(scans, sql` union all `)
}
