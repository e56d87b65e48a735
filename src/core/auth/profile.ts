import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { db } from '../db/client'
import { users } from '../db/schema'
import { requireName } from './people'

export async function renamePerson(userId: string, nameAsTyped: string): Promise<string> {
  const name = requireName(nameAsTyped)
  await db.update(users).set({ name, updatedAt: sql`now()` }).where(eq(users.id, userId))
  return name
}
