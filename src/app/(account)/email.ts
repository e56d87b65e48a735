import 'server-only'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import type { Actor } from '@/core/auth/actor'
import { normalizeEmail } from '@/core/auth/email'
import { isLive, resetLink } from '@/core/auth/link'
import { sealRecipient } from '@/core/auth/mails'
import { removeUnproved } from '@/core/auth/people'
import { db } from '@/core/db/client'
import { tokens, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { confirmEmailLink, confirmEmailMail, emailChangedMail } from './mails'
import { emailChanges } from './schema'

const ofPerson = defineLimit('email_change', { points: 5, seconds: 60 * 60 })

/**
 * Somebody wants another address. A link goes there; whether somebody else has it already is for whoever reads the mail to
 * learn, and for nobody else.
 */
export async function requestEmailChange(actor: Actor, emailAsTyped: string): Promise<string> {
  const email = normalizeEmail(emailAsTyped)
  const fields = { email: [email ? 'This is the address you have' : 'Enter an e-mail address, like ada@example.com'] }
  if (!email || email === actor.email.toLowerCase()) throw new AppError('invalid_input', undefined, { fields })
  await ofPerson.consume(actor.id)
  await db.transaction(async (tx) => {
    await tx
      .insert(emailChanges)
      .values({ userId: actor.id, email })
      .onConflictDoUpdate({ target: emailChanges.userId, set: { email, createdAt: sql`now()` } })
    await enqueue(tx, confirmEmailMail, { userId: actor.id })
    const from = originOf(await headers())
    await record(tx, 'email.change_requested', { actorId: actor.id, targetId: actor.id, from })
  })
  return email
}

/** The address that waits to be confirmed. */
export async function findPendingEmail(userId: string): Promise<string | null> {
  const [pending] = await db
    .select({ email: emailChanges.email })
    .from(emailChanges)
    .where(and(eq(emailChanges.userId, userId), sql`${emailChanges.createdAt} > now() - interval '1 day'`))
  return pending?.email ?? null
}

export async function cancelEmailChange(userId: string): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
    await tx.delete(tokens).where(and(eq(tokens.userId, userId), eq(tokens.purpose, confirmEmailLink.name)))
  })
}

/** What the page behind the link shows. Looking changes nothing. */
export async function lookAtEmailChange(token: string): Promise<{ former: string; email: string } | null> {
  const [found] = await db
    .select({ former: users.email, email: tokens.email })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(isLive(confirmEmailLink.name, token))
  return found?.email ? { former: found.former, email: found.email } : null
}

/**
 * Gives the account the address that the link was sent to, whatever was asked for since. Links that were sent to the former
 * address are dead; its owner is told there, and can have it back.
 */
export async function confirmEmailChange(token: string): Promise<{ email: string }> {
  const from = originOf(await headers())
  return db.transaction(async (tx) => {
    // The person first: of two links at once, the second waits here, and then finds that it is dead.
    const [former] = await tx
      .select({ id: users.id, name: users.name, email: users.email })
      .from(users)
      .innerJoin(tokens, eq(tokens.userId, users.id))
      .where(isLive(confirmEmailLink.name, token))
      .for('update', { of: users })
    const [taken] = await tx
      .delete(tokens)
      .where(isLive(confirmEmailLink.name, token))
      .returning({ email: tokens.email })
    if (!former || !taken?.email)
      throw new AppError('not_found', 'This link was used already, or is too old. Ask for another')
    const { id: userId } = former
    const { email } = taken
    await removeUnproved(tx, email)
    const [other] = await tx
      .select({ id: users.id })
      .from(users)
      .where(eq(sql`lower(${users.email})`, email))
    if (other) throw new AppError('conflict', 'Somebody else has this address by now')
    await tx
      .update(users)
      .set({ email, emailVerifiedAt: sql`now()`, updatedAt: sql`now()` })
      .where(eq(users.id, userId))
    await tx.delete(emailChanges).where(eq(emailChanges.userId, userId))
    const dead = [resetLink.name, confirmEmailLink.name]
    await tx.delete(tokens).where(and(eq(tokens.userId, userId), inArray(tokens.purpose, dead)))
    const formerTo = sealRecipient({ name: former.name, address: former.email })
    await enqueue(tx, emailChangedMail, { userId, formerTo })
    await record(tx, 'email.changed', { actorId: userId, targetId: userId, from })
    return { email }
  })
}
