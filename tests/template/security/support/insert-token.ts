import { createHash } from 'node:crypto'
import { randomToken, type World } from '../../../app/support/test-world.ts'

/** A valid token for a link in an email, for checks that are not about sending it. Returns the token. */
export async function insertToken(
  world: World,
  purpose: string,
  { userId, email }: { userId?: string; email?: string },
): Promise<string> {
  const token = randomToken()
  const hash = createHash('sha256').update(token).digest()
  await world.query(
    `insert into tokens (hash, purpose, user_id, email, expires_at) values ($1, $2, $3, $4, now() + interval '7 days')`,
    [hash, purpose, userId ?? null, email ?? null],
  )
  return token
}

/** A requested change of email. Returns the token of the link that confirms it. */
export async function insertEmailChange(world: World, userId: string, email: string): Promise<string> {
  await world.query('insert into account_email_changes (user_id, email) values ($1, $2)', [userId, email])
  return insertToken(world, 'account.email', { userId, email })
}
