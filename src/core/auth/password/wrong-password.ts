import 'server-only'
import { and, eq, lt, sql } from 'drizzle-orm'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { passwords } from '../../db/schema'
import type { ClientInfo } from '../../http/client-ip'
import { enqueue } from '../../jobs/queue'
import { passwordLockedEmail } from '../emails'
import { causedBy } from '../security-notice'

/**
 * The password is locked after this many wrong attempts in a row, over any number of days. Attempts from elsewhere are
 * not counted beyond `untrusted`, so an attacker can never lock the owner out of a trusted device or a session.
 */
const max = { untrusted: 100, trusted: 120 }

const maxFor = (isTrusted: boolean) => (isTrusted ? max.trusted : max.untrusted)

export const isPasswordLocked = (failures: number, isTrusted: boolean) => failures >= maxFor(isTrusted)

/** Counts a wrong password, and notifies the user by email if that locks it. */
export async function countWrongPassword(
  tx: Transaction,
  userId: string,
  isTrusted: boolean,
  client: ClientInfo,
): Promise<void> {
  const [count] = await tx
    .update(passwords)
    .set({ failures: sql`${passwords.failures} + 1` })
    .where(and(eq(passwords.userId, userId), lt(passwords.failures, maxFor(isTrusted))))
    .returning({ failures: passwords.failures })
  const isEverywhere = count?.failures === max.trusted
  if (count?.failures !== max.untrusted && !isEverywhere) return
  await recordAuditEvent(tx, 'password.locked', { targetId: userId, details: { isEverywhere } })
  await enqueue(tx, passwordLockedEmail, { userId, isEverywhere, cause: causedBy(client) })
}
