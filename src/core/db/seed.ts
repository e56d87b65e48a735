import { eq, sql } from 'drizzle-orm'
import { hashPassword, verifyPassword } from '../auth/password'
import type { AppModule } from '../module'
import { db, pool } from './client'
import { seedPeople } from './people'
import { passwords, users } from './schema'

/** Puts in place what development needs. Running it again brings back what is missing, and the people's password. */
export async function seed(password: string, modules: AppModule[]): Promise<void> {
  for (const person of seedPeople) {
    await db
      .insert(users)
      .values({ ...person, emailVerifiedAt: sql`now()` })
      .onConflictDoNothing()
  }
  const stored = await db
    .select({ userId: users.id, hash: passwords.hash })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(sql`lower(${users.email}) in ${seedPeople.map(({ email }) => email)}`)
  for (const { userId, hash } of stored) {
    if ((await verifyPassword(hash, password)).isRight) continue
    const fresh = await hashPassword(password)
    await db
      .insert(passwords)
      .values({ userId, hash: fresh })
      .onConflictDoUpdate({ target: passwords.userId, set: { hash: fresh, changedAt: sql`now()` } })
  }
  for (const module of modules) await module.seed?.(db)
}

export const closeDatabase = () => pool.end()
