import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { originOf } from '../address'
import { record } from '../audit/record'
import { db } from '../db/client'
import { signups, users } from '../db/schema'
import { AppError } from '../errors'
import { enqueue } from '../jobs/queue'
import { keepAnAdmin } from './admins'
import { deletedMail, sealRecipient } from './mails'

/**
 * Deletes somebody and all that is theirs, in core and in every installed module. Sessions, passwords, identities and links
 * go with the row; the audit log keeps the id, which nobody can connect with them any more. A last mail tells them: until
 * it is sent, their address waits in the queue, sealed.
 */
export async function deletePerson(userId: string, actorId = userId): Promise<void> {
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    await keepAnAdmin(tx, userId)
    for (const module of modules) await module.erase?.(tx, userId)
    const [gone] = await tx
      .delete(users)
      .where(eq(users.id, userId))
      .returning({ email: users.email, name: users.name })
    if (!gone) throw new AppError('not_found')
    // Stored there in its one spelling; an import may have brought another one here.
    await tx.delete(signups).where(eq(signups.email, gone.email.toLowerCase()))
    await enqueue(tx, deletedMail, { to: sealRecipient({ name: gone.name, address: gone.email }) })
    await record(tx, 'person.deleted', { actorId, targetId: userId, from })
  })
}
