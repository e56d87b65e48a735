import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { originOf } from '../address'
import { db, type Transaction } from '../db/client'
import { passwords } from '../db/schema'
import { AppError } from '../errors'
import type { Challenge } from '../module'
import { enterSession, signOut } from './browser-session'
import { rememberDevice } from './device'
import { insertSession, type Session } from './sessions'
import { giveTicket, lookAtTicket, takeTicket } from './ticket'

const purpose = 'challenge'
const minutes = 60

/** What this person must show besides the first proof, if anything. */
export async function findChallenge(userId: string): Promise<Challenge | null> {
  for (const module of modules) {
    const challenge = await module.challenge?.(userId)
    if (challenge) return challenge
  }
  return null
}

/**
 * For somebody whose first proof was right: what they must show besides, if anything. The browser then keeps a note of the
 * first, which opens nothing by itself.
 */
export async function startChallenge(userId: string): Promise<Challenge | null> {
  const challenge = await findChallenge(userId)
  if (!challenge) return null
  await signOut()
  await giveTicket(purpose, userId, 10 * minutes)
  return challenge
}

/** Whose second proof this browser owes. */
export async function findChallenged(): Promise<string | null> {
  return (await lookAtTicket(purpose))?.userId ?? null
}

/**
 * Signs in whoever owes a second proof, when `check` finds it right. `check` runs in the transaction that starts the
 * session, so that what it uses up is used up exactly when somebody gets in.
 * @public For modules that ask for a second proof.
 */
export async function meetChallenge(
  check: (tx: Transaction, userId: string) => Promise<string | null>,
): Promise<Session> {
  const from = originOf(await headers())
  const tooLate = new AppError('unauthenticated', 'That took too long. Sign in once more')
  const owed = await findChallenged()
  if (!owed) throw tooLate
  const token = await db.transaction(async (tx) => {
    // A change of password that is under way is waited for, and then takes the ticket with it.
    const [password] = await tx
      .select({ failures: passwords.failures })
      .from(passwords)
      .where(eq(passwords.userId, owed))
      .for('update')
    const way = await check(tx, owed)
    if (!way) throw new AppError('invalid_credentials', 'That is not right')
    const ticket = await takeTicket(tx, purpose)
    if (ticket?.userId !== owed) throw tooLate
    if (password?.failures) await tx.update(passwords).set({ failures: 0 }).where(eq(passwords.userId, owed))
    return insertSession(tx, owed, way, from)
  })
  const session = await enterSession(token)
  await rememberDevice(owed)
  return session
}
