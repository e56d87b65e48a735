import 'server-only'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { and, desc, eq, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { addressGroup, clientAddress, originOf } from '@/core/address'
import { appName } from '@/core/app-name'
import { record } from '@/core/audit/record'
import type { Actor } from '@/core/auth/actor'
import { startSessionFor } from '@/core/auth/browser-session'
import { findChallenged, meetChallenge } from '@/core/auth/challenge'
import { requireName } from '@/core/auth/people'
import type { Session } from '@/core/auth/sessions'
import { giveTicket, takeTicket } from '@/core/auth/ticket'
import { db, type Transaction } from '@/core/db/client'
import { env } from '@/core/env'
import { AppError } from '@/core/errors'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { log } from '@/core/log'
import { inWords } from '@/core/ui/device'
import { passkeyMail } from './mails'
import { passkeys } from './schema'
import { keepAWayIn } from './ways-in'

const minutes = 60
const most = 20

const ofAddress = defineLimit('passkey_address', { points: 60, seconds: 10 * minutes })

const site = () => ({ origin: env.AUTH_URL, id: new URL(env.AUTH_URL).hostname })

/** The challenge is a ticket: this browser's own, for once, for a while. */
const newChallenge = async (purpose: 'add' | 'sign_in', userId: string | null) =>
  Buffer.from(await giveTicket(`passkey_${purpose}`, userId, 5 * minutes), 'base64url')

const text = z.string().max(8_192)

/** What a browser says; how it is meant is for the library to check. */
const credential = {
  id: text.min(1).max(1_400),
  rawId: text,
  type: z.literal('public-key'),
  authenticatorAttachment: z
    .enum(['platform', 'cross-platform'])
    .nullish()
    .transform((value) => value ?? undefined),
  // None is asked for.
  clientExtensionResults: z.unknown().transform(() => ({})),
}

export const NewPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
})

export const UsedPasskey = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish().transform((value) => value ?? undefined),
  }),
})

export function listPasskeys(userId: string) {
  return db
    .select({
      id: passkeys.id,
      name: passkeys.name,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
      transports: passkeys.transports,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(desc(passkeys.createdAt))
}

type Transports = NonNullable<PublicKeyCredentialRequestOptionsJSON['allowCredentials']>[number]['transports']

const described = (known: { id: string; transports: string[] }[]) =>
  known.map(({ id, transports }) => ({ id, transports: transports as NonNullable<Transports> }))

/** What a browser needs to make a passkey. */
export async function beginPasskey({
  id,
  email,
  name,
}: Actor): Promise<Omit<PublicKeyCredentialCreationOptionsJSON, 'extensions'>> {
  const known = await listPasskeys(id)
  if (known.length >= most) throw new AppError('conflict', `You have ${most} passkeys. Remove one first`)
  const { extensions: _, ...options } = await generateRegistrationOptions({
    rpName: appName,
    rpID: site().id,
    userID: Buffer.from(id),
    userName: email,
    userDisplayName: name,
    challenge: await newChallenge('add', id),
    attestationType: 'none',
    excludeCredentials: described(known),
    // It must be able to stand for both a name and a password.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return options
}

export async function addPasskey(userId: string, given: z.output<typeof NewPasskey>): Promise<void> {
  const ticket = await takeTicket(db, 'passkey_add')
  if (ticket?.userId !== userId) throw new AppError('conflict', 'That took too long. Try again')
  const made = await verifyRegistrationResponse({
    response: given as RegistrationResponseJSON,
    expectedChallenge: ticket.token,
    expectedOrigin: site().origin,
    expectedRPID: site().id,
    requireUserVerification: true,
  }).catch((error) => {
    log.warn({ error }, 'a passkey was not accepted')
    return null
  })
  if (!made?.verified) throw new AppError('invalid_input', 'Your browser sent a passkey that cannot be used here')
  const { id, publicKey, counter } = made.registrationInfo.credential
  const from = originOf(await headers())
  await db.transaction(async (tx) => {
    const added = await tx
      .insert(passkeys)
      .values({
        id,
        userId,
        publicKey: Buffer.from(publicKey),
        counter,
        transports: given.response.transports ?? [],
        name: inWords(from.userAgent ?? null),
      })
      .onConflictDoNothing()
      .returning({ id: passkeys.id })
    if (added.length === 0) throw new AppError('conflict', 'This passkey is here already')
    await record(tx, 'passkey.added', { actorId: userId, targetId: userId, from })
    await enqueue(tx, passkeyMail, { userId, event: 'added' })
  })
}

export async function renamePasskey(userId: string, id: string, nameAsTyped: string): Promise<void> {
  const name = requireName(nameAsTyped)
  const { rowCount } = await db
    .update(passkeys)
    .set({ name })
    .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
  if (!rowCount) throw new AppError('not_found')
}

export async function removePasskey(userId: string, id: string): Promise<void> {
  const from = originOf(await headers())
  await keepAWayIn(userId, async (tx) => {
    const removed = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
      .returning({ id: passkeys.id })
    if (removed.length === 0) throw new AppError('not_found', 'That one is gone already')
    await record(tx, 'passkey.removed', { actorId: userId, targetId: userId, from })
    await enqueue(tx, passkeyMail, { userId, event: 'removed' })
  })
}

/** What a browser needs to use one: any that it has for this site, or those of whoever owes a second step. */
export async function beginUse(
  isSecondStep: boolean,
): Promise<Omit<PublicKeyCredentialRequestOptionsJSON, 'extensions'>> {
  await ofAddress.consume(addressGroup(clientAddress(await headers())))
  const userId = isSecondStep ? await findChallenged() : null
  if (isSecondStep && !userId) throw new AppError('unauthenticated', 'Enter your password first')
  const { extensions: _, ...options } = await generateAuthenticationOptions({
    rpID: site().id,
    challenge: await newChallenge('sign_in', userId),
    allowCredentials: userId ? described(await listPasskeys(userId)) : [],
    userVerification: 'required',
  })
  return options
}

/** Checks what the browser sent, once, and returns whose passkey it is. */
async function usePasskey(tx: Transaction, given: z.output<typeof UsedPasskey>): Promise<string | null> {
  const ticket = await takeTicket(tx, 'passkey_sign_in')
  const [known] = await tx
    .select({ userId: passkeys.userId, publicKey: passkeys.publicKey, counter: passkeys.counter })
    .from(passkeys)
    .where(eq(passkeys.id, given.id))
    .for('update')
  if (!ticket || !known) return null
  const used = await verifyAuthenticationResponse({
    response: given as AuthenticationResponseJSON,
    expectedChallenge: ticket.token,
    expectedOrigin: site().origin,
    expectedRPID: site().id,
    requireUserVerification: true,
    credential: { id: given.id, publicKey: new Uint8Array(known.publicKey), counter: known.counter },
  }).catch((error) => {
    log.warn({ error }, 'a passkey was not accepted')
    return null
  })
  if (!used?.verified) return null
  await tx
    .update(passkeys)
    .set({ counter: used.authenticationInfo.newCounter, lastUsedAt: sql`now()` })
    .where(eq(passkeys.id, given.id))
  return known.userId
}

const refused = () => new AppError('invalid_credentials', 'That passkey does not open an account here')

/**
 * Signs in with a passkey alone. It is a thing that somebody has, opened by what they are or know: two proofs in one, so
 * nothing else is asked for.
 */
export async function signInWithPasskey(given: z.output<typeof UsedPasskey>): Promise<Session> {
  await ofAddress.consume(addressGroup(clientAddress(await headers())))
  const userId = await db.transaction((tx) => usePasskey(tx, given))
  if (!userId) {
    await record(db, 'signin.failed', { from: originOf(await headers()), details: { reason: 'wrong_passkey' } })
    throw refused()
  }
  return startSessionFor(userId, 'passkey')
}

/** Finishes a sign-in that began with a password. */
export function meetChallengeWithPasskey(given: z.output<typeof UsedPasskey>): Promise<Session> {
  return meetChallenge(async (tx, owed) => ((await usePasskey(tx, given)) === owed ? 'passkey' : null))
}
