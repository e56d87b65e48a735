import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { recordAuditEvent } from '../../audit/record-audit-event'
import { inTransaction } from '../../db/in-transaction'
import { users } from '../../db/schema'
import { enqueue } from '../../jobs/queue'
import { log } from '../../log'
import { firstAdminEmail } from '../emails'
import { adminRole } from '../roles'
import { deleteUnverifiedUser } from './create'

/**
 * Makes the user with this email an admin if there is no admin yet. Every node calls it at startup; a lock lets only
 * one of them do it. An existing user keeps their password; a new user gets an email to set one.
 */
export async function ensureFirstAdmin(email: string): Promise<boolean> {
  return inTransaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('first admin'))`)
    const [existingAdmin] = await tx.select({ id: users.id }).from(users).where(eq(users.role, adminRole)).limit(1)
    if (existingAdmin) return false
    await deleteUnverifiedUser(tx, email)
    const [created] = await tx
      .insert(users)
      .values({ email, name: email.split('@')[0] ?? email, role: adminRole, emailVerifiedAt: sql`now()` })
      .onConflictDoNothing()
      .returning({ id: users.id })
    const [user] = created
      ? [created]
      : await tx
          .update(users)
          .set({ role: adminRole })
          .where(eq(sql`lower(${users.email})`, email))
          .returning({ id: users.id })
    if (!user) return false
    await recordAuditEvent(tx, 'role.changed', { targetId: user.id, details: { role: adminRole, way: 'ADMIN_EMAIL' } })
    if (created) await enqueue(tx, firstAdminEmail, { userId: created.id })
    log.info('first admin set from ADMIN_EMAIL')
    return true
  })
}
