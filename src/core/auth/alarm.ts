import 'server-only'
import { and, eq, gt, lt, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { modules } from '@/modules'
import { addressGroup, clientAddress, originOf } from '../address'
import { record } from '../audit/record'
import { db } from '../db/client'
import { accounts, passwords, tokens, users } from '../db/schema'
import { AppError } from '../errors'
import { defineLimit } from '../limits/limit'
import { alarmLink, isLive } from './link'
import { revokeSessions } from './sessions'

const ofAddress = defineLimit('alarm_address', { points: 30, seconds: 60 * 60 })

/** Whose account it is, and which address it had before; while the link works. Looking changes nothing. */
export async function lookAtAlarm(token: string): Promise<{ email: string; formerEmail: string | null } | null> {
  const [found] = await db
    .select({ email: users.email, formerEmail: tokens.email })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(isLive(alarmLink.name, token))
  return found ?? null
}

/**
 * "This was not me": whoever else is in the account is out. Every session ends, the password and later links go, and so do
 * the ways in that were added since such a mail can have been sent. Returns the address to ask for a new password with.
 */
export async function raiseAlarm(token: string): Promise<{ email: string }> {
  const head = await headers()
  await ofAddress.consume(addressGroup(clientAddress(head)))
  const since = new Date(Date.now() - alarmLink.lifetime * 1000)
  return db.transaction(async (tx) => {
    const [alarm] = await tx
      .delete(tokens)
      .where(isLive(alarmLink.name, token))
      .returning({ userId: tokens.userId, formerEmail: tokens.email, expiresAt: tokens.expiresAt })
    if (!alarm?.userId) throw new AppError('not_found', 'This link was used already, or is too old')
    const { userId, formerEmail, expiresAt } = alarm
    await tx.delete(passwords).where(eq(passwords.userId, userId))
    await revokeSessions(tx, userId)
    // Alarms from before this one stay. A stranger who has changed the address twice has got one, too; the owner's is older.
    const isEarlierAlarm = and(eq(tokens.purpose, alarmLink.name), lt(tokens.expiresAt, expiresAt))
    await tx.delete(tokens).where(and(eq(tokens.userId, userId), sql`not (${isEarlierAlarm})`))
    await tx.delete(accounts).where(and(eq(accounts.userId, userId), gt(accounts.createdAt, since)))
    for (const module of modules) await module.revoke?.(tx, userId, since)
    // Whoever has it by now has shown that it is theirs, so it is the same person.
    const taken = formerEmail
      ? await tx
          .select({ id: users.id })
          .from(users)
          .where(eq(sql`lower(${users.email})`, formerEmail.toLowerCase()))
      : []
    const restored = taken.length === 0 ? formerEmail : null
    const [person] = await tx
      .update(users)
      .set({ updatedAt: sql`now()`, ...(restored && { email: restored }) })
      .where(eq(users.id, userId))
      .returning({ email: users.email })
    if (!person) throw new AppError('not_found')
    const details = { isAddressRestored: restored !== null }
    await record(tx, 'alarm.raised', { targetId: userId, from: originOf(head), details })
    return person
  })
}
