import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { auditEventSql, countAuditEvents } from '../../audit/record-audit-event'
import type { Transaction } from '../../db/client'
import { inOneRoundTrip } from '../../db/in-transaction'
import { passwords, sessions, users } from '../../db/schema'
import { AppError } from '../../errors'
import type { ClientInfo } from '../../http/client-ip'
import { hashToken, newToken } from '../tokens/token'
import { type Session, selectSession, toSession } from './sessions'
import { maxSessionsPerUser } from './settings'

/**
 * What a user signs in with, as a condition on `users` that holds while it is theirs. It is tested again after the user was
 * locked: no session and no pending sign-in starts with a credential that was removed meanwhile.
 */
export type Credential = SQL

export const ownsPassword = (userId: string, hash: string): Credential =>
  sql`exists (select from ${passwords} where user_id = ${userId} and hash = ${hash})`

/** Only the hash of the token is stored, so the token cannot be read again later. */
interface NewSession {
  token: string
  session: Session
}

interface Start {
  userId: string
  /** The sign-in method. */
  method: string
  client: ClientInfo
  /** When the user authenticated, by default now. */
  reauthenticatedAt?: Date | undefined
  /** None if the transaction that starts the session also uses the credential up. */
  credential?: Credential
  /** The credential is the password: wrong ones before it are forgotten. */
  isPassword?: boolean
}

/**
 * One statement that starts a session, unless the user is suspended, and ends those that are too many. It must run after
 * a statement that locks the user: only then does it see the sessions that concurrent sign-ins have started.
 */
async function startStatement(
  token: string,
  { userId, method, client, reauthenticatedAt, credential = sql`true`, isPassword = false }: Start,
) {
  const event = { actorId: userId, targetId: userId, client, details: { way: method } }
  return sql`
    with seen as (
      update ${users} set last_seen_at = now()
      where id = ${userId} and suspended_at is null and ${credential} returning id
    ), started as (
      insert into ${sessions} (user_id, token_hash, user_agent, ip, confirmed_at)
      select id, ${hashToken(token)}::bytea, ${client.userAgent}::text, ${client.ip}::inet,
        coalesce(${reauthenticatedAt?.toISOString() ?? null}::timestamptz, now()) from seen returning id
    ), surplus as (
      delete from ${sessions} where id in (
        select sessions.id from ${sessions} join seen on seen.id = user_id
        order by sessions.last_seen_at desc, created_at desc offset ${maxSessionsPerUser - 1})
    ), unlocked as (
      update ${passwords} set failures = 0 from seen
      where user_id = seen.id and failures > 0 and ${isPassword}
    ) ${await auditEventSql('session.started', event, sql`started`)}`
}

/** Starts a session in a transaction, for a user who has passed a second factor. Returns the token. */
export async function insertSession(tx: Transaction, start: Start): Promise<string> {
  const token = newToken()
  const statement = await startStatement(token, start)
  // A suspension that runs at the same time wins.
  const lock = tx.select({ id: users.id }).from(users).where(eq(users.id, start.userId)).for('no key update')
  const [, { rowCount }] = await Promise.all([lock, tx.execute(statement)])
  if (rowCount !== 1) throw new AppError('invalid_credentials')
  countAuditEvents('session.started')
  return token
}

/**
 * Starts a session after a correct password. Locks the user and the password, and compares the hash again: a concurrent
 * password change finishes first, and the old password then starts no session. The lock also serializes concurrent
 * sign-ins, so that each counts the other's session.
 */
export async function createPasswordSession(
  userId: string,
  passwordHash: string,
  client: ClientInfo,
): Promise<NewSession | null> {
  const token = newToken()
  const credential = ownsPassword(userId, passwordHash)
  const statement = await startStatement(token, { userId, method: 'password', client, credential, isPassword: true })
  const [[current], , rows] = await inOneRoundTrip((tx) => [
    // The user first, as everywhere: PostgreSQL locks in the order of the tables.
    tx
      .select({ hash: passwords.hash })
      .from(users)
      .innerJoin(passwords, eq(passwords.userId, users.id))
      .where(eq(users.id, userId))
      .for('no key update'),
    tx.execute(statement),
    selectSession(tx, hashToken(token)),
  ])
  if (current?.hash !== passwordHash) return null
  return toNewSession(token, rows)
}

/** Starts a session for a user who signed in without a password. */
export async function createSessionWithMethod(start: Start & { credential: Credential }): Promise<NewSession | null> {
  const token = newToken()
  const statement = await startStatement(token, start)
  const [, , rows] = await inOneRoundTrip((tx) => [
    tx.select({ id: users.id }).from(users).where(eq(users.id, start.userId)).for('update'),
    tx.execute(statement),
    selectSession(tx, hashToken(token)),
  ])
  return rows.length === 0 ? null : toNewSession(token, rows)
}

function toNewSession(token: string, [row]: Awaited<ReturnType<typeof selectSession>>): NewSession {
  if (!row) throw new AppError('invalid_credentials')
  countAuditEvents('session.started')
  return { token, session: toSession(row) }
}
