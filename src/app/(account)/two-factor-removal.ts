import 'server-only'
import { and, eq, gt, isNotNull, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { causedBy } from '@/core/auth/security-notice'
import type { Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { defineJob } from '@/core/jobs/job'
import { enqueue } from '@/core/jobs/queue'
import { twoFactorEmail, twoFactorRemovalEmail } from './emails'
import { recoveryCodes, totp } from './schema'

const hourMs = 60 * 60 * 1000
const waitHours = 72
const remindHours = 24

/**
 * "Secure my account" needs nothing but access to the user's email. It must not bypass a second factor that the user set
 * up, and must remove one that an attacker set up. So a second factor confirmed after `since` is removed after 72
 * hours, unless a sign-in uses it before then. Emails tell the user to do that.
 */
export async function scheduleRemoval(tx: Transaction, userId: string, since: Date): Promise<void> {
  const [scheduled] = await tx
    .update(totp)
    .set({ removalAt: sql`now() + make_interval(hours => ${waitHours})` })
    .where(and(eq(totp.userId, userId), gt(totp.confirmedAt, since), isNull(totp.removalAt)))
    .returning({ at: totp.removalAt })
  if (!scheduled?.at) return
  const { at } = scheduled
  await recordAuditEvent(tx, 'two_step.removal_scheduled', { targetId: userId })
  await enqueue(tx, twoFactorRemovalEmail, { userId, at: at.toISOString() })
  const startAfter = new Date(at.getTime() - remindHours * hourMs)
  await enqueue(tx, continueRemoval, { userId, at: at.toISOString() }, { startAfter })
}

/** Called after a sign-in with the second factor, which proves that it is the user's own. */
export async function cancelRemoval(tx: Transaction, userId: string): Promise<void> {
  const canceled = await tx
    .update(totp)
    .set({ removalAt: null })
    .where(and(eq(totp.userId, userId), isNotNull(totp.removalAt)))
    .returning({ userId: totp.userId })
  if (canceled.length > 0)
    await recordAuditEvent(tx, 'two_step.removal_canceled', { actorId: userId, targetId: userId })
}

/** Sends a reminder the day before, and removes the second factor when the 72 hours are over. */
export const continueRemoval = defineJob('account.continue_two_step_removal', {
  data: z.object({ userId: z.uuid(), at: z.iso.datetime() }),
  run: async ({ userId, at }) => {
    await inTransaction(async (tx) => {
      const [due] = await tx
        .select({ isOver: sql<boolean>`${totp.removalAt} <= now()` })
        .from(totp)
        // With a different `at`, the removal was canceled, and perhaps scheduled again.
        .where(and(eq(totp.userId, userId), eq(totp.removalAt, new Date(at))))
        .for('update')
      if (!due) return
      if (!due.isOver) {
        await enqueue(tx, twoFactorRemovalEmail, { userId, at })
        await enqueue(tx, continueRemoval, { userId, at }, { startAfter: new Date(at) })
        return
      }
      await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
      await tx.delete(totp).where(eq(totp.userId, userId))
      await recordAuditEvent(tx, 'two_step.off', { targetId: userId, details: { way: 'alarm' } })
      await enqueue(tx, twoFactorEmail, { userId, event: 'removed', cause: causedBy('app') })
    })
  },
})
