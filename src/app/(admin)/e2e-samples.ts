// For tests/app/support/page-samples.ts, which runs in plain Node and finds this file by its name.
type Query = (text: string, values?: unknown[]) => Promise<{ id: string }[]>

/** Creates what the pages with parameters show to this admin. */
export async function makeSamples(query: Query, callerId: string): Promise<Record<string, string>> {
  const one = async (text: string, values: unknown[] = []) => String((await query(text, values))[0]?.id)
  const unique = crypto.randomUUID()
  const email = `${unique}@example.com`
  const user = await one(`insert into users (email, name) values ($1, 'Sample') returning id`, [email])
  return {
    '/admin/users/[id]': user,
    ...Object.fromEntries(
      ['delete', 'role', 'sign-out', 'suspend'].map((name) => [`/admin/users/${name}`, `?ids=${user}`]),
    ),
    '/admin/users/import/[id]': await one(
      `insert into admin_imports (file_name, status, created_by) values ('users.csv', 'ready', $1) returning id`,
      [callerId],
    ),
    '/admin/invitations/[id]': await one(
      `insert into admin_invitations (email, role, invited_by) values ($1, 'viewer', $2) returning id`,
      [`invited-${email}`, callerId],
    ),
    '/admin/audit/[id]': await one(
      `insert into audit_events (kind, actor_id, target_id) values ('session.revoked', $1, $2)
       returning floor(extract(epoch from at) * 1000) || '-' || id as id`,
      [callerId, user],
    ),
  }
}
