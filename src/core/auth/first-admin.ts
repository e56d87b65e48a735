import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { record } from '../audit/record'
import { db } from '../db/client'
import { users } from '../db/schema'
import { enqueue } from '../jobs/queue'
import { log } from '../log'
import { firstAdminMail } from './mails'
import { removeUnproved } from './people'

/**
 * Makes the person with this address the admin, when there is none yet. Called when the app starts, by every node: only
 * one of them gets to do it. Whoever is here already keeps their password; somebody new gets a mail to choose one.
 */
export async function appointFirstAdmin(email: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtext('first admin'))`)
    const [present] = await tx.select({ id: users.id }).from(users).where(eq(users.role, 'admin')).limit(1)
    if (present) return false
    await removeUnproved(tx, email)
    const [created] = await tx
      .insert(users)
      .values({ email, name: email.split('@')[0] ?? email, role: 'admin', emailVerifiedAt: sql`now()` })
      .onConflictDoNothing()
      .returning({ id: users.id })
    const [person] = created
      ? [created]
      : await tx
          .update(users)
          .set({ role: 'admin' })
          .where(eq(sql`lower(${users.email})`, email))
          .returning({ id: users.id })
    if (!person) return false
    await record(tx, 'role.changed', { targetId: person.id, details: { role: 'admin', way: 'ADMIN_EMAIL' } })
    if (created) await enqueue(tx, firstAdminMail, { userId: created.id })
    log.info('the first admin was appointed, from ADMIN_EMAIL')
    return true
  })
}
