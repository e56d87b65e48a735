import { createHash, randomBytes } from 'node:crypto'
import type { Role } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'

/** Inserts a user with that role and a session directly into the tables, and returns the session token. */
export async function newSessionToken(role: Role): Promise<string> {
  const email = `${role}-${crypto.randomUUID()}@example.com`
  const [user] = await db
    .insert(users)
    .values({ email, name: `A ${role}`, role })
    .returning({ id: users.id })
  const token = randomBytes(32).toString('base64url')
  const tokenHash = createHash('sha256').update(token).digest()
  await db.insert(sessions).values({ userId: user?.id ?? '', tokenHash })
  return token
}
