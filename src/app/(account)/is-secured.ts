import 'server-only'
import { sql } from 'drizzle-orm'
import { db } from '@/core/db/client'
import { passkeys, totp } from './schema'

/** Whether more than a password protects the account: a passkey or two-factor authentication. */
export async function isSecured(userId: string): Promise<boolean> {
  const { rows } = await db.execute<{ isSecured: boolean }>(sql`
    select exists (select 1 from ${passkeys} where ${passkeys.userId} = ${userId})
      or exists (select 1 from ${totp} where ${totp.userId} = ${userId} and ${totp.confirmedAt} is not null) as "isSecured"`)
  return rows[0]?.isSecured ?? false
}
