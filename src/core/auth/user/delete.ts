import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { signups, users } from '../../db/schema'
import { AppError } from '../../errors'
import { getClientInfo } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { userDeletedEmail } from '../emails'
import type { AppAllow } from '../policy'
import { causedBy, encryptRecipient } from '../security-notice'
import type { Actor } from '../session/actor'
import { transactionAs } from '../transaction-as'
import { ensureAdminRemains } from './admins'
import { endLostRights } from './rights'

/**
 * Deletes a user and their data, in core and in every installed module. Sessions, passwords, identities and email
 * tokens are deleted with the row; the audit log keeps only the id, which no longer identifies the user. Enqueues a
 * last email; until it is sent, the queue contains the encrypted recipient.
 */
export async function deleteUser(actor: Pick<Actor, 'id' | 'role'>, allow: AppAllow, userId: string): Promise<void> {
  const client = getClientInfo(await headers())
  const work = async (tx: Transaction) => {
    await ensureAdminRemains(tx, userId)
    await endLostRights(tx, [userId], null, actor.id)
    for (const module of modules) await module.deleteUserData?.(tx, userId)
    const [deleted] = await tx
      .delete(users)
      .where(eq(users.id, userId))
      .returning({ email: users.email, name: users.name, timeZone: users.timeZone, locale: users.locale })
    if (!deleted) throw new AppError('not_found')
    const { name, email: address, ...preferences } = deleted
    // `signups` has normalized emails; an imported user may have another spelling.
    await tx.delete(signups).where(eq(signups.email, address.toLowerCase()))
    await enqueue(tx, userDeletedEmail, {
      to: encryptRecipient({ name, address, preferences }),
      cause: causedBy(actor.id === userId ? client : 'admin'),
    })
    await recordAuditEvent(tx, 'person.deleted', { actorId: actor.id, targetId: userId, client })
  }
  await transactionAs(actor, allow, work, { locks: [userId] })
}
