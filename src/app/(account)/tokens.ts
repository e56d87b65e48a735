import 'server-only'
import { and, count, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { appSlug } from '@/brand'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { defaultRole, type Role, roles } from '@/core/auth/roles'
import { causedBy } from '@/core/auth/security-notice'
import { touchIntervalSeconds } from '@/core/auth/session/settings'
import { hashToken, newToken } from '@/core/auth/tokens/token'
import { transactionAsSelf } from '@/core/auth/transaction-as'
import { requireName } from '@/core/auth/user/name'
import { db, preparedName } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { getClientInfo } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import type { Bearer } from '@/core/module'
import { tokenCreatedEmail } from './emails'
import { apiTokens } from './schema'

/** Lets users and secret scanners recognize a leaked token. A token with another one was made before the app was renamed. */
const prefix = `${appSlug}_`
const tokenPattern = /^[a-z0-9-]+_[\w-]{43}$/

/** Selectable lifetimes in days. Every token expires. */
export const lifetimes = [7, 30, 90, 365] as const

const maxTokens = 50

/** The roles that a user with this role can give to a token. `roles` starts with the lowest. */
export const rolesUpTo = (role: Role) => roles.slice(0, roles.indexOf(role) + 1)

const rolesFrom = (role: Role) => sql.raw(`'{${roles.slice(roles.indexOf(role)).join(',')}}'`)
const roleLiteral = (role: Role) => sql.raw(`'${role}'`)

/** The lower of the token's role and the owner's current role. The lowest of all, if one of them no longer exists. */
const effectiveRole = sql<Role>`case ${sql.join(
  roles
    .toReversed()
    .map((role) => sql`when array[${apiTokens.role}, ${users.role}] <@ ${rolesFrom(role)} then ${roleLiteral(role)}`),
  sql` `,
)} else ${roleLiteral(defaultRole)} end`

/** Whether `last_used_at` is old enough to be updated. */
const isStale = sql<boolean>`coalesce(${apiTokens.lastUsedAt} < now() - make_interval(secs => ${sql.raw(String(touchIntervalSeconds))}), true)`

const findByHash = db
  .select({
    id: apiTokens.id,
    userId: users.id,
    email: users.email,
    name: users.name,
    role: effectiveRole.as('role_now'),
    ceiling: apiTokens.role,
    expires: apiTokens.expiresAt,
    isStale: isStale.as('is_stale'),
  })
  .from(apiTokens)
  .innerJoin(users, eq(users.id, apiTokens.userId))
  .where(
    and(eq(apiTokens.hash, sql.placeholder('hash')), isNull(users.suspendedAt), gt(apiTokens.expiresAt, sql`now()`)),
  )
  .prepare(preparedName('find_api_token'))

/** The owner of a token, or null. Costs one query, and none for a malformed token. */
export async function findBearer(token: string): Promise<Bearer | null> {
  if (!tokenPattern.test(token)) return null
  const [row] = await findByHash.execute({ hash: hashToken(token) })
  if (!row) return null
  // The condition is checked again in the update, so that only one of many concurrent requests writes.
  if (row.isStale)
    await db
      .update(apiTokens)
      .set({ lastUsedAt: sql`now()` })
      .where(and(eq(apiTokens.id, row.id), isStale))
  const { id: _, userId, expires, ceiling, isStale: __, ...user } = row
  return { user: { id: userId, ...user }, expires, ceiling }
}

/** Returns the token in plain text. Only its hash is stored. */
export async function createToken(
  userId: string,
  { name: nameAsTyped, role, days }: { name: string; role: Role; days: number },
): Promise<string> {
  const name = requireName(nameAsTyped)
  const token = prefix + newToken()
  const client = getClientInfo(await headers())
  // Locks the user row, so that concurrent calls cannot exceed the limit.
  await transactionAsSelf(userId, async (tx, ownRole) => {
    if (!rolesUpTo(ownRole).includes(role))
      throw new AppError('forbidden', 'A token can’t have a higher role than you.')
    const [existing] = await tx.select({ count: count() }).from(apiTokens).where(eq(apiTokens.userId, userId))
    if (existing && existing.count >= maxTokens)
      throw new AppError('conflict', `You’ve reached the limit of ${maxTokens} tokens. Revoke one first.`)
    const expiresAt = sql`now() + make_interval(days => ${days})`
    const [row] = await tx
      .insert(apiTokens)
      .values({ userId, hash: hashToken(token), name, role, expiresAt })
      .returning({ id: apiTokens.id })
    const details = { tokenId: row?.id ?? '', role, days }
    await recordAuditEvent(tx, 'api_token.created', { actorId: userId, targetId: userId, client, details })
    await enqueue(tx, tokenCreatedEmail, { userId, role, days, cause: causedBy(client) })
  })
  return token
}

/** Revokes one of the user's own tokens, effective at the next request. Tokens of other users are `not_found`. */
export async function revokeToken(userId: string, tokenId: string): Promise<void> {
  const client = getClientInfo(await headers())
  await inTransaction(async (tx) => {
    const { rowCount } = await tx.delete(apiTokens).where(and(eq(apiTokens.id, tokenId), eq(apiTokens.userId, userId)))
    if (!rowCount) throw new AppError('not_found', 'That token no longer exists.')
    await recordAuditEvent(tx, 'api_token.revoked', { actorId: userId, targetId: userId, client, details: { tokenId } })
  })
}

/** The name of one of the user's own tokens; undefined if there is no such token. */
export async function findTokenName(userId: string, tokenId: string): Promise<string | undefined> {
  if (!z.uuid().safeParse(tokenId).success) return undefined
  const [token] = await db
    .select({ name: apiTokens.name })
    .from(apiTokens)
    .where(and(eq(apiTokens.id, tokenId), eq(apiTokens.userId, userId)))
  return token?.name
}

/** How many tokens `listTokens` returns. */
export async function countTokens(userId: string): Promise<number> {
  const [row] = await db.select({ count: count() }).from(apiTokens).where(eq(apiTokens.userId, userId))
  return row?.count ?? 0
}

/** Newest first. Expired tokens are listed until they are pruned. */
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
