import 'server-only'
import { sql } from 'drizzle-orm'
import { db } from '@/core/db/client'

/** Whether anyone was ever invited, even if the invitation is accepted or revoked by now. */
export async function hasInvited(): Promise<boolean> {
  const { rowCount } = await db.execute(sql`select 1 from audit_events where kind = 'invitation.sent' limit 1`)
  return rowCount === 1
}
