import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { cookies, headers } from 'next/headers'
import { addressGroup, clientAddress } from '../address'
import { db } from '../db/client'
import { passwords, users } from '../db/schema'
import { AppError } from '../errors'
import { defineLimit } from '../limits/limit'
import { readTokens } from './actor'
import { deviceLifetime, knownDevice, makeDevice } from './device'
import { normalizeEmail } from './email'
import { hashPassword, isPossiblePassword, verifyPassword } from './password'
import { createSession, endSession, findSession, type Session } from './sessions'
import {
  cookieOptions,
  csrfCookieName,
  deviceCookieName,
  hintCookieName,
  lifetimeOf,
  sessionCookieName,
} from './settings'

// Whoever tries many people's passwords is stopped by the first; whoever tries one person's, by the next three, each with
// a longer wait. A browser that has signed in before has a count of its own, which strangers cannot use up.
const ofAddress = defineLimit('signin_address', { points: 60, seconds: 10 * 60 })
const ofAccountAndAddress = defineLimit('signin_pair', { points: 5, seconds: 60 })
const ofAccount = defineLimit('signin_account', { points: 10, seconds: 15 * 60 })
const ofAccountDaily = defineLimit('signin_account_day', { points: 50, seconds: 24 * 60 * 60 })
const ofDevice = defineLimit('signin_device', { points: 5, seconds: 60 })

/** Checks the password and starts a session in this browser. Every kind of "no" is the same to the caller, and costs one hash. */
export async function signInWithPassword(emailAsTyped: string, password: string): Promise<Session> {
  const refusal = new AppError('invalid_credentials')
  const email = normalizeEmail(emailAsTyped)
  if (!email || !isPossiblePassword(password)) throw refusal

  const head = await headers()
  const jar = await cookies()
  const address = clientAddress(head)
  const person = await findForSignIn(email)
  const device = knownDevice(person?.id, jar.get(deviceCookieName())?.value)
  const forget = await countTry(email, address, device)

  const { isRight, isOutdated } = await verifyPassword(person?.hash, password)
  if (!person?.hash || !isRight || !person.mayEnter) throw refusal

  const hash = isOutdated ? await replaceHash(person.id, person.hash, password) : person.hash
  await signOut()
  const token = await createSession(person.id, hash, { userAgent: head.get('user-agent'), address })
  const session = token && (await findSession(token))
  if (!session) throw refusal
  await forget()

  jar.set(sessionCookieName(), token, { ...cookieOptions(), httpOnly: true })
  jar.set(hintCookieName, '1', { ...cookieOptions(), maxAge: lifetimeOf(session.user.role).absolute })
  if (!device)
    jar.set(deviceCookieName(), makeDevice(person.id), { ...cookieOptions(), httpOnly: true, maxAge: deviceLifetime })
  return session
}

/** Ends the session that the caller sent, if any. A browser's cookies go with it; a caller with a token has none. */
export async function signOut(): Promise<void> {
  const { from, tokens } = await readTokens()
  for (const token of tokens) await endSession(token)
  if (from === 'header') return
  const jar = await cookies()
  jar.set(sessionCookieName(), '', { ...cookieOptions(), httpOnly: true, maxAge: 0 })
  jar.set(hintCookieName, '', { ...cookieOptions(), maxAge: 0 })
  if (jar.has(csrfCookieName())) jar.set(csrfCookieName(), '', { ...cookieOptions(), httpOnly: true, maxAge: 0 })
}

async function findForSignIn(email: string) {
  const [person] = await db
    .select({
      id: users.id,
      hash: passwords.hash,
      mayEnter: sql<boolean>`${users.suspendedAt} is null and ${users.emailVerifiedAt} is not null`,
    })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(sql`lower(${users.email})`, email))
  return person
}

/** Before the hash, so that many tries at once cannot slip through together. Returns how to forget them again. */
async function countTry(email: string, address: string, device: string | undefined): Promise<() => Promise<void>> {
  const group = addressGroup(address)
  await ofAddress.consume(group)
  if (device) {
    await ofDevice.consume(device)
    return () => ofDevice.reset(device)
  }
  const pair = `${email} ${group}`
  await ofAccountAndAddress.consume(pair)
  await ofAccount.consume(email)
  await ofAccountDaily.consume(email)
  return async () => {
    await Promise.all([ofAccountAndAddress.reset(pair), ofAccount.reset(email), ofAccountDaily.reset(email)])
  }
}

/** The parameters of hashing grow over the years; who signs in gets the new ones. */
async function replaceHash(userId: string, old: string, password: string): Promise<string> {
  const hash = await hashPassword(password)
  const replaced = await db
    .update(passwords)
    .set({ hash })
    .where(and(eq(passwords.userId, userId), eq(passwords.hash, old)))
    .returning({ hash: passwords.hash })
  return replaced[0]?.hash ?? old
}
