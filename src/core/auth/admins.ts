import 'server-only'
import { and, eq, inArray, isNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../db/client'
import { users } from '../db/schema'
import { AppError } from '../errors'

/**
 * Refuses when nobody could administrate any more once these people cannot. Call it first in the transaction that takes
 * them away (deletes, demotes or suspends them): such transactions queue up behind one lock, so that two of them cannot
 * each count on the other. A trigger on `users` refuses what gets past this.
 */
export async function keepAnAdmin(tx: Transaction, ...userIds: string[]): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('admins'))`)
  const isActiveAdmin = and(eq(users.role, 'admin'), isNull(users.suspendedAt))
  const find = (who: SQL | undefined) => tx.select({ id: users.id }).from(users).where(and(isActiveAdmin, who)).limit(1)
  const [affected] = await find(inArray(users.id, userIds))
  if (!affected) return
  const [other] = await find(notInArray(users.id, userIds))
  if (!other) throw new AppError('last_admin', 'There would be no admin left. Make somebody else one first')
}
