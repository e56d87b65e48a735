// For tests/app/matrix, which runs in plain Node and finds this file by its name.
type Query = (text: string, values?: unknown[]) => Promise<unknown>

/** Creates an organization with this admin and this member. Returns its slug. */
export async function makeScope(query: Query, adminId: string, member?: { id: string; role: string }): Promise<string> {
  const id = crypto.randomUUID()
  const slug = `matrix-${id.slice(0, 8)}`
  await query('insert into scopes (id) values ($1)', [id])
  await query('insert into organizations_organizations (id, name, slug) values ($1, $2, $2)', [id, slug])
  await query('insert into organizations_slugs (slug, organization_id) values ($1, $2), ($3, $2)', [slug, id, id])
  await query(`insert into organizations_members (scope_id, user_id, role) values ($1, $2, 'admin')`, [id, adminId])
  if (member)
    await query('insert into organizations_members (scope_id, user_id, role) values ($1, $2, $3)', [
      id,
      member.id,
      member.role,
    ])
  return slug
}
