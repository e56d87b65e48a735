import 'server-only'
import { desc, eq, sql } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { findUserPicture } from './avatars'
import { apiTokens, emailChanges, passkeys, totp } from './schema'

/** The module's part of a user's data export. Must not contain hashes, keys or secrets. */
export async function exportAccountData(userId: string): Promise<Record<string, unknown>> {
  const [tokens, keys, [secondFactor], [emailChange], picture] = await Promise.all([
    db
      .select({
        name: apiTokens.name,
        role: apiTokens.role,
        createdAt: apiTokens.createdAt,
        expiresAt: apiTokens.expiresAt,
        lastUsedAt: apiTokens.lastUsedAt,
      })
      .from(apiTokens)
      .where(eq(apiTokens.userId, userId))
      .orderBy(desc(apiTokens.createdAt)),
    db
      .select({ name: passkeys.name, createdAt: passkeys.createdAt, lastUsedAt: passkeys.lastUsedAt })
      .from(passkeys)
      .where(eq(passkeys.userId, userId))
      .orderBy(desc(passkeys.createdAt)),
    db
      .select({ isOn: sql<boolean>`${totp.confirmedAt} is not null`, since: totp.confirmedAt })
      .from(totp)
      .where(eq(totp.userId, userId)),
    db
      .select({ email: emailChanges.email, createdAt: emailChanges.createdAt })
      .from(emailChanges)
      .where(eq(emailChanges.userId, userId)),
    findUserPicture(userId),
  ])
  return {
    'api-tokens.json': tokens,
    'passkeys.json': keys,
    'second-factor.json': secondFactor ?? { isOn: false, since: null },
    'email-change.json': emailChange ?? null,
    ...(picture && { 'picture.webp': picture }),
  }
}
