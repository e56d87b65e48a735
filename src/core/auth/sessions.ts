import 'server-only'
import { and, desc, eq, inArray, isNull, ne, notInArray, sql } from 'drizzle-orm'
import type { Origin } from '../address'
import { record } from '../audit/record'
import { type Database, db, preparedAs, type Transaction } from '../db/client'
import { passwords, sessions, users } from '../db/schema'
import { AppError } from '../errors'
import type { Role } from './policy'
import { confirmedFor, longestActing, mostSessions, sessionLifetime, touchInterval } from './settings'
import { hashToken, isToken, newToken } from './token'

export interface Session {
  id: string
  user: { id: string; email: string; name: string; role: Role }
  /** Where the person's picture is. Beside `user`, whose keys callers of the API rely on. */
  image: string | null
  expires: Date
  /** Whether the person has shown lately that it is them. */
  isConfirmed: boolean
  /** The admin who acts for the person, and the session that they do it from. */
  actingAdmin: { id: string; name: string; sessionId: string } | null
}

const { standard, admin } = sessionLifetime
const seconds = (column: 'idle' | 'absolute') =>
  sql`make_interval(secs => case when ${users.role} = 'admin' then ${sql.raw(String(admin[column]))} else ${sql.raw(String(standard[column]))} end)`

/** Decided by the database's clock: nodes may disagree about the time. */
const expiresAt = sql`least(${sessions.lastSeenAt} + ${seconds('idle')}, ${sessions.createdAt} + ${seconds('absolute')}, case when ${sessions.openedBy} is not null then ${sessions.createdAt} + make_interval(secs => ${sql.raw(String(longestActing))}) end)`

/** Its last request was noted long enough ago to note another. */
const isStale = sql<boolean>`${sessions.lastSeenAt} < now() - make_interval(secs => ${sql.raw(String(touchInterval))})`

const findByHash = db
  .select({
    id: sessions.id,
    userId: users.id,
    email: users.email,
    name: users.name,
    role: users.role,
    image: users.image,
    openedBy: sessions.openedBy,
    expires: sql<Date>`${expiresAt}`.mapWith(sessions.createdAt).as('expires'),
    isConfirmed:
      sql<boolean>`${sessions.confirmedAt} > now() - make_interval(secs => ${sql.raw(String(confirmedFor))})`.as(
        'is_confirmed',
      ),
    isStale: isStale.as('is_stale'),
  })
  .from(sessions)
  .innerJoin(users, eq(users.id, sessions.userId))
  .where(and(eq(sessions.tokenHash, sql.placeholder('hash')), isNull(users.suspendedAt), sql`${expiresAt} > now()`))
  .prepare(preparedAs('find_session_and_opener'))

/** One query; role and status come with it, so a change holds at the very next request. */
export async function findSession(token: string): Promise<Session | null> {
  if (!isToken(token)) return null
  const [row] = await findByHash.execute({ hash: hashToken(token) })
  if (!row) return null
  const actingAdmin = row.openedBy ? await findActingAdmin(row.openedBy) : null
  if (row.openedBy && !actingAdmin) return null
  // Asked again where it is written: of many requests at once, one writes.
  if (row.isStale) {
    await db
      .update(sessions)
      .set({ lastSeenAt: sql`now()` })
      .where(and(eq(sessions.id, row.id), isStale))
    if (!actingAdmin) await noteSeen(row.userId)
  }
  const { id, userId, email, name, role, image, expires, isConfirmed } = row
  const user = { id: userId, email, name, role }
  return { id, user, image, expires, isConfirmed: isConfirmed && !actingAdmin, actingAdmin }
}

/** The admin whose session this is, while it is good and they are one. Only asked where somebody acts for another. */
async function findActingAdmin(sessionId: string): Promise<Session['actingAdmin']> {
  const [admin] = await db
    .select({ id: users.id, name: users.name })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(eq(sessions.id, sessionId), eq(users.role, 'admin'), isNull(users.suspendedAt), sql`${expiresAt} > now()`),
    )
  return admin ? { ...admin, sessionId } : null
}

/** Hourly, for lists of people. Whoever holds the row just now is not waited for: another request will come. */
async function noteSeen(userId: string): Promise<void> {
  const isDue = sql`coalesce(${users.lastSeenAt}, '-infinity') < now() - interval '1 hour'`
  const free = db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), isDue))
    .for('no key update', { skipLocked: true })
  await db.update(users).set({ lastSeenAt: sql`now()` }).where(inArray(users.id, free))
}

/**
 * Starts a session for somebody who has shown who they are; `way` says how. Returns the token, which exists nowhere else
 * from then on but with the caller.
 */
export async function insertSession(tx: Transaction, userId: string, way: string, from: Origin): Promise<string> {
  // First, and asked again: whoever is being suspended just now is waited for, and then gets none.
  const seen = await tx
    .update(users)
    .set({ lastSeenAt: sql`now()` })
    .where(and(eq(users.id, userId), isNull(users.suspendedAt)))
    .returning({ id: users.id })
  if (seen.length === 0) throw new AppError('invalid_credentials')
  const token = newToken()
  await tx.insert(sessions).values({ userId, tokenHash: hashToken(token), ...from })
  const kept = tx
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.userId, userId))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
    .limit(mostSessions)
  await tx.delete(sessions).where(and(eq(sessions.userId, userId), notInArray(sessions.id, kept)))
  await record(tx, 'session.started', { actorId: userId, targetId: userId, from, details: { way } })
  return token
}

/**
 * Starts a session for somebody whose password was right. Only while that password still is the one: the row is locked, so
 * a change of password that is under way is waited for, and then nothing is started with the old one; and of two sign-ins
 * at once each sees the other's session.
 */
export async function createSession(userId: string, passwordHash: string, from: Origin): Promise<string | null> {
  return db.transaction(async (tx) => {
    const [current] = await tx
      .select({ hash: passwords.hash, failures: passwords.failures })
      .from(passwords)
      .where(eq(passwords.userId, userId))
      .for('update')
    if (current?.hash !== passwordHash) return null
    if (current.failures > 0) await tx.update(passwords).set({ failures: 0 }).where(eq(passwords.userId, userId))
    return insertSession(tx, userId, 'password', from)
  })
}

/** Starts a session for somebody who has shown without a password who they are, and says how. */
export async function createSessionFor(userId: string, way: string, from: Origin): Promise<string | null> {
  return db.transaction(async (tx) => {
    const [person] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.suspendedAt)))
      .for('update')
    return person ? insertSession(tx, userId, way, from) : null
  })
}

export async function endSession(token: string, from: Origin): Promise<void> {
  if (!isToken(token)) return
  await db.transaction(async (tx) => {
    const [ended] = await tx
      .delete(sessions)
      .where(eq(sessions.tokenHash, hashToken(token)))
      .returning({ userId: sessions.userId, openedBy: sessions.openedBy })
    // Whoever signs out while they act for somebody else is out altogether.
    if (ended?.openedBy) await tx.delete(sessions).where(eq(sessions.id, ended.openedBy))
    if (ended) await record(tx, 'session.ended', { actorId: ended.userId, targetId: ended.userId, from })
  })
}

/** Gives a session another token, and notes that the person has just shown who they are. The old token is worth nothing. */
export async function renewSession(tx: Pick<Database, 'update'>, sessionId: string): Promise<string> {
  const token = newToken()
  await tx
    .update(sessions)
    .set({ tokenHash: hashToken(token), confirmedAt: sql`now()` })
    .where(eq(sessions.id, sessionId))
  return token
}

/**
 * Where somebody is signed in now, the most recent first.
 * @public For modules that show it.
 */
export function listSessions(userId: string) {
  return db
    .select({
      id: sessions.id,
      userAgent: sessions.userAgent,
      ip: sessions.ip,
      createdAt: sessions.createdAt,
      lastSeenAt: sessions.lastSeenAt,
      isOfAdmin: sql<boolean>`${sessions.openedBy} is not null`,
    })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(and(eq(sessions.userId, userId), sql`${expiresAt} > now()`))
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.createdAt))
}

/** Ends one of somebody's sessions, all but one, or all. It holds at the next request, on every node. Returns how many. */
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
