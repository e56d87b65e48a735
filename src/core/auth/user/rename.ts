import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { inTransaction } from '../../db/in-transaction'
import { users } from '../../db/schema'
import { saveUserFields } from '../user-fields'
import { requireName } from './name'

/** Changes the name, and the fields of modules that `input` contains. Returns the new name. */
export async function renameUser(userId: string, nameAsTyped: string, input: object = {}): Promise<string> {
  const name = requireName(nameAsTyped)
  await inTransaction(async (tx) => {
    await tx.update(users).set({ name, updatedAt: sql`now()` }).where(eq(users.id, userId))
    await saveUserFields(tx, userId, 'profile', input)
  })
  return name
}
