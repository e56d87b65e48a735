import 'server-only'
import { randomBytes } from 'node:crypto'
import { and, count, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { Secret, TOTP } from 'otpauth'
import { originOf } from '@/core/address'
import { appName } from '@/core/app-name'
import { record } from '@/core/audit/record'
import { meetChallenge } from '@/core/auth/challenge'
import { seal, unseal } from '@/core/auth/sealed'
import { hashToken } from '@/core/auth/token'
import { db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import type { Challenge } from '@/core/module'
import { env } from './env'
import { recoveryCodeUsedMail, twoStepMail } from './mails'
import { recoveryCodes, totp } from './schema'

const period = 30
const howManyCodes = 10

// Whoever gets this far knows the password, or is the person: six digits must not be guessed in any time that matters.
const ofPerson = defineLimit('second_factor', { points: 5, seconds: 5 * 60 })
const ofPersonDaily = defineLimit('second_factor_day', { points: 50, seconds: 24 * 60 * 60 })

const generator = (secret: string, email = '') =>
  new TOTP({ issuer: appName, label: email, digits: 6, period, secret: Secret.fromBase32(secret) })

/** Whether somebody must show a code to sign in, since when, and how many recovery codes are left. */
export async function findTwoStep(userId: string) {
  const [row] = await db.select({ confirmedAt: totp.confirmedAt }).from(totp).where(eq(totp.userId, userId))
  const [left] = await db.select({ codes: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  return { since: row?.confirmedAt ?? null, codesLeft: left?.codes ?? 0 }
}

export async function isTwoStepOn(userId: string): Promise<boolean> {
  const found = await db
    .select({ userId: totp.userId })
    .from(totp)
    .where(and(eq(totp.userId, userId), isNotNull(totp.confirmedAt)))
  return found.length > 0
}

/** Whether it is a must for them here. */
async function isTwoStepDue(userId: string): Promise<boolean> {
  if (env.ACCOUNT_TWO_STEP !== 'admins') return env.ACCOUNT_TWO_STEP === 'everybody'
  const [person] = await db.select({ role: users.role }).from(users).where(eq(users.id, userId))
  return person?.role === 'admin'
}

/** What somebody owes besides their first proof: a code, or to set it up where it is a must. */
export async function findChallenge(userId: string): Promise<Challenge | null> {
  if (await isTwoStepOn(userId)) return { kind: 'totp', page: '/signin/second' }
  return (await isTwoStepDue(userId)) ? { kind: 'totp_setup', page: '/signin/set-up', isNew: true } : null
}

/** Makes a secret for an authenticator app. It counts for nothing until `switchOn`; another try replaces it. */
export async function prepareTwoStep(userId: string): Promise<void> {
  const secret = seal('totp', new Secret({ size: 20 }).base32)
  const made = await db
    .insert(totp)
    .values({ userId, secret })
    .onConflictDoUpdate({ target: totp.userId, set: { secret }, setWhere: isNull(totp.confirmedAt) })
    .returning({ userId: totp.userId })
  if (made.length === 0) throw new AppError('conflict', 'Two-step sign-in is on already')
}

/** What an authenticator app must be given, while that is not done. */
export async function findSetup(userId: string, email: string): Promise<{ totpKey: string; uri: string } | null> {
  const [row] = await db
    .select({ secret: totp.secret })
    .from(totp)
    .where(and(eq(totp.userId, userId), isNull(totp.confirmedAt)))
  const key = row && unseal('totp', row.secret)
  return key ? { totpKey: key, uri: generator(key, email).toString() } : null
}

/** The same for somebody who is not signed in yet. */
export async function findSetupOf(userId: string): ReturnType<typeof findSetup> {
  const [person] = await db.select({ email: users.email }).from(users).where(eq(users.id, userId))
  return person ? findSetup(userId, person.email) : null
}

/** Counts a try. Whoever is right may forget the ones before. */
export async function countCodeTry(userId: string): Promise<() => Promise<void>> {
  await ofPerson.consume(userId)
  await ofPersonDaily.consume(userId)
  return () => ofPerson.reset(userId)
}

/**
 * Whether the code is the one that the app shows now, or one step before or after; clocks differ. A code, or one older than
 * the last, never works again: whoever looked over the shoulder comes too late.
 */
async function takeCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const [row] = await tx
    .select({ secret: totp.secret, lastStep: totp.lastStep })
    .from(totp)
    .where(eq(totp.userId, userId))
    .for('update')
  const key = row && unseal('totp', row.secret)
  if (!key) return false
  const now = Date.now()
  const drift = generator(key).validate({ token: code, timestamp: now, window: 1 })
  if (drift === null) return false
  const step = Math.floor(now / 1000 / period) + drift
  if (step <= row.lastStep) return false
  // Sealed anew: when another AUTH_SECRET replaces the one of then, each code that is used moves one person over.
  await tx
    .update(totp)
    .set({ lastStep: step, secret: seal('totp', key) })
    .where(eq(totp.userId, userId))
  return true
}

const normalized = (code: string) => code.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

async function takeRecoveryCode(tx: Transaction, userId: string, code: string): Promise<boolean> {
  const used = await tx
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.hash, hashToken(normalized(code))), eq(recoveryCodes.userId, userId)))
    .returning({ userId: recoveryCodes.userId })
  if (used.length === 0) return false
  const [left] = await tx.select({ codes: count() }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await enqueue(tx, recoveryCodeUsedMail, { userId, left: left?.codes ?? 0 })
  return true
}

/** Uses up a code of the app or a recovery code; says which it was, or null. */
export async function takeAnyCode(tx: Transaction, userId: string, typed: string): Promise<string | null> {
  const digits = typed.replaceAll(/\s/g, '')
  if (/^\d{6}$/.test(digits)) return (await takeCode(tx, userId, digits)) ? 'totp' : null
  return (await takeRecoveryCode(tx, userId, typed)) ? 'recovery_code' : null
}

/** 24 letters and digits each: 118 bits, so that their hash gives nothing away. Letters that look alike are not used. */
async function replaceRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const letters = () => {
    const found: string[] = []
    while (found.length < 24) {
      // Bytes past the last whole alphabet would make its beginning likelier.
      for (const byte of randomBytes(32)) {
        const letter = byte < 248 ? alphabet[byte % 31] : undefined
        if (letter && found.length < 24) found.push(letter)
      }
    }
    return found.join('')
  }
  const codes = Array.from({ length: howManyCodes }, letters)
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, hash: hashToken(code) })))
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'))
}

const wrongCode = () =>
  new AppError('invalid_input', undefined, {
    fields: { code: ['This is not the code that the app shows now. Wait for the next one and try again'] },
  })

async function note(tx: Transaction, userId: string, event: 'on' | 'off' | 'codes', actorId = userId): Promise<void> {
  const from = originOf(await headers())
  await record(tx, `two_step.${event}`, { actorId, targetId: userId, from })
  await enqueue(tx, twoStepMail, { userId, event })
}

/** Switches it on, once a code has shown that the app has the secret. Returns the recovery codes, which are shown once. */
export async function switchOnTwoStep(userId: string, code: string): Promise<string[]> {
  const forget = await countCodeTry(userId)
  const codes = await db.transaction((tx) => switchOn(tx, userId, code))
  await forget()
  return codes
}

/** The same for somebody who owes it at sign-in: they are in when it is on. */
export async function switchOnAtSignIn(userId: string, code: string): Promise<string[]> {
  const forget = await countCodeTry(userId)
  let codes: string[] = []
  await meetChallenge(async (tx, owed) => {
    codes = await switchOn(tx, owed, code)
    return 'totp'
  })
  await forget()
  return codes
}

async function switchOn(tx: Transaction, userId: string, code: string): Promise<string[]> {
  const isRight = await takeCode(tx, userId, code.replaceAll(/\s/g, ''))
  if (!isRight) throw wrongCode()
  const on = await tx
    .update(totp)
    .set({ confirmedAt: sql`now()` })
    .where(and(eq(totp.userId, userId), isNull(totp.confirmedAt)))
    .returning({ userId: totp.userId })
  if (on.length === 0) throw new AppError('conflict', 'Two-step sign-in is on already')
  await note(tx, userId, 'on')
  return replaceRecoveryCodes(tx, userId)
}

/** New recovery codes; the old ones stop working. */
export async function renewRecoveryCodes(userId: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const [on] = await tx
      .select({ userId: totp.userId })
      .from(totp)
      .where(and(eq(totp.userId, userId), isNotNull(totp.confirmedAt)))
      .for('update')
    if (!on) throw new AppError('conflict', 'Two-step sign-in is off')
    await note(tx, userId, 'codes')
    return replaceRecoveryCodes(tx, userId)
  })
}

export async function switchOffTwoStep(userId: string): Promise<void> {
  if (await isTwoStepDue(userId)) throw new AppError('forbidden', 'Here you must sign in in two steps')
  await db.transaction((tx) => removeTwoStep(tx, userId))
}

export async function removeTwoStep(tx: Transaction, userId: string, actorId = userId): Promise<void> {
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  const [gone] = await tx.delete(totp).where(eq(totp.userId, userId)).returning({ confirmedAt: totp.confirmedAt })
  if (gone?.confirmedAt) await note(tx, userId, 'off', actorId)
}
