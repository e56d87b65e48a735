import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'

/** A person with that role and a session, put into the tables directly: returns the session's token. */
export async function signedInAs(role: Role): Promise<string> {
  const email = `${role}-${crypto.randomUUID()}@example.com`
  const [person] = await db
    .insert(users)
    .values({ email, name: `A ${role}`, role })
    .returning({ id: users.id })
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest()
  await db.insert(sessions).values({ userId: person?.id ?? '', tokenHash })
  return token
}
