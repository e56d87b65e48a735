import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '../address'
import { record } from '../audit/record'
import { db } from '../db/client'
import { passwords } from '../db/schema'
import { AppError } from '../errors'
import { defineLimit } from '../limits/limit'
import type { Challenge } from '../module'
import { getSession, refuseActing } from './actor'
import { keepInBrowser } from './browser'
import { startChallenge } from './challenge'
import { isPossiblePassword, verifyPassword } from './password'
import { renewSession, type Session } from './sessions'

const ofPerson = defineLimit('confirm', { points: 5, seconds: 60 })

/** Checks the password of whoever is signed in; every wrong one counts. Returns the session and the stored hash. */
export async function checkOwnPassword(password: string, field: string): Promise<{ session: Session; hash: string }> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  await refuseActing()
  await ofPerson.consume(session.user.id)
  const [stored] = await db
    .select({ hash: passwords.hash })
    .from(passwords)
    .where(eq(passwords.userId, session.user.id))
  const isRight = isPossiblePassword(password) && (await verifyPassword(stored?.hash, password)).isRight
  if (!stored || !isRight) {
    await record(db, 'confirmation.failed', { actorId: session.user.id, from: originOf(await headers()) })
    throw new AppError('invalid_credentials', 'This is not your password', {
      fields: { [field]: ['This is not your password'] },
    })
  }
  await ofPerson.reset(session.user.id)
  return { session, hash: stored.hash }
}

/**
 * Notes that the person has shown that it is them. For an hour, dangerous steps do not ask again. Whoever signs in in two
 * steps takes both once more: their session ends here, another begins with the second, and what that wants is returned.
 */
export async function confirmWithPassword(password: string): Promise<Challenge | null> {
  const { session } = await checkOwnPassword(password, 'password')
  const challenge = await startChallenge(session.user.id)
  if (challenge) return challenge
  const token = await renewSession(db, session.id)
  await keepInBrowser('session', token)
  await record(db, 'session.confirmed', { actorId: session.user.id, from: originOf(await headers()) })
  return null
}

/** Whether there is a password to confirm with. */
export async function hasPassword(userId: string): Promise<boolean> {
  const found = await db.select({ userId: passwords.userId }).from(passwords).where(eq(passwords.userId, userId))
  return found.length > 0
}
