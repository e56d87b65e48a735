import 'server-only'
import { and, eq, gt } from 'drizzle-orm'
import type { Transaction } from '@/core/db/client'
import { apiTokens, emailChanges, passkeys, recoveryCodes, totp } from './schema'

/** Somebody else was in the account: what they may have added there since then goes, and so does every API token. */
export async function revokeAccess(tx: Transaction, userId: string, since: Date): Promise<void> {
  await tx.delete(apiTokens).where(eq(apiTokens.userId, userId))
  await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
  await tx.delete(passkeys).where(and(eq(passkeys.userId, userId), gt(passkeys.createdAt, since)))
  const [gone] = await tx
    .delete(totp)
    .where(and(eq(totp.userId, userId), gt(totp.confirmedAt, since)))
    .returning({ userId: totp.userId })
  if (gone) await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
}
