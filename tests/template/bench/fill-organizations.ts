// Generated organizations for tests/template/bench/organizations.ts.
import { createHash } from 'node:crypto'
import type pg from 'pg'

/** Two users and ten memberships per organization. */
const [usersPer, membersPer] = [2, 10]
/** The first organization has many members more, and one user is in a fifth of all organizations. */
const maxInLarge = 20_000

const idOf = (kind: 'user' | 'organization', number: string) =>
  `overlay(overlay(md5('${kind} ' || ${number}) placing '4' from 13) placing 'a' from 17)::uuid`

/** The session token of a user; the SQL below computes the same. */
const tokenOf = (number: number) => createHash('sha256').update(`user ${number}`).digest('base64url')
const tokenSql = `translate(rtrim(encode(sha256(('user ' || number)::bytea), 'base64'), '='), '+/', '-_')`

interface Member {
  id: string
  scope: { id: string; slug: string; name: string; role: string }
}

export interface Sample {
  /** A user in one of their organizations. */
  member: Member
  token: string
  /** An organization that they are no member of. */
  foreignSlug: string
  /** Where a page of members of the large organization may begin. */
  cursor: string
}

export interface Samples {
  users: Sample[]
  /** A member of the large organization. */
  inLarge: Member
  /** The user who is in a fifth of all organizations. */
  collectorId: string
}

/** INSERT SELECT without the checks of foreign keys, which this data satisfies by construction. */
export async function fill(client: pg.Client, count: number): Promise<void> {
  const users = count * usersPer
  await client.query(`set session_replication_role = replica; set synchronous_commit = off`)
  await client.query(
    `insert into users (id, email, name, email_verified_at)
     select ${idOf('user', 'number')}, 'user' || number || '@example.com', 'User ' || number, now()
     from generate_series(1, $1::int) number`,
    [users + 1],
  )
  // Seen in the future, so that no session becomes stale and is written during the measurement.
  await client.query(
    `insert into sessions (token_hash, user_id, last_seen_at)
     select sha256(${tokenSql}::bytea), ${idOf('user', 'number')}, now() + interval '1 hour'
     from generate_series(1, $1::int) number`,
    [users + 1],
  )
  await client.query(
    `insert into scopes (id) select ${idOf('organization', 'number')} from generate_series(1, $1::int) number`,
    [count],
  )
  await client.query(
    `insert into organizations_organizations (id, name, slug, created_at)
     select ${idOf('organization', 'number')}, 'Organization ' || number, 'organization-' || number,
       now() - number * interval '1 minute'
     from generate_series(1, $1::int) number`,
    [count],
  )
  await client.query(
    `insert into organizations_slugs (slug, organization_id)
     select unnest(array['organization-' || number, ${idOf('organization', 'number')}::text]), ${idOf('organization', 'number')}
     from generate_series(1, $1::int) number`,
    [count],
  )
  // Every user is in five organizations: the numbers have no divisor in common.
  await client.query(
    `insert into organizations_members (scope_id, user_id, role, created_at)
     select ${idOf('organization', 'number')}, ${idOf('user', `(1 + (number::bigint * ${membersPer} + place) * 7 % $2)`)},
       (array['admin', 'editor', 'editor', 'viewer'])[least(place, 3) + 1], now() - (number + place) * interval '1 second'
     from generate_series(1, $1::int) number, generate_series(0, ${membersPer - 1}) place`,
    [count, users],
  )
  await client.query(
    `insert into organizations_members (scope_id, user_id, role, created_at)
     select ${idOf('organization', '1')}, ${idOf('user', 'number')}, 'viewer', now() - number * interval '1 minute'
     from generate_series(1, $1::int) number on conflict do nothing`,
    [Math.min(users, maxInLarge)],
  )
  await client.query(
    `insert into organizations_members (scope_id, user_id, role, created_at)
     select ${idOf('organization', 'number')}, ${idOf('user', '$2::int')}, 'viewer', now() - number * interval '1 minute'
     from generate_series(2, $1::int) number`,
    [Math.floor(count / 5), users + 1],
  )
  await client.query(
    `insert into organizations_invitations (scope_id, email, role, invited_by)
     select ${idOf('organization', 'number')}, 'user' || number || '@example.com', 'viewer',
       ${idOf('user', `(1 + number::bigint * ${membersPer} * 7 % $2)`)}
     from generate_series(1, $1::int) number`,
    [count, users],
  )
  await client.query('set session_replication_role = default')
  await client.query('vacuum analyze')
}

/** The first organization, which is the large one. */
export const largeId = idOf('organization', '1')

/** Fifty users from everywhere. */
export async function readSamples(pool: pg.Pool): Promise<Samples> {
  // Not a query of the pool, which checks that statements about tenant tables are in a scope.
  const client = await pool.connect()
  try {
    const { rows: counted } = await client.query<{ count: number }>(
      'select count(*)::int from organizations_organizations',
    )
    const count = counted[0]?.count ?? 0
    const users = count * usersPer
    const numbers = Array.from({ length: 50 }, (_, index) => 1 + Math.floor((index * users) / 50))
    const { rows } = await client.query(
      `select number, ${idOf('user', 'number')} as id, row_to_json(scope) as scope, 'organization-' || (1 + number % $2) as foreign, start.text
       from unnest($1::int[]) number,
         lateral (select organization.id, slug, name, role from organizations_members
           join organizations_organizations organization on organization.id = scope_id
           where user_id = ${idOf('user', 'number')} and scope_id <> ${largeId} limit 1) scope,
         lateral (select to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '_' || user_id as text
           from organizations_members where scope_id = ${largeId}
             and created_at < now() - number % ($3::int - 100) * interval '1 minute'
           order by created_at desc, user_id desc limit 1) start`,
      [numbers, count, Math.min(users, maxInLarge)],
    )
    const { rows: others } = await client.query(
      `select ${largeId} as large, ${idOf('user', '1')} as reader, ${idOf('user', '$1::int')} as collector`,
      [users + 1],
    )
    return {
      users: rows.map(({ number, id, scope, foreign, text }) => ({
        member: { id, scope },
        token: tokenOf(number),
        foreignSlug: foreign,
        cursor: text,
      })),
      inLarge: { id: others[0].reader, scope: { id: others[0].large, slug: '', name: '', role: 'viewer' } },
      collectorId: others[0].collector,
    }
  } finally {
    client.release()
  }
}
