import 'server-only'
import { sql } from 'drizzle-orm'
import { modules } from '@/modules'
import type { Origin } from '../address'
import { record } from '../audit/record'
import type { Transaction } from '../db/client'
import { users } from '../db/schema'
import { env } from '../env'
import { removeUnproved } from './people'

/** Whether somebody whose address a provider vouches for may join. */
export async function mayJoin(email: string): Promise<boolean> {
  if (env.AUTH_SIGNUP !== 'invite') return env.AUTH_SIGNUP === 'open'
  for (const module of modules) if (await module.invitation?.find(email)) return true
  return false
}

/**
 * Makes a person of whoever has shown that the address is theirs; with the role of their invitation, if they have one.
 * Null when somebody has the address already.
 */
export async function join(
  tx: Transaction,
  { email, name, way, from }: { email: string; name: string; way: string; from: Origin },
) {
  await removeUnproved(tx, email)
  let role = null
  for (const module of modules) role ??= (await module.invitation?.take(tx, email)) ?? null
  const [person] = await tx
    .insert(users)
    .values({ email, name, emailVerifiedAt: sql`now()`, ...(role && { role }) })
    .onConflictDoNothing()
    .returning({ id: users.id, email: users.email, name: users.name, emailVerified: users.emailVerifiedAt })
  if (!person) return null
  const details = { way, ...(role && { role }) }
  await record(tx, 'person.joined', { actorId: person.id, targetId: person.id, from, details })
  return person
}
