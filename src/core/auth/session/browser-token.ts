import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { type Database, db } from '../../db/client'
import { inOneRoundTrip } from '../../db/in-transaction'
import { tokens, users } from '../../db/schema'
import { AppError } from '../../errors'
import { isValidToken } from '../tokens/email-link'
import { hashToken, isToken, newToken } from '../tokens/token'
import { readCookie, setCookie } from './cookies'
import type { Credential } from './start-session'

interface BrowserToken {
  token: string
  /** The user it was issued to, if known. */
  userId: string | null
  /** When that user reauthenticated, if it was not when the token was issued. */
  reauthenticatedAt: Date | null
}

/** Sets a one-time token as a cookie, to tie together two requests of one browser. Returns the token. */
export async function issueBrowserToken(purpose: string, userId: string | null, seconds: number): Promise<string> {
  const token = newToken()
  await db.insert(tokens).values({ hash: hashToken(token), purpose, userId, expiresAt: expiresIn(seconds) })
  await setTokenCookie(purpose, token, seconds)
  return token
}

/** Like `issueBrowserToken`, for a user who has just shown a credential. Throws if it is no longer theirs. */
export async function issuePendingToken(
  purpose: string,
  userId: string,
  seconds: number,
  { credential, reauthenticatedAt }: { credential: Credential; reauthenticatedAt?: Date | undefined },
): Promise<void> {
  const token = newToken()
  const [, { rowCount }] = await inOneRoundTrip((tx) => [
    tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('share'),
    tx.execute(sql`
      insert into ${tokens} (hash, purpose, user_id, reauthenticated_at, expires_at)
      select ${hashToken(token)}::bytea, ${purpose}::text, ${users.id},
        ${reauthenticatedAt?.toISOString() ?? null}::timestamptz, ${expiresIn(seconds)}
      from ${users} where ${users.id} = ${userId} and ${credential}`),
  ])
  if (rowCount !== 1) throw new AppError('invalid_credentials')
  await setTokenCookie(purpose, token, seconds)
}

const expiresIn = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`

const setTokenCookie = (purpose: string, token: string, seconds: number) =>
  setCookie(`ticket.${purpose}`, token, seconds)

async function readTokenCookie(purpose: string): Promise<string | null> {
  const token = await readCookie(`ticket.${purpose}`)
  return token && isToken(token) ? token : null
}

/**
 * Whether the browser sent a token, valid or not.
 * @public For modules that need nothing from the database without one.
 */
export const hasBrowserToken = async (purpose: string) => (await readTokenCookie(purpose)) !== null

const columns = { userId: tokens.userId, reauthenticatedAt: tokens.reauthenticatedAt }

/** The valid token of this browser, or null. Does not use it up. */
export async function peekBrowserToken(purpose: string): Promise<BrowserToken | null> {
  const token = await readTokenCookie(purpose)
  if (!token) return null
  const [found] = await db.select(columns).from(tokens).where(isValidToken(purpose, token))
  return found ? { token, ...found } : null
}

/**
 * Uses the token up; of two concurrent calls, one gets it. The cookie stays until it expires, because a transaction
 * that is retried must read it again.
 */
export async function consumeBrowserToken(tx: Pick<Database, 'delete'>, purpose: string): Promise<BrowserToken | null> {
  const token = await readTokenCookie(purpose)
  if (!token) return null
  const [taken] = await tx.delete(tokens).where(isValidToken(purpose, token)).returning(columns)
  return taken ? { token, ...taken } : null
}
