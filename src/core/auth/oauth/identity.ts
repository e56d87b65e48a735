import 'server-only'
import { and, eq } from 'drizzle-orm'
import { db } from '../../db/client'
import { accounts, users } from '../../db/schema'

/** Whom an identity at a provider belongs to. */
export async function findByIdentity(provider: string, providerAccountId: string) {
  const [person] = await db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      emailVerified: users.emailVerifiedAt,
      suspendedAt: users.suspendedAt,
    })
    .from(accounts)
    .innerJoin(users, eq(users.id, accounts.userId))
    .where(and(eq(accounts.provider, provider), eq(accounts.providerAccountId, providerAccountId)))
  return person
}
