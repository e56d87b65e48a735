import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { addressGroup, clientAddress, originOf } from '../address'
import { record } from '../audit/record'
import { db } from '../db/client'
import { tokens, users } from '../db/schema'
import { AppError } from '../errors'
import { enqueue } from '../jobs/queue'
import { defineLimit } from '../limits/limit'
import { replacePassword } from './change-password'
import { normalizeEmail } from './email'
import { isLive, resetLink } from './link'
import { resetMail } from './mails'
import { hashPassword } from './password'
import { passwordProblem } from './people'

const ofAddress = defineLimit('reset_address', { points: 20, seconds: 60 * 60 })
const ofEmail = defineLimit('reset_email', { points: 3, seconds: 60 * 60 })
const ofResetting = defineLimit('reset_use', { points: 30, seconds: 60 * 60 })

/**
 * Sends a link to whoever has this address. Known or not, the same is done and said: a job is put into the queue, and the
 * worker finds somebody to write to, or nobody. Past the limit nothing is sent, and nothing else is said either.
 */
export async function requestReset(emailAsTyped: string): Promise<void> {
  const email = normalizeEmail(emailAsTyped)
  if (!email) {
    const fields = { email: ['Enter an e-mail address, like ada@example.com'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  await ofAddress.consume(addressGroup(clientAddress(await headers())))
  const isTooMany = await ofEmail.consume(email).then(
    () => false,
    (error) => {
      if (error instanceof AppError && error.code === 'rate_limited') return true
      throw error
    },
  )
  await db.transaction(async (tx) => {
    const [person] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(sql`lower(${users.email})`, email), isNull(users.suspendedAt)))
    await enqueue(tx, resetMail, { userId: (!isTooMany && person?.id) || null })
  })
}

async function findReset(token: string) {
  const [found] = await db
    .select({ userId: users.id, email: users.email })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(and(isLive(resetLink.name, token), isNull(users.suspendedAt)))
  return found
}

/** Whose password the link is for, while it works. Looking changes nothing: mail programs open links by themselves. */
export async function lookAtReset(token: string): Promise<{ email: string } | null> {
  const found = await findReset(token)
  return found ? { email: found.email } : null
}

/** Sets the password with a link from a mail. Ends every session and signs nobody in: whoever has the mail proves the password next. */
export async function resetPassword(token: string, password: string): Promise<void> {
  const head = await headers()
  await ofResetting.consume(addressGroup(clientAddress(head)))
  const found = await findReset(token)
  const gone = new AppError('not_found', 'This link was used already, or is too old. Ask for another')
  if (!found) throw gone
  const problem = await passwordProblem(password, found.email)
  if (problem) throw new AppError('invalid_input', undefined, { fields: { password: [problem] } })
  const hash = await hashPassword(password)
  await db.transaction(async (tx) => {
    const [taken] = await tx.delete(tokens).where(isLive(resetLink.name, token)).returning({ userId: tokens.userId })
    if (taken?.userId !== found.userId) throw gone
    await replacePassword(tx, found.userId, hash)
    // The mail arrived: the address is theirs.
    await tx
      .update(users)
      .set({ emailVerifiedAt: sql`coalesce(${users.emailVerifiedAt}, now())` })
      .where(eq(users.id, found.userId))
    await record(tx, 'password.changed', { targetId: found.userId, from: originOf(head), details: { way: 'reset' } })
  })
}
