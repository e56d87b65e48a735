import 'server-only'
import { createHash, randomBytes } from 'node:crypto'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { db } from '../db/client'
import { sessions, users } from '../db/schema'
import type { Role } from './policy'
import { sessionLifetime, touchInterval } from './settings'

export interface Session {
  id: string
  user: { id: string; email: string; name: string; role: Role }
  expires: Date
}

/** Only the hash is stored: who reads the database cannot sign in with what they find. */
const hashToken = (token: string) => createHash('sha256').update(token).digest()

const isToken = (token: string) => /^[\w-]{43}$/.test(token)

const { standard, admin } = sessionLifetime
const seconds = (column: 'idle' | 'absolute') =>
  sql`make_interval(secs => case when ${users.role} = 'admin' then ${sql.raw(String(admin[column]))} else ${sql.raw(String(standard[column]))} end)`

/** Decided by the database's clock: nodes may disagree about the time. */
const expiresAt = sql`least(${sessions.lastSeenAt} + ${seconds('idle')}, ${sessions.createdAt} + ${seconds('absolute')})`

const findByHash = db
  .select({
    id: sessions.id,
    userId: users.id,
    email: users.email,
    name: users.name,
    role: users.role,
    expires: sql<Date>`${expiresAt}`.mapWith(sessions.createdAt).as('expires'),
    isStale: sql<boolean>`${sessions.lastSeenAt} < now() - make_interval(secs => ${sql.raw(String(touchInterval))})`.as(
      'is_stale',
    ),
  })
  .from(sessions)
  .innerJoin(users, eq(users.id, sessions.userId))
  .where(and(eq(sessions.tokenHash, sql.placeholder('hash')), isNull(users.suspendedAt), sql`${expiresAt} > now()`))
  .prepare('find_session')

/** One query; role and status come with it, so a change holds at the very next request. */
export async function findSession(token: string): Promise<Session | null> {
  if (!isToken(token)) return null
  const [row] = await findByHash.execute({ hash: hashToken(token) })
  if (!row) return null
  if (row.isStale) await db.update(sessions).set({ lastSeenAt: sql`now()` }).where(eq(sessions.id, row.id))
  const { id, userId, expires, isStale: _, ...person } = row
  return { id, user: { id: userId, ...person }, expires }
}

/** Returns the token, which exists nowhere else from then on but in the caller's cookie. */
export async function createSession(
  userId: string,
  seenFrom: { userAgent?: string | undefined; ip?: string | undefined },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  await db
    .insert(sessions)
    .values({ userId, tokenHash: hashToken(token), userAgent: seenFrom.userAgent?.slice(0, 400), ip: seenFrom.ip })
  return token
}

export async function endSession(token: string): Promise<void> {
  if (isToken(token)) await db.delete(sessions).where(eq(sessions.tokenHash, hashToken(token)))
}
