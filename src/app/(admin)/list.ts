import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { type Role, roles } from '@/core/auth/policy'
import { seal, unseal } from '@/core/auth/sealed'
import { db, type lists } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { terms } from './schema'

export const statuses = ['active', 'suspended'] as const
export const sorts = ['created', 'name', 'email', 'role', 'seen'] as const
type Sort = (typeof sorts)[number]

/** A form sends an empty text for what was not chosen. */
const orNothing = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((given) => (given === '' ? undefined : given), schema.optional())

export const UserFilter = z.object({
  search: orNothing(
    z
      .string()
      .meta({ description: 'The beginning of an address or of a word of a name, or a whole id' })
      .trim()
      .max(100, 'Search for at most 100 characters')
      // A text of the database cannot hold it, and the database says so with an error.
      .refine((text) => !text.includes('\0'), 'Search for letters that there are'),
  ),
  role: orNothing(z.enum(roles)),
  status: orNothing(z.enum(statuses)),
})

export const UserQuery = UserFilter.extend({
  sort: orNothing(z.enum(sorts).meta({ description: 'Not with a search, which has an order of its own' })),
  order: orNothing(z.enum(['asc', 'desc'])),
  cursor: orNothing(z.string().max(2_000).meta({ description: 'nextCursor of the page before' })),
  limit: orNothing(z.coerce.number().int().min(1).max(100).meta({ description: '25 when it is left out' })),
})

export const User = z
  .object({
    id: z.uuid(),
    name: z.string(),
    email: z.email(),
    role: z.enum(roles),
    status: z.enum(statuses),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().nullable(),
  })
  .meta({ id: 'User', description: 'Somebody, as admins see them' })

type Filter = z.output<typeof UserFilter>
export type ListQuery = z.output<typeof UserQuery>

/** As they are without being asked for. */
export const usual = { sort: 'created', limit: 25 } as const
/** Of days the latest first. */
export const usualOrder = (sort: Sort | 'match') => (sort === 'created' || sort === 'seen' ? 'desc' : 'asc')

/** A place in the list: beside which row, and on which side of it. */
const Place = z.object({
  sort: z.enum([...sorts, 'match']),
  order: z.enum(['asc', 'desc']),
  side: z.enum(['after', 'before']),
  role: z.enum(roles),
  key: z.string(),
  id: z.uuid(),
})
type Place = z.infer<typeof Place>

// Sealed: it holds a name or an address, and addresses of pages end up in logs.
const toCursor = (place: Place) => seal('admin list', JSON.stringify(place))

function fromCursor(cursor: string, expected: Pick<Place, 'sort' | 'order'>): Place {
  const text = unseal('admin list', cursor)
  const place = text ? Place.parse(JSON.parse(text)) : null
  if (place?.sort !== expected.sort || place.order !== expected.order) {
    const fields = { cursor: ['This is no cursor of this list'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  return place
}

interface Order {
  /** By what, as the index has it; its type, for a place that comes as text. */
  key: SQL
  type: 'text' | 'timestamptz'
}

const orders: Record<Sort, Order> = {
  created: { key: sql`u.created_at`, type: 'timestamptz' },
  name: { key: sql`lower(u.name) collate "C"`, type: 'text' },
  email: { key: sql`lower(u.email) collate "C"`, type: 'text' },
  role: { key: sql`u.created_at`, type: 'timestamptz' },
  seen: { key: sql`coalesce(u.last_seen_at, timestamptz 'epoch')`, type: 'timestamptz' },
}

/** A whole id is not a term; nor is what was nothing but spaces. */
const isTerm = (search: string | undefined): search is string => Boolean(search) && !z.uuid().safeParse(search).success

/** The kinds of people that are wanted. Literals, so that the planner knows how many there are of each. */
function kindsOf({ role, status }: Filter): { role: Role; isActive: boolean }[] {
  const active = status ? [status === 'active'] : [true, false]
  return (role ? [role] : roles).flatMap((each) => active.map((isActive) => ({ role: each, isActive })))
}

const isKind = (role: Role, isActive: boolean) =>
  sql`u.role = ${sql.raw(`'${role}'`)} and (u.suspended_at is null)::int = ${sql.raw(isActive ? '1' : '0')}`

/** Whom a filter finds, as (id, role, key): one walk along an index for each kind. `rest` bounds each walk. */
function found(filter: Filter, { key }: Order, rest: (key: SQL, id: SQL, role?: Role) => SQL): SQL {
  const { search } = filter
  const kinds = kindsOf(filter)
  if (isTerm(search)) {
    // Whoever has several terms that begin so is there once, for the first of them: the one that shares less than what is
    // searched for with the term before it. So there is a walk for each number of shared characters. To look at the terms
    // one by one instead would mean to pass by half of the table where all addresses begin with the name.
    const begin = sql`lower(${search.replaceAll(/\s+/g, ' ')})`
    const values = sql.raw(kinds.map(({ role, isActive }) => `('${role}', ${isActive})`).join(', '))
    return sql`select walk.* from (values ${values}) as kind (role, is_active),
      generate_series(0, length(${begin}) - 1) as shared,
      lateral (select t.user_id as id, t.role, t.term as key from ${terms} t
        where t.role = kind.role and t.is_active = kind.is_active and t.shared = shared.shared
          and t.term >= ${begin} and t.term < ${begin} || ${'\u{10ffff}'}
          ${rest(sql`t.term`, sql`t.user_id`)}) as walk`
  }
  const isWanted = search ? sql`and u.id = ${search}` : sql``
  const walks = kinds.map(
    ({ role, isActive }) => sql`(select u.id, u.role, ${key} as key from users u
      where ${isKind(role, isActive)} ${isWanted} ${rest(key, sql`u.id`, role)})`,
  )
  return sql.join(walks, sql` union all `)
}

/** A page of people, and where its neighbours begin. What it costs does not depend on how many people there are. */
export async function findUsers(query: ListQuery, source: typeof lists = db) {
  const limit = query.limit ?? usual.limit
  const isMatch = isTerm(query.search)
  if (isMatch && query.sort) {
    const fields = { sort: ['What is searched for comes in the order of what it was found by'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  const sort = isMatch ? 'match' : (query.sort ?? usual.sort)
  const order = query.order ?? usualOrder(sort)
  const by: Order = sort === 'match' ? { key: sql`t.term`, type: 'text' } : orders[sort]
  const place = query.cursor ? fromCursor(query.cursor, { sort, order }) : null
  const isForward = place?.side !== 'before'
  const isAscending = (order === 'asc') === isForward
  const way = sql.raw(isAscending ? 'asc' : 'desc')
  const past = sql.raw(isAscending ? '>' : '<')
  const byRole = sort === 'role'

  const page = found(query, by, (key, id, role) => {
    let from = sql``
    if (place && (!byRole || role === place.role)) {
      from = sql`and (${key}, ${id}) ${past} (${place.key}::${sql.raw(by.type)}, ${place.id}::uuid)`
    } else if (place && role && role < place.role === isAscending) {
      from = sql`and false`
    }
    return sql`${from} order by ${key} ${way}, ${id} ${way} limit ${limit + 1}`
  })
  const inOrder = sql.join(
    [...(byRole ? [sql`page.role`] : []), sql`page.key`, sql`page.id`].map((column) => sql`${column} ${way}`),
    sql`, `,
  )
  const rows = await source
    .select({
      id: users.id,
      name: users.name,
      email: users.email,
      role: users.role,
      status: sql<(typeof statuses)[number]>`case when ${users.suspendedAt} is null then 'active' else 'suspended' end`,
      createdAt: users.createdAt,
      lastSeenAt: users.lastSeenAt,
      key: sql<string>`page.key::text`,
    })
    .from(sql`(select * from (${page}) as page order by ${inOrder} limit ${limit + 1}) as page`)
    .innerJoin(users, eq(users.id, sql`page.id`))
    .orderBy(inOrder)

  const hasMore = rows.length > limit
  const shown = rows.slice(0, limit)
  if (!isForward) shown.reverse()
  const beside = (row: (typeof rows)[number] | undefined, side: Place['side']) =>
    row ? toCursor({ sort, order, side, role: row.role, key: row.key, id: row.id }) : null
  return {
    users: shown.map(({ key, ...user }) => user),
    nextCursor: hasMore || !isForward ? beside(shown.at(-1), 'after') : null,
    previousCursor: place && (hasMore || isForward) ? beside(shown[0], 'before') : null,
  }
}

/** The same, written down: who looks at people is seen. */
export async function listUsers(actorId: string, query: ListQuery) {
  const page = await findUsers(query)
  const details = { count: page.users.length, ...filterInLog(query) }
  await record(db, 'users.listed', { actorId, from: originOf(await headers()), details })
  return page
}

/** A filter as the log has it: that something was searched for, and never what. */
export const filterInLog = ({ role, status, search }: Filter) => ({
  ...(role && { role }),
  ...(status && { status }),
  ...(search && { isSearch: true }),
})

const mostCounted = 10_000

/** How many a filter finds: exactly as long as that is cheap, estimated for everybody, and "more than" otherwise. */
export async function countUsers(filter: Filter): Promise<{ count: number; is: 'exact' | 'estimated' | 'at least' }> {
  if (!filter.search && !filter.role && !filter.status) {
    const guessed = await db.execute<{ count: number }>(
      sql`select reltuples::bigint::int as count from pg_class where oid = 'users'::regclass`,
    )
    const estimate = guessed.rows[0]?.count ?? 0
    if (estimate > mostCounted) return { count: estimate, is: 'estimated' }
  }
  // In the order of an index, so that it is read and nothing else: to read the table until enough are found seems cheaper
  // to the planner, and is dear where they are few.
  const everybody = found(filter, orders.created, (key, id) => sql`order by ${key}, ${id} limit ${mostCounted + 1}`)
  const counted = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from (select 1 from (${everybody}) as everybody limit ${mostCounted + 1}) as counted`,
  )
  const count = counted.rows[0]?.count ?? 0
  return count <= mostCounted ? { count, is: 'exact' } : { count: mostCounted, is: 'at least' }
}
