import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { cookies, headers } from 'next/headers'
import { db } from '../db/client'
import { passwords, users } from '../db/schema'
import { AppError } from '../errors'
import { readTokens } from './actor'
import { verifyPassword } from './password'
import { createSession, endSession } from './sessions'
import { cookieOptions, hintCookieName, lifetimeOf, sessionCookieName } from './settings'

/** Checks the password and starts a session in this browser. Every kind of "no" is the same to the caller, and costs one hash. */
export async function signInWithPassword(email: string, password: string): Promise<void> {
  const [person] = await db
    .select({ id: users.id, role: users.role, hash: passwords.hash })
    .from(users)
    .innerJoin(passwords, eq(passwords.userId, users.id))
    .where(and(eq(sql`lower(${users.email})`, email.toLowerCase()), isNull(users.suspendedAt)))
  const isRight = await verifyPassword(person?.hash, password)
  if (!person || !isRight) throw new AppError('invalid_credentials')

  await signOut()
  const head = await headers()
  const token = await createSession(person.id, { userAgent: head.get('user-agent') ?? undefined })
  const jar = await cookies()
  jar.set(sessionCookieName(), token, { ...cookieOptions(), httpOnly: true })
  jar.set(hintCookieName, '1', { ...cookieOptions(), maxAge: lifetimeOf(person.role).absolute })
}

/** Ends the session that the caller sent, if any. A browser's cookies go with it; a caller with a token has none. */
export async function signOut(): Promise<void> {
  const { from, tokens } = await readTokens()
  for (const token of tokens) await endSession(token)
  if (from === 'header') return
  const jar = await cookies()
  jar.set(sessionCookieName(), '', { ...cookieOptions(), httpOnly: true, maxAge: 0 })
  jar.set(hintCookieName, '', { ...cookieOptions(), maxAge: 0 })
}
