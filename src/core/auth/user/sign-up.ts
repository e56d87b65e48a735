import 'server-only'
import { sql } from 'drizzle-orm'
import { modules } from '@/modules'
import { recordAuditEvent } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { users } from '../../db/schema'
import { env } from '../../env'
import type { ClientInfo } from '../../http/client-ip'
import { deleteUnverifiedUser } from './create'

/** Whether a user with this email may sign up with an OAuth provider. */
export async function maySignUp(email: string): Promise<boolean> {
  if (env.AUTH_SIGNUP !== 'invite') return env.AUTH_SIGNUP === 'open'
  for (const module of modules) if (await module.invitation?.find(email)) return true
  return false
}

/**
 * Creates a user with a verified email, with the role of their invitation if they have one. Returns null if the email
 * is taken.
 */
export async function signUpUser(
  tx: Transaction,
  { email, name, method, client }: { email: string; name: string; method: string; client: ClientInfo },
) {
  const [, ...invitedRoles] = await Promise.all([
    deleteUnverifiedUser(tx, email),
    ...modules.map((module) => module.invitation?.consume(tx, email)),
  ])
  const role = invitedRoles.find(Boolean)
  const [user] = await tx
    .insert(users)
    .values({ email, name, emailVerifiedAt: sql`now()`, ...(role && { role }) })
    .onConflictDoNothing()
    .returning({ id: users.id, email: users.email, name: users.name, emailVerified: users.emailVerifiedAt })
  if (!user) return null
  const details = { way: method, ...(role && { role }) }
  await recordAuditEvent(tx, 'person.joined', { actorId: user.id, targetId: user.id, client, details })
  return user
}
