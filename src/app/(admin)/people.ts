import 'server-only'
import { and, eq, inArray, isNotNull, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { originOf } from '@/core/address'
import { record } from '@/core/audit/record'
import { keepAnAdmin } from '@/core/auth/admins'
import { deletePerson } from '@/core/auth/delete-person'
import { resetMail } from '@/core/auth/mails'
import type { Role } from '@/core/auth/policy'
import { revokeSessions } from '@/core/auth/sessions'
import { db } from '@/core/db/client'
import { sessions, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { modules } from '@/modules'

const gone = () => new AppError('not_found', 'There is nobody with that id')

const origin = async () => originOf(await headers())

/** It holds at the person's next request. */
export async function changeRole(actorId: string, userId: string, role: Role): Promise<void> {
  const from = await origin()
  await db.transaction(async (tx) => {
    if (role !== 'admin') await keepAnAdmin(tx, userId)
    const [before] = await tx.select({ role: users.role }).from(users).where(eq(users.id, userId)).for('update')
    if (!before) throw gone()
    if (before.role === role) return
    await tx.update(users).set({ role, updatedAt: sql`now()` }).where(eq(users.id, userId))
    await record(tx, 'role.changed', { actorId, targetId: userId, from, details: { from: before.role, to: role } })
  })
}

/** Those who are suspended are out at once and stay out; what is theirs stays. Returns how many were not yet. */
export async function suspend(actorId: string, userIds: string[]): Promise<number> {
  if (userIds.includes(actorId)) {
    throw new AppError('invalid_input', undefined, { fields: { ids: ['You cannot suspend yourself'] } })
  }
  const from = await origin()
  return db.transaction(async (tx) => {
    await keepAnAdmin(tx, ...userIds)
    const suspended = await tx
      .update(users)
      .set({ suspendedAt: sql`now()`, updatedAt: sql`now()` })
      .where(and(inArray(users.id, userIds), isNull(users.suspendedAt)))
      .returning({ id: users.id })
    const ids = suspended.map(({ id }) => id)
    await tx.delete(sessions).where(inArray(sessions.userId, ids))
    await record(tx, 'person.suspended', ...ids.map((targetId) => ({ actorId, targetId, from })))
    return ids.length
  })
}

export async function restore(actorId: string, userId: string): Promise<void> {
  const from = await origin()
  await db.transaction(async (tx) => {
    const [restored] = await tx
      .update(users)
      .set({ suspendedAt: null, updatedAt: sql`now()` })
      .where(and(eq(users.id, userId), isNotNull(users.suspendedAt)))
      .returning({ id: users.id })
    if (!restored) throw new AppError('not_found', 'Nobody with that id is suspended')
    await record(tx, 'person.restored', { actorId, targetId: userId, from })
  })
}

/** Ends one of somebody's sessions, or all. */
export async function endSessions(actorId: string, userId: string, only?: string): Promise<void> {
  const from = await origin()
  await db.transaction(async (tx) => {
    const count = await revokeSessions(tx, userId, only === undefined ? {} : { only })
    if (count === 0) throw new AppError('not_found', 'There is no such session any more')
    await record(tx, 'session.revoked', { actorId, targetId: userId, from, details: { count } })
  })
}

const ofPerson = defineLimit('admin_reset', { points: 5, seconds: 60 * 60 })

/** Sends somebody a link to choose another password. Nobody but them sees it. */
export async function sendReset(actorId: string, userId: string): Promise<void> {
  await ofPerson.consume(userId)
  const from = await origin()
  await db.transaction(async (tx) => {
    const [person] = await tx
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), isNull(users.suspendedAt)))
    if (!person) throw gone()
    await enqueue(tx, resetMail, { userId })
    await record(tx, 'password.reset_sent', { actorId, targetId: userId, from })
  })
}

/** For somebody who lost their second factor and has shown in another way who they are. Ends every session of theirs. */
export async function liftChallenge(actorId: string, userId: string): Promise<void> {
  const from = await origin()
  await db.transaction(async (tx) => {
    const [person] = await tx.select({ id: users.id }).from(users).where(eq(users.id, userId)).for('update')
    if (!person) throw gone()
    for (const module of modules) await module.liftChallenge?.(tx, userId, actorId)
    const count = await revokeSessions(tx, userId)
    if (count > 0) await record(tx, 'session.revoked', { actorId, targetId: userId, from, details: { count } })
  })
}

/** Deletes somebody else. Typing the address is what tells one row from the next. */
export async function remove(actorId: string, userId: string, confirmation: string): Promise<void> {
  if (userId === actorId) throw new AppError('forbidden', 'Delete your own account in your account settings')
  const [person] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  if (!person) throw gone()
  if (confirmation.trim().toLowerCase() !== person.email.toLowerCase()) {
    throw new AppError('invalid_input', undefined, { fields: { confirmation: ['Type the address of this person'] } })
  }
  await deletePerson(userId, actorId)
}
