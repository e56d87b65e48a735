import 'server-only'
import { sql } from 'drizzle-orm'
import { type Database, db } from '../db/client'
import { tokens } from '../db/schema'
import { keepInBrowser, readFromBrowser } from './browser'
import { isLive } from './link'
import { hashToken, isToken, newToken } from './token'

interface Ticket {
  token: string
  /** Whom it was given to, when that was known. */
  userId: string | null
}

/** Gives the browser something that works once, for a while: between two steps that belong together. Returns the token. */
export async function giveTicket(purpose: string, userId: string | null, seconds: number): Promise<string> {
  const token = newToken()
  const expiresAt = sql`now() + make_interval(secs => ${seconds})`
  await db.insert(tokens).values({ hash: hashToken(token), purpose, userId, expiresAt })
  await keepInBrowser(`ticket.${purpose}`, token, seconds)
  return token
}

async function sentToken(purpose: string): Promise<string | null> {
  const token = await readFromBrowser(`ticket.${purpose}`)
  return token && isToken(token) ? token : null
}

/** The ticket that this browser holds. Looking does not use it up. */
export async function lookAtTicket(purpose: string): Promise<Ticket | null> {
  const token = await sentToken(purpose)
  if (!token) return null
  const [found] = await db.select({ userId: tokens.userId }).from(tokens).where(isLive(purpose, token))
  return found ? { token, userId: found.userId } : null
}

/**
 * Uses the ticket up: of two who try at once, one gets it. The browser keeps what is worth nothing any more until its time
 * is over: a transaction that begins again must find it.
 */
export async function takeTicket(tx: Pick<Database, 'delete'>, purpose: string): Promise<Ticket | null> {
  const token = await sentToken(purpose)
  if (!token) return null
  const [taken] = await tx.delete(tokens).where(isLive(purpose, token)).returning({ userId: tokens.userId })
  return taken ? { token, userId: taken.userId } : null
}
