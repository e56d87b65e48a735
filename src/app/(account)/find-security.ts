import 'server-only'
import { eq } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { passwords } from '@/core/db/schema'
import { listPasskeys } from './passkeys'
import { findTwoFactor } from './second-factor'
import { listIdentities } from './sign-in-methods'

/** The state of everything that a user can sign in with. */
export async function findSecurity(userId: string) {
  const [[password], twoFactor, passkeys, identities] = await Promise.all([
    db.select({ changedAt: passwords.changedAt }).from(passwords).where(eq(passwords.userId, userId)),
    findTwoFactor(userId),
    listPasskeys(userId),
    listIdentities(userId),
  ])
  const lastUsed = passkeys.flatMap(({ lastUsedAt }) => lastUsedAt ?? []).toSorted((a, b) => Number(b) - Number(a))
  return {
    passwordChangedAt: password?.changedAt ?? null,
    twoFactorSince: twoFactor.since,
    codesLeft: twoFactor.codesLeft,
    passkeyCount: passkeys.length,
    passkeyLastUsedAt: lastUsed[0] ?? null,
    providers: identities.filter(({ since }) => since !== null).map(({ name }) => name),
  }
}
