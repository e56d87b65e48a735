import 'server-only'
import { and, eq, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { addressGroup, clientAddress, type Origin, originOf } from '../address'
import { record } from '../audit/record'
import { db } from '../db/client'
import { passwords, users } from '../db/schema'
import { AppError } from '../errors'
import { enqueue } from '../jobs/queue'
import { defineLimit } from '../limits/limit'
import type { Challenge } from '../module'
import { startSession } from './browser-session'
import { startChallenge } from './challenge'
import { findDevice, rememberDevice } from './device'
import { normalizeEmail } from './email'
import { passwordLockedMail } from './mails'
import { hashPassword, isPossiblePassword, verifyPassword } from './password'
import type { Session } from './sessions'

// Whoever tries many people's passwords is stopped by the first; whoever tries one person's, by the next three, each with
// a longer wait. A browser that has signed in before has a count of its own, which strangers cannot use up.
const ofAddress = defineLimit('signin_address', { points: 60, seconds: 10 * 60 })
const ofAccountAndAddress = defineLimit('signin_pair', { points: 5, seconds: 60 })
const ofAccount = defineLimit('signin_account', { points: 10, seconds: 15 * 60 })
const ofAccountDaily = defineLimit('signin_account_day', { points: 50, seconds: 24 * 60 * 60 })
const ofDevice = defineLimit('signin_device', { points: 5, seconds: 60 })

/** So many wrong tries in a row, over however many days, and the password works only on devices that are known. */
const mostFailures = 100

/** A session in this browser, or what must be shown besides the password to get one. */
type SignedIn = { session: Session; challenge?: never } | { challenge: Challenge; session?: never }

/** Checks the password and starts a session in this browser. Every kind of "no" is the same to the caller, and costs one hash. */
export async function signInWithPassword(emailAsTyped: string, password: string): Promise<SignedIn> {
  const email = normalizeEmail(emailAsTyped)
  if (!email || !isPossiblePassword(password)) throw new AppError('invalid_credentials')

  const head = await headers()
  const from = originOf(head)
  const person = await findForSignIn(email)
  const device = await findDevice(person?.id)
  const forget = await countTry(email, clientAddress(head), device)

  const { isRight, isOutdated } = await verifyPassword(person?.hash, password)
  const reason = whyNot(person, isRight, device)
  if (reason || !person?.hash) return refuse(person?.id, reason ?? 'unknown', from)

  const hash = isOutdated ? await replaceHash(person.id, person.hash, password) : person.hash
  const challenge = await startChallenge(person.id)
  if (challenge) {
    await forget()
    return { challenge }
  }
  const session = await startSession(person.id, hash, from)
  await forget()
  if (!device) await rememberDevice(person.id)
  return { session }
}

async function findForSignIn(email: string) {
  const [person] = await db
    .select({
      id: users.id,
      hash: passwords.hash,
      isSuspended: sql<boolean>`${users.suspendedAt} is not null`,
      isUnproved: sql<boolean>`${users.emailVerifiedAt} is null`,
      isLocked: sql<boolean>`coalesce(${passwords.failures} >= ${mostFailures}, false)`,
    })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(sql`lower(${users.email})`, email))
  return person
}

type Found = Awaited<ReturnType<typeof findForSignIn>>

/** For the record only; the caller never learns it. */
function whyNot(person: Found, isRight: boolean, device: string | undefined): string | undefined {
  if (!person) return 'unknown'
  if (!person.hash) return 'no_password'
  if (!isRight) return 'wrong_password'
  if (person.isSuspended) return 'suspended'
  if (person.isUnproved) return 'unproved'
  if (person.isLocked && !device) return 'locked'
}

const nobody = '00000000-0000-0000-0000-000000000000'

/** The same statements for everybody, known or not: the time it takes must not tell. */
async function refuse(userId: string | undefined, reason: string, from: Origin): Promise<never> {
  await db.transaction(async (tx) => {
    const [count] = await tx
      .update(passwords)
      .set({ failures: sql`${passwords.failures} + 1` })
      .where(eq(passwords.userId, reason === 'wrong_password' && userId ? userId : nobody))
      .returning({ failures: passwords.failures })
    await record(tx, 'signin.failed', { targetId: userId, from, details: { reason } })
    if (count?.failures !== mostFailures || !userId) return
    await record(tx, 'password.locked', { targetId: userId })
    await enqueue(tx, passwordLockedMail, { userId })
  })
  throw new AppError('invalid_credentials')
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
