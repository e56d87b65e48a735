import 'server-only'
import { and, eq, exists, gt, lt, lte } from 'drizzle-orm'
import type { Transaction } from '@/core/db/client'
import { apiTokens, emailChanges, passkeys, recoveryCodes, totp } from './schema'
import { scheduleRemoval } from './two-factor-removal'

/**
 * Runs when a user reports a compromise. Deletes every API token and what an attacker may have added since `since`. A
 * second factor is removed only after a delay, because the report needs nothing but access to the user's email.
 */
export async function revokeAccess(tx: Transaction, userId: string, since: Date): Promise<void> {
  await tx.delete(apiTokens).where(eq(apiTokens.userId, userId))
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
  await tx.delete(passkeys).where(and(eq(passkeys.userId, userId), gt(passkeys.createdAt, since)))
  // New codes for an older second factor. Those of a recent one are removed with it.
  const hasOlder = exists(
    tx
      .select()
      .from(totp)
      .where(and(eq(totp.userId, userId), lte(totp.confirmedAt, since))),
  )
  await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), gt(recoveryCodes.createdAt, since), hasOlder))
  await scheduleRemoval(tx, userId, since)
}

/** After a reset by email: deletes passkeys and API tokens from before the user had that email. Returns how many. */
export async function revokeOlder(tx: Transaction, userId: string, before: Date): Promise<number> {
  const [oldTokens, oldPasskeys] = await Promise.all([
    tx.delete(apiTokens).where(and(eq(apiTokens.userId, userId), lt(apiTokens.createdAt, before))),
    tx.delete(passkeys).where(and(eq(passkeys.userId, userId), lt(passkeys.createdAt, before))),
  ])
  return (oldTokens.rowCount ?? 0) + (oldPasskeys.rowCount ?? 0)
}
