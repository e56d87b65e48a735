import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { cache } from 'react'
import { listSessions } from '@/core/auth/session/sessions'
import { db } from '@/core/db/client'
import { identities, passwords, sessions, users } from '@/core/db/schema'
import { hasSecondFactor } from './dialog-users'

/** The details of a user for the admin pages, or null if there is no such user. The title and the page share one result. */
export const findUserDetails = cache(async (userId: string) => {
  const [[user], identityRows, userSessions, methods, isWithSecondFactor] = await Promise.all([
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
    db.select({ provider: identities.provider }).from(identities).where(eq(identities.userId, userId)),
    listSessions(userId),
    findSignInMethods(userId),
    hasSecondFactor(userId),
  ])
  if (!user) return null
  return {
    ...user,
    providers: identityRows.map(({ provider }) => provider),
    sessions: userSessions.map((session) => ({ ...session, method: methods.get(session.id) ?? null })),
    hasSecondFactor: isWithSecondFactor,
  }
})

export type UserDetails = NonNullable<Awaited<ReturnType<typeof findUserDetails>>>

/**
 * The sign-in method of each session, from the audit log. Both were written in one transaction, so they have the same time.
 * One index lookup per session: there is no need to read the other events of the user.
 */
async function findSignInMethods(userId: string): Promise<Map<string, string | null>> {
  const rows = await db
    .select({
      id: sessions.id,
      method: sql<string | null>`(select details->>'way' from audit_events
        where actor_id = sessions.user_id and at = sessions.created_at and kind = 'session.started' limit 1)`,
    })
    .from(sessions)
    .where(eq(sessions.userId, userId))
  return new Map(rows.map(({ id, method }) => [id, method]))
}
