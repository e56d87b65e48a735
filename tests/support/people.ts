import type { Role } from '@/core/auth/policy'
import { createSession } from '@/core/auth/sessions'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'

/** A person with that role and a session: returns the session's token. */
export async function signedInAs(role: Role): Promise<string> {
  const email = `${role}-${crypto.randomUUID()}@example.com`
  const [person] = await db
    .insert(users)
    .values({ email, name: `A ${role}`, role })
    .returning({ id: users.id })
  return createSession(person?.id ?? '', {})
}
