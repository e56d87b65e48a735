import 'server-only'
import { and, eq, inArray, isNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Transaction } from '../../db/client'
import { users } from '../../db/schema'
import { AppError } from '../../errors'
import { adminRole } from '../roles'

/**
 * Throws `last_admin` if no active admin would be left without these users. Call it in the transaction that deletes,
 * demotes or suspends them, after it has locked their rows. An advisory lock serializes these transactions, so that two
 * of them cannot each rely on the admin that the other removes. A trigger on `users` enforces the same rule.
 */
export async function ensureAdminRemains(tx: Transaction, ...userIds: string[]): Promise<void> {
  const isActiveAdmin = and(eq(users.role, adminRole), isNull(users.suspendedAt))
  const find = (condition: SQL | undefined) =>
    tx.select({ id: users.id }).from(users).where(and(isActiveAdmin, condition)).limit(1)
  const [, [affected]] = await Promise.all([
    tx.execute(sql`select pg_advisory_xact_lock(hashtext('admins'))`),
    find(inArray(users.id, userIds)),
  ])
  if (!affected) return
  const [other] = await find(notInArray(users.id, userIds))
  if (!other) throw new AppError('last_admin', 'This is the last admin. Promote someone else first.')
}
