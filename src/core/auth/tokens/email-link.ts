import 'server-only'
import { and, eq, gt, sql } from 'drizzle-orm'
import { type Database, db } from '../../db/client'
import { tokens } from '../../db/schema'
import { env } from '../../env'
import { hashToken, newToken } from './token'

/** A kind of email link: its page, and its lifetime in seconds. In a module, `name` starts with the module's name. */
export interface EmailLinkPurpose {
  name: string
  path: `/${string}`
  lifetimeSeconds: number
}

const minutes = 60
const days = 24 * 60 * minutes

export const signUpLink: EmailLinkPurpose = { name: 'signup', path: '/verify', lifetimeSeconds: days }
export const resetLink: EmailLinkPurpose = { name: 'reset', path: '/reset', lifetimeSeconds: 30 * minutes }
export const reportCompromiseLink: EmailLinkPurpose = { name: 'alarm', path: '/not-me', lifetimeSeconds: 7 * days }

type TokenSubject = { userId: string; email?: string } | { signupId: string } | { email: string }

/**
 * Creates a one-time token and returns its URL. Call it while the email is composed: the token is then stored nowhere
 * else, and its lifetime starts when the email is sent, or at `from`. Earlier links of the same purpose stay valid, because a
 * retry may send the email twice.
 */
export async function createEmailLink(
  { name, path, lifetimeSeconds }: EmailLinkPurpose,
  subject: TokenSubject,
  { tx = db, from }: { tx?: Pick<Database, 'insert'>; from?: string | undefined } = {},
): Promise<string> {
  const token = newToken()
  const start = from === undefined ? sql`now()` : sql`${from}::timestamptz`
  const expiresAt = sql`${start} + make_interval(secs => ${lifetimeSeconds})`
  await tx.insert(tokens).values({ ...subject, hash: hashToken(token), purpose: name, expiresAt })
  return new URL(`${path}?token=${token}`, env.AUTH_URL).href
}

/** Looks like a link of this kind, but its token does not exist: for samples of emails. */
export const sampleEmailLink = ({ path }: EmailLinkPurpose) => new URL(`${path}?token=sample`, env.AUTH_URL).href

/** SQL condition: the token exists, is for this purpose, and has not expired. */
export const isValidToken = (purpose: string, token: string) =>
  and(eq(tokens.hash, hashToken(token)), eq(tokens.purpose, purpose), gt(tokens.expiresAt, sql`now()`))
