import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { listSessions } from '@/core/auth/sessions'
import { db } from '@/core/db/client'
import { accounts, passwords, users } from '@/core/db/schema'
import { modules } from '@/modules'

/** All that an admin sees of somebody; null for nobody. */
export async function findPerson(userId: string) {
  const [[person], identities, sessions, challenges] = await Promise.all([
    db
      .select({
        id: users.id,
        name: users.name,
        email: users.email,
        role: users.role,
        image: users.image,
        createdAt: users.createdAt,
        lastSeenAt: users.lastSeenAt,
        suspendedAt: users.suspendedAt,
        emailVerifiedAt: users.emailVerifiedAt,
        hasPassword: sql<boolean>`${passwords.userId} is not null`,
      })
      .from(users)
      .leftJoin(passwords, eq(passwords.userId, users.id))
      .where(eq(users.id, userId)),
    db.select({ provider: accounts.provider }).from(accounts).where(eq(accounts.userId, userId)),
    listSessions(userId),
    Promise.all(modules.map((module) => module.challenge?.(userId))),
  ])
  if (!person) return null
  return {
    ...person,
    providers: identities.map(({ provider }) => provider),
    sessions,
    hasSecondFactor: challenges.some((challenge) => challenge && !challenge.isNew),
  }
}
