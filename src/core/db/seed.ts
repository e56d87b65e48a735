import { eq, sql } from 'drizzle-orm'
import { hashPassword, verifyPassword } from '../auth/password/hash'
import type { AppModule } from '../module'
import { db } from './client'
import { passwords, users } from './schema'
import { seedUsers } from './seed-users'

/** Seeds a development database. Running it again restores missing users and resets their passwords. */
export async function seed(password: string, modules: AppModule[]): Promise<void> {
  for (const user of seedUsers) {
    await db
      .insert(users)
      .values({ ...user, emailVerifiedAt: sql`now()` })
      .onConflictDoNothing()
  }
  const stored = await db
    .select({ userId: users.id, hash: passwords.hash })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(sql`lower(${users.email}) in ${seedUsers.map(({ email }) => email)}`)
  for (const { userId, hash } of stored) {
    if ((await verifyPassword(hash, password)).isCorrect) continue
    const newHash = await hashPassword(password)
    await db
      .insert(passwords)
      .values({ userId, hash: newHash })
      .onConflictDoUpdate({ target: passwords.userId, set: { hash: newHash, changedAt: sql`now()` } })
  }
  for (const module of modules) await module.seed?.(db)
}
