import 'server-only'
import { and, eq, gt, sql } from 'drizzle-orm'
import { db } from '../db/client'
import { tokens } from '../db/schema'
import { env } from '../env'
import { hashToken, newToken } from './token'

/** What a link in a mail is for, where it leads, and for how many seconds it works. A module's begin with its name. */
export interface LinkPurpose {
  name: string
  path: `/${string}`
  lifetime: number
}

const minutes = 60
const days = 24 * 60 * minutes

export const signUpLink: LinkPurpose = { name: 'signup', path: '/verify', lifetime: days }
export const resetLink: LinkPurpose = { name: 'reset', path: '/reset', lifetime: 30 * minutes }
export const alarmLink: LinkPurpose = { name: 'alarm', path: '/not-me', lifetime: 7 * days }

type Subject = { userId: string; email?: string } | { signupId: string } | { email: string }

/**
 * A link that works once. Made while its mail is written, so the token is in the mail and nowhere else, and its time
 * starts then. An earlier link of the same purpose goes on working: a mail that was sent twice has two.
 */
export async function makeLink({ name, path, lifetime }: LinkPurpose, subject: Subject): Promise<string> {
  const token = newToken()
  const expiresAt = sql`now() + make_interval(secs => ${lifetime})`
  await db.insert(tokens).values({ ...subject, hash: hashToken(token), purpose: name, expiresAt })
  return new URL(`${path}?token=${token}`, env.AUTH_URL).href
}

/** That a token is right for this purpose, and still is. */
export const isLive = (purpose: string, token: string) =>
  and(eq(tokens.hash, hashToken(token)), eq(tokens.purpose, purpose), gt(tokens.expiresAt, sql`now()`))
