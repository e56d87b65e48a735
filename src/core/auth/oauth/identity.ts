import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { db } from '../../db/client'
import { identities, users } from '../../db/schema'
import type { Credential } from '../session/start-session'

export interface Identity {
  provider: string
  providerAccountId: string
}

/** The user to whom the provider's identity is connected. */
export async function findUserByIdentity(provider: string, providerAccountId: string) {
  const [user] = await db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      emailVerified: users.emailVerifiedAt,
      suspendedAt: users.suspendedAt,
    })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.provider, provider), eq(identities.providerAccountId, providerAccountId)))
  return user
}

export const ownsIdentity = (userId: string, { provider, providerAccountId }: Identity): Credential =>
  sql`exists (select from ${identities}
    where provider = ${provider} and provider_account_id = ${providerAccountId} and user_id = ${userId})`
