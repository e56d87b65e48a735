import 'server-only'
import { and, count, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { requireName } from '@/core/auth/people'
import { type Role, roles } from '@/core/auth/policy'
import { touchInterval } from '@/core/auth/settings'
import { hashToken, isToken, newToken } from '@/core/auth/token'
import { db, preparedAs } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { enqueue } from '@/core/jobs/queue'
import type { Bearer } from '@/core/module'
import { tokenMadeMail } from './mails'
import { apiTokens } from './schema'

/** So that people, and programs that look for leaked secrets, can tell what it is. */
const prefix = 'plinth_'

/** Days that a token can be made for; none is made for good. */
export const lifetimes = [7, 30, 90, 365] as const

const mostTokens = 50

/** The roles that a token of somebody with this one can have; the core's list begins with the lowest. */
export const rolesUpTo = (role: Role) => roles.slice(0, roles.indexOf(role) + 1)

/** The lower of both: what the token was made for, and what its owner is now. */
const roleNow = sql<Role>`case
  when array[${apiTokens.role}, ${users.role}] <@ '{admin}' then 'admin'
  when array[${apiTokens.role}, ${users.role}] <@ '{editor,admin}' then 'editor'
  else 'viewer' end`

/** Its last use was noted long enough ago to note another. */
const isStale = sql<boolean>`coalesce(${apiTokens.lastUsedAt} < now() - make_interval(secs => ${sql.raw(String(touchInterval))}), true)`

const findByHash = db
  .select({
    id: apiTokens.id,
    userId: users.id,
    email: users.email,
    name: users.name,
    role: roleNow.as('role_now'),
    expires: apiTokens.expiresAt,
    isStale: isStale.as('is_stale'),
  })
  .from(apiTokens)
  .innerJoin(users, eq(users.id, apiTokens.userId))
  .where(
    and(eq(apiTokens.hash, sql.placeholder('hash')), isNull(users.suspendedAt), gt(apiTokens.expiresAt, sql`now()`)),
  )
  .prepare(preparedAs('find_api_token'))

/** Whose token it is. One query, and none for what does not look like one of ours. */
export async function findBearer(token: string): Promise<Bearer | null> {
  if (!token.startsWith(prefix) || !isToken(token.slice(prefix.length))) return null
  const [row] = await findByHash.execute({ hash: hashToken(token) })
  if (!row) return null
  // Asked again where it is written: of many requests at once, one writes.
  if (row.isStale)
    await db
      .update(apiTokens)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(apiTokens.id, row.id), isStale))
  const { id: _, userId, expires, isStale: __, ...person } = row
  return { user: { id: userId, ...person }, expires }
}

/** Returns the token, which exists nowhere else from then on but with the caller. */
export async function createToken(
  userId: string,
  { name: nameAsTyped, role, days }: { name: string; role: Role; days: number },
): Promise<string> {
  const name = requireName(nameAsTyped)
  const token = prefix + newToken()
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    // Locked: of two tokens made at once each sees the other, and the role is the one that the owner has now.
    const [owner] = await tx.select({ role: users.role }).from(users).where(eq(users.id, userId)).for('update')
    if (!owner) throw new AppError('unauthenticated')
    if (!rolesUpTo(owner.role).includes(role))
      throw new AppError('forbidden', 'A token cannot have a higher role than you')
    const [made] = await tx.select({ count: count() }).from(apiTokens).where(eq(apiTokens.userId, userId))
    if (made && made.count >= mostTokens)
      throw new AppError('conflict', `You have ${mostTokens} tokens, which is the most. Revoke one first`)
    const expiresAt = sql`now() + make_interval(days => ${days})`
    const [row] = await tx
      .insert(apiTokens)
      .values({ userId, hash: hashToken(token), name, role, expiresAt })
      .returning({ id: apiTokens.id })
    const details = { tokenId: row?.id ?? '', role, days }
    await record(tx, 'api_token.created', { actorId: userId, targetId: userId, from, details })
    await enqueue(tx, tokenMadeMail, { userId, role, days })
  })
  return token
}

/** It opens nothing from the next request on. Only one's own: another's is as if it were not there. */
export async function revokeToken(userId: string, tokenId: string): Promise<void> {
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    const { rowCount } = await tx.delete(apiTokens).where(and(eq(apiTokens.id, tokenId), eq(apiTokens.userId, userId)))
    if (!rowCount) throw new AppError('not_found', 'That one is gone already')
    await record(tx, 'api_token.revoked', { actorId: userId, targetId: userId, from, details: { tokenId } })
  })
}

/** The newest first; those that have expired are shown until they are swept. */
export function listTokens(userId: string) {
  return db
    .select({
      id: apiTokens.id,
      name: apiTokens.name,
      role: apiTokens.role,
      createdAt: apiTokens.createdAt,
      expiresAt: apiTokens.expiresAt,
      lastUsedAt: apiTokens.lastUsedAt,
      isExpired: sql<boolean>`${apiTokens.expiresAt} <= now()`,
    })
    .from(apiTokens)
    .where(eq(apiTokens.userId, userId))
    .orderBy(desc(apiTokens.createdAt), desc(apiTokens.id))
}
