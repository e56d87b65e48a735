import { sql } from 'drizzle-orm'
import { db } from '../db/client'
import { users } from '../db/schema'
import { seedUsers } from '../db/seed-users'

/** The emails of seed users in this database. They are public, because they are in the source. */
export async function findSeedUsers(): Promise<string[]> {
  const found = await db
    .select({ email: users.email })
    .from(users)
    .where(sql`lower(${users.email}) in ${seedUsers.map(({ email }) => email)}`)
  return found.map(({ email }) => email)
}
