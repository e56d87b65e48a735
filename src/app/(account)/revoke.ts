import 'server-only'
import { and, eq, gt, lt } from 'drizzle-orm'
import type { Transaction } from '@/core/db/client'
import { apiTokens, emailChanges, passkeys } from './schema'
import { scheduleRemoval } from './two-factor-removal'

/**
 * Runs when a user reports a compromise. Deletes every API token and what an attacker may have added since `since`. A
 * second factor is removed only after a delay, because the report needs nothing but access to the user's email.
 */
export async function revokeAccess(tx: Transaction, userId: string, since: Date): Promise<void> {
  await tx.delete(apiTokens).where(eq(apiTokens.userId, userId))
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
  await tx.delete(passkeys).where(and(eq(passkeys.userId, userId), gt(passkeys.createdAt, since)))
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
