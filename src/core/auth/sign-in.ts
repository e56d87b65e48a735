import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { cookies, headers } from 'next/headers'
import { db } from '../db/client'
import { passwords, users } from '../db/schema'
import { AppError } from '../errors'
import { verifyPassword } from './password'
import { createSession, endSession } from './sessions'
import { cookieOptions, hintCookieName, sessionCookieName } from './settings'

/** Checks the password and starts a session in this browser. Every kind of "no" is the same to the caller, and costs one hash. */
export async function signInWithPassword(email: string, password: string): Promise<void> {
  const [person] = await db
    .select({ id: users.id, hash: passwords.hash })
    .from(users)
    .innerJoin(passwords, eq(passwords.userId, users.id))
    .where(and(eq(sql`lower(${users.email})`, email.toLowerCase()), isNull(users.suspendedAt)))
  const isRight = await verifyPassword(person?.hash, password)
  if (!person || !isRight) throw new AppError('invalid_credentials')

  await endCurrentSession()
  const head = await headers()
  const token = await createSession(person.id, { userAgent: head.get('user-agent') ?? undefined })
  const jar = await cookies()
  jar.set(sessionCookieName(), token, { ...cookieOptions(), httpOnly: true })
  jar.set(hintCookieName, '1', cookieOptions())
}

/** Ends the session this browser holds, if any, and takes its cookies away. */
export async function endCurrentSession(): Promise<void> {
  const jar = await cookies()
  for (const { value } of jar.getAll(sessionCookieName())) await endSession(value)
  jar.set(sessionCookieName(), '', { ...cookieOptions(), httpOnly: true, maxAge: 0 })
  jar.set(hintCookieName, '', { ...cookieOptions(), maxAge: 0 })
}
