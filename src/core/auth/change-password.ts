import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '../address'
import { record } from '../audit/record'
import { db, type Transaction } from '../db/client'
import { passwords, tokens } from '../db/schema'
import { AppError } from '../errors'
import { enqueue } from '../jobs/queue'
import { getSession } from './actor'
import { keepInBrowser } from './browser'
import { checkOwnPassword } from './confirm'
import { passwordChangedMail } from './mails'
import { hashPassword } from './password'
import { passwordProblem } from './people'
import { renewSession, revokeSessions } from './sessions'

/** A new password: whatever the old one opened is shut, links to choose another included, and the owner is told. */
export async function replacePassword(
  tx: Transaction,
  userId: string,
  hash: string,
  { except }: { except?: string } = {},
): Promise<void> {
  // First, so that a sign-in with the old password that is under way waits here, and then finds that it is not the one.
  await tx
    .insert(passwords)
    .values({ userId, hash })
    .onConflictDoUpdate({ target: passwords.userId, set: { hash, failures: 0, changedAt: sql`now()` } })
  await revokeSessions(tx, userId, except === undefined ? {} : { except })
  await tx.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.purpose, ['reset', 'challenge'])))
  await enqueue(tx, passwordChangedMail, { userId })
}

/**
 * Changes the password of whoever is signed in. Every other session ends; this one goes on with another token.
 * @public For modules with a form for it.
 */
export async function changePassword(current: string, next: string): Promise<void> {
  const { session, hash } = await checkOwnPassword(current, 'current')
  const { id: userId, email } = session.user
  const isSame = () => next.normalize('NFC') === current.normalize('NFC')
  const problem = (await passwordProblem(next, email)) ?? (isSame() ? 'This is the password you have' : undefined)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { next: [problem] } })
  const fresh = await hashPassword(next)
  const from = originOf(await headers())
  const token = await db.transaction(async (tx) => {
    const [row] = await tx
      .select({ hash: passwords.hash })
      .from(passwords)
      .where(eq(passwords.userId, userId))
      .for('update')
    if (row?.hash !== hash) throw new AppError('conflict', 'The password was changed in the meantime. Try again')
    await replacePassword(tx, userId, fresh, { except: session.id })
    await record(tx, 'password.changed', { actorId: userId, targetId: userId, from, details: { way: 'change' } })
    return renewSession(tx, session.id)
  })
  await keepInBrowser('session', token)
}

/**
 * A first password, for somebody who signs in another way. Every other session ends, as with any new password.
 * @public For modules with a form for it.
 */
export async function setFirstPassword(password: string): Promise<void> {
  const session = await getSession()
  if (!session) throw new AppError('unauthenticated')
  const { id: userId, email } = session.user
  const problem = await passwordProblem(password, email)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { password: [problem] } })
  const hash = await hashPassword(password)
  const from = originOf(await headers())
  const token = await db.transaction(async (tx) => {
    const added = await tx
      .insert(passwords)
      .values({ userId, hash })
      .onConflictDoNothing()
      .returning({ userId: passwords.userId })
    if (added.length === 0) throw new AppError('conflict', 'You have a password already')
    await replacePassword(tx, userId, hash, { except: session.id })
    await record(tx, 'password.changed', { actorId: userId, targetId: userId, from, details: { way: 'first' } })
    return renewSession(tx, session.id)
  })
  await keepInBrowser('session', token)
}
