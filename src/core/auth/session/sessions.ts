import 'server-only'
import { and, desc, eq, inArray, isNull, ne, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { findScopeProvider } from '@/scope-provider'
import { auditEventSql, countAuditEvents } from '../../audit/record-audit-event'
import { type Database, db, preparedName } from '../../db/client'
import { inOneRoundTrip } from '../../db/in-transaction'
import { sessions, users } from '../../db/schema'
import { acrossScopes } from '../../db/tenant-check'
import type { ClientInfo } from '../../http/client-ip'
import type { Caller } from '../../http/request'
import { isScopeName, type Scope } from '../../scope'
import { adminRole, roleTable } from '../roles'
import { hashToken, isToken, newToken } from '../tokens/token'
import { maxImpersonationSeconds, reauthenticationLifetimeSeconds, touchIntervalSeconds } from './settings'

export type Session = Caller

/** The lifetime that the role of the user has now. A role that no longer exists has the shortest of all. */
function lifetimeInterval(column: 'idle' | 'absolute') {
  const cases = roleTable.map(({ name, session }) => `when '${name}' then ${session[column]}`)
  const shortest = Math.min(...roleTable.map(({ session }) => session[column]))
  return sql`make_interval(secs => case ${users.role} ${sql.raw(`${cases.join(' ')} else ${shortest}`)} end)`
}

/** Uses the database's clock, because the clocks of the nodes may differ. */
const expiresAt = sql`least(${sessions.lastSeenAt} + ${lifetimeInterval('idle')}, ${sessions.createdAt} + ${lifetimeInterval('absolute')}, case when ${sessions.impersonatorSessionId} is not null then ${sessions.createdAt} + make_interval(secs => ${sql.raw(String(maxImpersonationSeconds))}) end)`

/** `last_seen_at` is old enough to be updated. */
const isStale = sql<boolean>`${sessions.lastSeenAt} < now() - make_interval(secs => ${sql.raw(String(touchIntervalSeconds))})`

/** The scope with this slug or id, if the user is a member of it. */
function membership(named: SQL | undefined): SQL<Scope | null> {
  const provider = findScopeProvider()
  if (!provider || !named) return sql`null`
  return sql`(select row_to_json(scope) from (${provider.membership(sql`${users.id}`, named)}) as scope)`
}

/** The session with this token, if it has not expired and its user is not suspended. */
export const selectSession = (source: Pick<Database, 'select'>, hash: Buffer | Placeholder, scopeName?: SQL) =>
  source
    .select({
      id: sessions.id,
      userId: users.id,
      email: users.email,
      name: users.name,
      role: users.role,
      image: users.image,
      timeZone: users.timeZone,
      locale: users.locale,
      impersonatorSessionId: sessions.impersonatorSessionId,
      expires: sql<Date>`${expiresAt}`.mapWith(sessions.createdAt).as('expires'),
      isReauthenticated:
        sql<boolean>`${sessions.reauthenticatedAt} > now() - make_interval(secs => ${sql.raw(String(reauthenticationLifetimeSeconds))})`.as(
          'is_confirmed',
        ),
      isStale: isStale.as('is_stale'),
      scope: membership(scopeName).as('scope'),
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.tokenHash, hash),
        isNull(users.suspendedAt),
        // Admins cannot be impersonated, nor can a user who has become one since.
        or(isNull(sessions.impersonatorSessionId), ne(users.role, adminRole)),
        sql`${expiresAt} > now()`,
      ),
    )

const findByHash = selectSession(db, sql.placeholder('hash')).prepare(preparedName('find_live_session'))
const prepareInScope = () =>
  selectSession(db, sql.placeholder('hash'), sql`${sql.placeholder('scope')}::text`).prepare(
    preparedName('find_live_session_in_scope'),
  )
let findInScope: ReturnType<typeof prepareInScope> | undefined

/** One query for the session and the membership. */
function queryByHash(hash: Buffer, scopeName: string | undefined) {
  if (!findScopeProvider() || !isScopeName(scopeName)) return findByHash.execute({ hash })
  findInScope ??= prepareInScope()
  const query = findInScope
  return acrossScopes('the user’s own membership', () => query.execute({ hash, scope: scopeName.toLowerCase() }))
}

/** The scope with this slug or id, if the user is a member of it. For callers without a session. */
export async function findMembership(userId: string, scopeName: string): Promise<Scope | null> {
  const provider = findScopeProvider()
  if (!provider || !isScopeName(scopeName)) return null
  const query = provider.membership(sql`${userId}::uuid`, sql`${scopeName.toLowerCase()}::text`)
  const { rows } = await acrossScopes('the user’s own membership', () => db.execute(query))
  return (rows[0] as unknown as Scope | undefined) ?? null
}

type SessionRow = Awaited<ReturnType<typeof selectSession>>[number]

export const toSession = (
  { id, userId, email, name, role, image, timeZone, locale, expires, isReauthenticated, scope }: SessionRow,
  impersonatedBy: Session['impersonatedBy'] = null,
): Session => ({
  id,
  user: { id: userId, email, name, role },
  image,
  preferences: { timeZone, locale },
  expires,
  isReauthenticated: isReauthenticated && !impersonatedBy,
  impersonatedBy,
  scope,
})

/**
 * One query, which also reads role, suspension and the membership in the named scope, so that changes to them take effect at the
 * next request.
 */
export async function findSession(token: string, scopeName?: string): Promise<Session | null> {
  if (!isToken(token)) return null
  const [row] = await queryByHash(hashToken(token), scopeName)
  if (!row) return null
  const impersonatedBy = row.impersonatorSessionId ? await findImpersonator(row.impersonatorSessionId) : null
  if (row.impersonatorSessionId && !impersonatedBy) return null
  if (row.isStale) await Promise.all([touchSession(row.id), impersonatedBy ? undefined : updateLastSeen(row.userId)])
  return toSession(row, impersonatedBy)
}

/** Checks `isStale` again, so that only one of several concurrent requests writes. */
async function touchSession(id: string): Promise<void> {
  await db
    .update(sessions)
    .set({ lastSeenAt: sql`now()` })
    .where(and(eq(sessions.id, id), isStale))
}

/** The admin who owns this session; null if the session has expired or the user is no longer an active admin. */
async function findImpersonator(sessionId: string): Promise<Session['impersonatedBy']> {
  const [admin] = await db
    .select({ id: users.id, name: users.name })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(eq(sessions.id, sessionId), eq(users.role, adminRole), isNull(users.suspendedAt), sql`${expiresAt} > now()`),
    )
  return admin ? { ...admin, sessionId } : null
}

/**
 * Updates the user's `last_seen_at` at most once an hour. Skips a locked row instead of waiting: a later request will
 * do it.
 */
async function updateLastSeen(userId: string): Promise<void> {
  const isDue = sql`coalesce(${users.lastSeenAt}, '-infinity') < now() - interval '1 hour'`
  const unlockedUser = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isDue))
    .for('no key update', { skipLocked: true })
  await db.update(users).set({ lastSeenAt: sql`now()` }).where(inArray(users.id, unlockedUser))
}

export async function endSession(token: string, client: ClientInfo): Promise<void> {
  if (!isToken(token)) return
  const userId = sql`ended.user_id`
  const record = await auditEventSql('session.ended', { actorId: userId, targetId: userId, client }, sql`ended`)
  // Signing out while impersonating also ends the admin's own session.
  const [{ rowCount }] = await inOneRoundTrip((tx) => [
    tx.execute(sql`
      with ended as (delete from ${sessions} where token_hash = ${hashToken(token)} returning user_id, opened_by),
      own as (delete from ${sessions} where id in (select opened_by from ended))
      ${record}`),
  ])
  if (rowCount) countAuditEvents('session.ended')
}

/**
 * Replaces the token of a session; the old token stops working. Pass `isReauthenticated` if the user has just authenticated
 * with every factor they have; otherwise the time of the last reauthentication does not change.
 */
export async function renewSession(
  tx: Pick<Database, 'update'>,
  sessionId: string,
  { isReauthenticated = false } = {},
): Promise<string> {
  const token = newToken()
  await tx
    .update(sessions)
    .set({ tokenHash: hashToken(token), ...(isReauthenticated && { reauthenticatedAt: sql`now()` }) })
    .where(eq(sessions.id, sessionId))
  return token
}

/**
 * The user's active sessions, the most recently used first.
 * @public For modules that show them.
 */
export function listSessions(userId: string) {
  return db
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      ip: sessions.ip,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      isImpersonation: sql<boolean>`${sessions.impersonatorSessionId} is not null`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, userId), sql`${expiresAt} > now()`))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
}

/** Ends one, all but one, or all of a user's sessions, on every node from the next request on. Returns how many. */
export async function revokeSessions(
  tx: Pick<Database, 'delete'>,
  userId: string,
  { only, except }: { only?: string; except?: string } = {},
): Promise<number> {
  const { rowCount } = await tx
    .delete(sessions)
    .where(
      and(
        eq(sessions.userId, userId),
        only === undefined ? undefined : eq(sessions.id, only),
        except === undefined ? undefined : ne(sessions.id, except),
      ),
    )
  return rowCount ?? 0
}
