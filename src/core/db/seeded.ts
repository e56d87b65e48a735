import { sql } from 'drizzle-orm'
import { db } from './client'
import { seedPeople } from './people'
import { users } from './schema'

/** Which of the seeded people are in this database: everybody who has read our source knows their addresses. */
export async function findSeededPeople(): Promise<string[]> {
  const found = await db
    .select({ email: users.email })
    .from(users)
    .where(sql`lower(${users.email}) in ${seedPeople.map(({ email }) => email)}`)
  return found.map(({ email }) => email)
}
