import 'server-only'
import { and, eq, gt, sql } from 'drizzle-orm'
import { db } from '../db/client'
import { tokens } from '../db/schema'
import { env } from '../env'
import { hashToken, newToken } from './token'

const minutes = 60

/** What a link in a mail is for, where it leads, and for how many seconds it works. */
const purposes = {
  signup: { path: '/verify', lifetime: 24 * 60 * minutes },
  reset: { path: '/reset', lifetime: 30 * minutes },
} as const
type Purpose = keyof typeof purposes

/**
 * A link that works once. Made while its mail is written, so the token is in the mail and nowhere else, and its time
 * starts then. An earlier link of the same purpose goes on working: a mail that was sent twice has two.
 */
export async function makeLink(purpose: Purpose, subject: { userId: string } | { signupId: string }): Promise<string> {
  const token = newToken()
  const { path, lifetime } = purposes[purpose]
  const expiresAt = sql`now() + make_interval(secs => ${lifetime})`
  await db.insert(tokens).values({ ...subject, hash: hashToken(token), purpose, expiresAt })
  return new URL(`${path}?token=${token}`, env.AUTH_URL).href
}

/** That a token is right for this purpose, and still is. */
export const isLive = (purpose: Purpose, token: string) =>
  and(eq(tokens.hash, hashToken(token)), eq(tokens.purpose, purpose), gt(tokens.expiresAt, sql`now()`))
