import 'server-only'
import { and, eq, isNull, ne } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '../address'
import { record } from '../audit/record'
import { db } from '../db/client'
import { sessions, users } from '../db/schema'
import { AppError } from '../errors'
import { getSession } from './actor'
import { enterSession } from './browser-session'
import { hashToken, newToken } from './token'

/**
 * Lets whoever is signed in here, an admin, use the app as somebody else does: this browser gets a session of theirs, for
 * half an hour, which ends with the admin's own. Admins cannot be acted for. What it cannot do is decided in action.ts.
 * @public For a module that offers it.
 */
export async function startImpersonation(userId: string): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  if (session.actingAdmin) throw new AppError('forbidden', 'You act for somebody already')
  const from = originOf(await headers())
  const token = newToken()
  await db.transaction(async (tx) => {
    const [person] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), ne(users.role, 'admin'), isNull(users.suspendedAt)))
      .for('no key update')
    if (!person) throw new AppError('not_found', 'There is nobody with that id whom you could act for')
    await tx.insert(sessions).values({ userId, tokenHash: hashToken(token), openedBy: session.id, ...from })
    await record(tx, 'impersonation.started', { actorId: session.user.id, targetId: userId, from })
  })
  await enterSession(token)
}

/** Back to the admin's own session, under another token: the one before was given up when the acting began. */
export async function stopImpersonation(): Promise<void> {
  const session = await getSession()
  const admin = session?.actingAdmin
  if (!session || !admin) throw new AppError('conflict', 'You act for nobody')
  const from = originOf(await headers())
  const token = newToken()
  await db.transaction(async (tx) => {
    const [own] = await tx
      .update(sessions)
      .set({ tokenHash: hashToken(token) })
      .where(eq(sessions.id, admin.sessionId))
      .returning({ id: sessions.id })
    if (!own) throw new AppError('unauthenticated')
    await tx.delete(sessions).where(eq(sessions.id, session.id))
    await record(tx, 'impersonation.ended', { actorId: admin.id, targetId: session.user.id, from })
  })
  await enterSession(token)
}
