// An organization for checks, inserted directly into the database.
import type pg from 'pg'

type Query = Pick<pg.Pool, 'query'>

export interface Organization {
  id: string
  slug: string
}

/** Adds an organization with these members. */
export async function addOrganization(
  pool: { query: (text: string, values: unknown[]) => Promise<unknown> },
  members: { id: string; role: string }[],
): Promise<Organization> {
  const id = crypto.randomUUID()
  const slug = `org-${id.slice(0, 8)}`
  await pool.query(
    `with scope as (insert into scopes (id) values ($1)), organization as (
       insert into organizations_organizations (id, name, slug) values ($1, 'Acme', $2)
     ), named as (insert into organizations_slugs (slug, organization_id) values ($2, $1::uuid), ($1::text, $1::uuid))
     insert into organizations_members (scope_id, user_id, role)
     select $1, id, role from unnest($3::uuid[], $4::text[]) as member (id, role)`,
    [id, slug, members.map((member) => member.id), members.map(({ role }) => role)],
  )
  return { id, slug }
}

/** The role of each member, by the id of the user. */
export async function findRoles(pool: Query, { id }: Organization): Promise<Map<string, string>> {
  const { rows } = await pool.query('select user_id, role from organizations_members where scope_id = $1', [id])
  return new Map(rows.map(({ user_id, role }) => [user_id, role]))
}

/** Removes it: its last admin could not be deleted otherwise. */
export const dropOrganization = (pool: Query, { id }: Organization) =>
  pool.query('delete from scopes where id = $1', [id])
