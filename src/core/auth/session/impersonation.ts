import 'server-only'
import { and, eq, isNull, ne } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { sessions, users } from '../../db/schema'
import { AppError } from '../../errors'
import { getClientInfo } from '../../http/client-ip'
import type { AppAllow } from '../policy'
import { adminRole } from '../roles'
import { hashToken, newToken } from '../tokens/token'
import { transactionAs } from '../transaction-as'
import { type Actor, getSession } from './actor'
import { activateSession } from './browser-session'

/**
 * Lets the signed-in admin use the app as another user. This browser gets a session of that user for half an hour; it
 * ends with the admin's own session. Admins cannot be impersonated, so it also ends if the user becomes one. action.ts
 * decides what is forbidden while impersonating.
 * @public For a module that offers it.
 */
export async function startImpersonation(actor: Actor, allow: AppAllow, userId: string): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  if (session.impersonatedBy) throw new AppError('forbidden', 'You’re already impersonating someone.')
  const client = getClientInfo(await headers())
  const token = newToken()
  const work = async (tx: Transaction) => {
    const [user] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), ne(users.role, adminRole), isNull(users.suspendedAt)))
      .for('no key update')
    if (!user) throw new AppError('not_found', 'This user can’t be impersonated.')
    await tx
      .insert(sessions)
      .values({ userId, tokenHash: hashToken(token), impersonatorSessionId: session.id, ...client })
    await recordAuditEvent(tx, 'impersonation.started', { actorId: actor.id, targetId: userId, client })
  }
  await transactionAs(actor, allow, work, { locks: [userId] })
  await activateSession(token)
}

/**
 * Returns to the admin's own session with a new token: the browser lost the previous one when impersonation started.
 */
export async function stopImpersonation(): Promise<void> {
  const session = await getSession()
  const admin = session?.impersonatedBy
  if (!session || !admin) throw new AppError('conflict', 'You’re not impersonating anyone.')
  const client = getClientInfo(await headers())
  const token = newToken()
  await inTransaction(async (tx) => {
    const [own] = await tx
      .update(sessions)
      .set({ tokenHash: hashToken(token) })
      .where(eq(sessions.id, admin.sessionId))
      .returning({ id: sessions.id })
    if (!own) throw new AppError('unauthenticated')
    await tx.delete(sessions).where(eq(sessions.id, session.id))
    await recordAuditEvent(tx, 'impersonation.ended', { actorId: admin.id, targetId: session.user.id, client })
  })
  await activateSession(token)
}
