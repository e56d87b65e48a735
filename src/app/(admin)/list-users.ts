import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { type Role, roles } from '@/core/auth/policy'
import { decrypt, encrypt } from '@/core/auth/tokens/encrypt'
import { loadUserFields, userFieldsIn } from '@/core/auth/user-fields'
import { db, type readReplica } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { defineLimit } from '@/core/limits/limit'
import { isTerm, matchingUsers, type SortKey, sortKeys } from './matching-users'
import { findSecondFactors } from './second-factors'
import { defaultOrder, defaults, type Filter, type ListQuery, type Sort, sorts, type statuses } from './user-query'

/** The decoded cursor: a row of the list, and whether the page is after or before it. */
const DecodedCursor = z.object({
  sort: z.enum([...sorts, 'match']),
  order: z.enum(['asc', 'desc']),
  side: z.enum(['after', 'before']),
  role: z.enum(roles),
  key: z.string(),
  id: z.uuid(),
})
type DecodedCursor = z.infer<typeof DecodedCursor>

// Encrypted, because it contains a name or an email, and URLs end up in logs.
const encodeCursor = (decodedCursor: DecodedCursor) => encrypt('admin list', JSON.stringify(decodedCursor))

function decodeCursor(cursor: string, expected: Pick<DecodedCursor, 'sort' | 'order'>): DecodedCursor {
  const text = decrypt('admin list', cursor)
  const decodedCursor = text ? DecodedCursor.parse(JSON.parse(text)) : null
  if (decodedCursor?.sort !== expected.sort || decodedCursor.order !== expected.order) {
    const fields = { cursor: ['This cursor doesn’t belong to this list'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  return decodedCursor
}

/** The order of the list, and the row at which the page starts. */
function readOrder(query: ListQuery) {
  const isMatch = isTerm(query.search)
  if (isMatch && query.sort) {
    const fields = { sort: ['Search results can’t be sorted'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  const sort: Sort | 'match' = isMatch ? 'match' : query.seen ? 'seen' : (query.sort ?? defaults.sort)
  const order = query.order ?? defaultOrder(sort)
  const sortKey: SortKey = sort === 'match' ? { key: sql`t.term`, type: 'text' } : sortKeys[sort]
  const start = query.cursor ? decodeCursor(query.cursor, { sort, order }) : null
  return { sort, order, sortKey, start }
}

/** SQL for one page as (id, role, key), with one row more than `limit`, and the order of its rows. */
function pageOf(query: ListQuery, { sort, order, sortKey, start }: ReturnType<typeof readOrder>, limit: number) {
  const isAscending = (order === 'asc') === (start?.side !== 'before')
  const direction = sql.raw(isAscending ? 'asc' : 'desc')
  const comparison = sql.raw(isAscending ? '>' : '<')
  const byRole = sort === 'role'
  const startCondition = (key: SQL, id: SQL, role?: Role) => {
    if (start && (!byRole || role === start.role))
      return sql`and (${key}, ${id}) ${comparison} (${start.key}::${sql.raw(sortKey.type)}, ${start.id}::uuid)`
    return start && role && role < start.role === isAscending ? sql`and false` : sql``
  }
  const matching = matchingUsers(
    query,
    sortKey,
    (key, id, role) =>
      sql`${startCondition(key, id, role)} order by ${key} ${direction}, ${id} ${direction} limit ${limit + 1}`,
  )
  const columns = [...(byRole ? [sql`page.role`] : []), sql`page.key`, sql`page.id`]
  const orderBy = sql.join(
    columns.map((column) => sql`${column} ${direction}`),
    sql`, `,
  )
  return { page: sql`(select * from (${matching}) as page order by ${orderBy} limit ${limit + 1}) as page`, orderBy }
}

/** One page of users, with cursors for the neighboring pages. The cost does not depend on the number of users. */
async function findRows(query: ListQuery, source: typeof readReplica = db) {
  const limit = query.limit ?? defaults.limit
  const listOrder = readOrder(query)
  const { page, orderBy } = pageOf(query, listOrder, limit)
  const rows = await source
    .select({
      id: users.id,
      name: users.name,
      email: users.email,
      role: users.role,
      status: sql<(typeof statuses)[number]>`case when ${users.suspendedAt} is null then 'active' else 'suspended' end`,
      createdAt: users.createdAt,
      lastSeenAt: users.lastSeenAt,
      image: users.image,
      isVerified: sql<boolean>`${users.emailVerifiedAt} is not null`,
      key: sql<string>`page.key::text`,
    })
    .from(page)
    .innerJoin(users, eq(users.id, sql`page.id`))
    .orderBy(orderBy)

  const { sort, order, start } = listOrder
  const isForward = start?.side !== 'before'
  const hasMore = rows.length > limit
  const shown = rows.slice(0, limit)
  if (!isForward) shown.reverse()
  const cursorAt = (row: (typeof rows)[number] | undefined, side: DecodedCursor['side']) =>
    row ? encodeCursor({ sort, order, side, role: row.role, key: row.key, id: row.id }) : null
  return {
    users: shown.map(({ key, ...user }) => user),
    nextCursor: hasMore || !isForward ? cursorAt(shown.at(-1), 'after') : null,
    previousCursor: start && (hasMore || isForward) ? cursorAt(shown[0], 'before') : null,
  }
}

/** A row of the page. `fields` are those of modules. */
export type UserRow = Awaited<ReturnType<typeof findRows>>['users'][number] & {
  fields?: Record<string, string | null>
}

/** One page of users, with the fields of the API. */
export async function findUsers(query: ListQuery, source?: typeof readReplica) {
  const page = await findRows(query, source)
  return { ...page, users: page.users.map(({ image, isVerified, ...user }) => user) }
}

async function recordAccess(actorId: string, filter: Filter, count: number): Promise<void> {
  const details = { count, ...filterForAuditLog(filter) }
  await recordAuditEvent(db, 'users.listed', { actorId, client: getClientInfo(await headers()), details })
}

/** Searches run again with every letter, and a list is walked through user by user: only the first of a while is recorded. */
const searchLimit = defineLimit('admin_search', { points: 1, seconds: 10 * 60 })
const walkLimit = defineLimit('admin_walk', { points: 1, seconds: 10 * 60 })
const recordLimits = { search: searchLimit, walk: walkLimit }

/** Records that an admin has found users. Call it before they are shown. */
export async function recordFirstAccess(
  kind: keyof typeof recordLimits,
  actorId: string,
  filter: Filter,
  count: number,
): Promise<void> {
  const client = getClientInfo(await headers())
  const key = `${actorId} ${client.ip}`
  if (!(await recordLimits[kind].tryConsume(key))) return
  try {
    await recordAccess(actorId, filter, count)
  } catch (error) {
    // Nothing was recorded, and nothing is shown: the next access must be recorded.
    await recordLimits[kind].forgive(key)
    throw error
  }
}

/** The users with the fields that modules keep about them, if there are any. */
export async function withFields<User extends { id: string }>(found: User[]) {
  const values = await loadUserFields(
    userFieldsIn('admin.list'),
    found.map(({ id }) => id),
  )
  return found.map((user) => {
    const fields = values.get(user.id)
    return { ...user, ...(fields && { fields }) }
  })
}

/** One page of users, with the access recorded in the audit log. */
export async function listUsers(actorId: string, query: ListQuery) {
  const page = await findUsers(query)
  const [users] = await Promise.all([withFields(page.users), recordAccess(actorId, query, page.users.length)])
  return { ...page, users }
}

/** The users before and after this one in the list. Costs as little as a page of it. */
export async function findNeighbors(actorId: string, { cursor, limit, ...query }: ListQuery, userId: string) {
  const { sort, order, sortKey } = readOrder(query)
  const matching = matchingUsers(query, sortKey, (_key, id) => sql`and ${id} = ${userId} limit 1`)
  const { rows } = await db.execute<{ role: Role; key: string }>(
    sql`select role, key::text as key from (${matching}) as page order by page.key limit 1`,
  )
  const row = rows[0]
  const findNeighbor = async (side: DecodedCursor['side']) =>
    row ? findRows({ ...query, limit: 1, cursor: encodeCursor({ sort, order, side, ...row, id: userId }) }) : null
  const [before, after] = await Promise.all([findNeighbor('before'), findNeighbor('after')])
  await recordFirstAccess('walk', actorId, query, 1)
  return { previous: before?.users[0]?.id ?? null, next: after?.users[0]?.id ?? null }
}

/** Like `listUsers`, with what the page shows besides. */
export async function listUserRows(actorId: string, query: ListQuery) {
  const page = await findRows(query)
  const [users, secondFactors] = await Promise.all([
    withFields(page.users),
    findSecondFactors(page.users.map(({ id }) => id)),
    recordAccess(actorId, query, page.users.length),
  ])
  return { ...page, users, secondFactors }
}

/** The filter for the audit log: records whether there was a search, but never the search text. */
export const filterForAuditLog = ({ role, status, seen, search }: Filter) => ({
  ...(role && { role: [role].flat().join(', ') }),
  ...(status && { status }),
  ...(seen && { seen }),
  ...(search && { isSearch: true }),
})

const maxCounted = 10_000

export interface Total {
  count: number
  precision: 'exact' | 'estimated' | 'at least'
}

/** The number of matching users: exact up to 10,000; above that an estimate without a filter, "at least" with one. */
export async function countUsers(filter: Filter): Promise<Total> {
  if (!filter.search && !filter.role && !filter.status && !filter.seen) {
    const guessed = await db.execute<{ count: number }>(
      sql`select reltuples::bigint::int as count from pg_class where oid = 'users'::regclass`,
    )
    const estimate = guessed.rows[0]?.count ?? 0
    if (estimate > maxCounted) return { count: estimate, precision: 'estimated' }
  }
  // The order matches an index and forces an index scan. The planner would prefer a sequential scan, which is expensive
  // when few rows match.
  const matching = matchingUsers(
    filter,
    filter.seen ? sortKeys.seen : sortKeys.created,
    (key, id) => sql`order by ${key}, ${id} limit ${maxCounted + 1}`,
  )
  const counted = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from (${matching}) as everybody limit ${maxCounted + 1}) as counted`,
  )
  const count = counted.rows[0]?.count ?? 0
  return count <= maxCounted ? { count, precision: 'exact' } : { count: maxCounted, precision: 'at least' }
}
