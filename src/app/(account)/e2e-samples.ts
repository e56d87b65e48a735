// For tests/app/support/page-samples.ts, which runs in plain Node and finds this file by its name.
type Query = (text: string, values?: unknown[]) => Promise<{ id: string }[]>

/** Creates what the pages with parameters show to this user. */
export async function makeSamples(query: Query, callerId: string): Promise<Record<string, string>> {
  const one = async (text: string, values: unknown[] = []) => String((await query(text, values))[0]?.id)
  const unique = crypto.randomUUID()
  await query(`insert into accounts (provider, provider_account_id, user_id) values ('github', $1, $2)`, [
    unique,
    callerId,
  ])
  return {
    '/account/connections/[provider]': 'github',
    '/account/passkeys/[id]': await one(
      `insert into account_passkeys (id, user_id, public_key, counter, transports, name)
       values ($1, $2, '', 0, '{}', 'Sample') returning id`,
      [unique, callerId],
    ),
    '/account/sessions/[id]': await one(
      `insert into sessions (token_hash, user_id) values (decode(replace($1, '-', ''), 'hex'), $2) returning id`,
      [unique, callerId],
    ),
    '/account/tokens/[id]': await one(
      `insert into account_api_tokens (user_id, hash, name, role, expires_at)
       values ($1, decode(replace($2, '-', ''), 'hex'), 'Sample', 'viewer', now() + interval '1 day') returning id`,
      [callerId, unique],
    ),
    '/admin/users/[id]/[tab]': 'tokens',
  }
}
