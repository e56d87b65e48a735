// For tests/app/support/page-samples.ts, which runs in plain Node and finds this file by its name.
import { makeScope } from './matrix-scope.ts'

type Query = (text: string, values?: unknown[]) => Promise<{ id: string }[]>

/** Creates an organization with the caller as admin, a member and an invitation. */
export async function makeSamples(query: Query, callerId: string): Promise<Record<string, string>> {
  const one = async (text: string, values: unknown[] = []) => String((await query(text, values))[0]?.id)
  const email = `${crypto.randomUUID()}@example.com`
  const member = await one(`insert into users (email, name) values ($1, 'Sample') returning id`, [email])
  const slug = await makeScope(query, callerId, { id: member, role: 'viewer' })
  const organization = await one('select id from organizations_organizations where slug = $1', [slug])
  return {
    '/o/[scope]': slug,
    '/o/[scope]/members/[id]': member,
    '/o/[scope]/members/invited/[id]': await one(
      `insert into organizations_invitations (scope_id, email, role, invited_by) values ($1, $2, 'viewer', $3) returning id`,
      [organization, `invited-${email}`, callerId],
    ),
    '/admin/organizations/[id]': organization,
  }
}
