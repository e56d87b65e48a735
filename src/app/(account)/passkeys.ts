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
import { and, count, desc, eq, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { z } from 'zod'
import { appName } from '@/brand'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { completePendingSignIn, findPendingUserId, requirePendingUserId } from '@/core/auth/flows/second-factor'
import { causedBy } from '@/core/auth/security-notice'
import type { Actor } from '@/core/auth/session/actor'
import { startSessionWithMethod } from '@/core/auth/session/browser-session'
import { consumeBrowserToken, issueBrowserToken } from '@/core/auth/session/browser-token'
import type { Session } from '@/core/auth/session/sessions'
import { transactionAsSelf } from '@/core/auth/transaction-as'
import { requireName } from '@/core/auth/user/name'
import { db, type Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { env } from '@/core/env'
import { AppError } from '@/core/errors'
import { clientIp, getClientInfo, ipGroup } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit } from '@/core/limits/limit'
import { log } from '@/core/log'
import { describeUserAgent } from '@/core/ui/user-agent'
import { passkeyEmail } from './emails'
import { passkeys } from './schema'
import { resetWrongCodes } from './second-factor'
import { removeSignInMethod } from './sign-in-methods'
import { cancelRemoval } from './two-factor-removal'

const minutes = 60
const maxPasskeys = 20

const passkeyLimit = defineLimit('passkey_ip', { points: 60, seconds: 10 * minutes, successes: 600 })
// Autofill asks for a challenge whenever a user turns to the email field, whether they have a passkey or not. It must not use
// up the attempts of those who have one.
const autofillLimit = defineLimit('passkey_autofill_ip', { points: 600, seconds: 10 * minutes })
const callerIp = async () => ipGroup(clientIp(await headers()))

const site = () => ({ origin: env.AUTH_URL, id: new URL(env.AUTH_URL).hostname })

/** What a response of the browser must match. */
const expected = (challenge: string) => ({
  expectedChallenge: challenge,
  expectedOrigin: site().origin,
  expectedRPID: site().id,
  requireUserVerification: true,
})

/** The WebAuthn challenge is a browser token: bound to this browser, single-use and short-lived. */
const newChallenge = async (purpose: 'add' | 'sign_in' | 'autofill', userId: string | null) =>
  Buffer.from(await issueBrowserToken(`passkey_${purpose}`, userId, 5 * minutes), 'base64url')

const text = z.string().max(8_192)

/** Checks only types and sizes of what the browser sends. The WebAuthn library verifies the content. */
const credential = {
  id: text.min(1).max(1_400),
  rawId: text,
  type: z.literal('public-key'),
  authenticatorAttachment: z
    .enum(['platform', 'cross-platform'])
    .nullish()
    .transform((value) => value ?? undefined),
  // No extensions are requested.
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

const toDescriptors = (known: { id: string; transports: string[] }[]) =>
  known.map(({ id, transports }) => ({ id, transports: transports as NonNullable<Transports> }))

const tooMany = () => new AppError('conflict', `You’ve reached the limit of ${maxPasskeys} passkeys. Remove one first.`)

/** The WebAuthn options for registering a passkey. */
export async function beginPasskey({
  id,
  email,
  name,
}: Actor): Promise<Omit<PublicKeyCredentialCreationOptionsJSON, 'extensions'>> {
  const known = await listPasskeys(id)
  if (known.length >= maxPasskeys) throw tooMany()
  const { extensions: _, ...options } = await generateRegistrationOptions({
    rpName: appName,
    rpID: site().id,
    userID: Buffer.from(id),
    userName: email,
    userDisplayName: name,
    challenge: await newChallenge('add', id),
    attestationType: 'none',
    excludeCredentials: toDescriptors(known),
    // Required so that the passkey alone can identify and authenticate the user.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  return options
}

export async function addPasskey(userId: string, given: z.output<typeof NewPasskey>): Promise<void> {
  const browserToken = await consumeBrowserToken(db, 'passkey_add')
  if (browserToken?.userId !== userId) throw new AppError('conflict', 'Your request timed out. Try again.')
  const registration = await verifyRegistrationResponse({
    response: given as RegistrationResponseJSON,
    ...expected(browserToken.token),
  }).catch((error) => {
    log.warn({ error }, 'passkey registration failed')
    return null
  })
  if (!registration?.verified) throw new AppError('invalid_input', 'This passkey can’t be used here. Try another one.')
  const { id, publicKey, counter } = registration.registrationInfo.credential
  const client = getClientInfo(await headers())
  // Locks the user row, so that two passkeys added at the same time cannot exceed the limit.
  await transactionAsSelf(userId, async (tx) => {
    const [known] = await tx.select({ count: count() }).from(passkeys).where(eq(passkeys.userId, userId))
    if (known && known.count >= maxPasskeys) throw tooMany()
    const added = await tx
      .insert(passkeys)
      .values({
        id,
        userId,
        publicKey: Buffer.from(publicKey),
        counter,
        transports: given.response.transports ?? [],
        name: describeUserAgent(client.userAgent ?? null),
      })
      .onConflictDoNothing()
      .returning({ id: passkeys.id })
    if (added.length === 0) throw new AppError('conflict', 'This passkey is already in use.')
    await recordAuditEvent(tx, 'passkey.added', { actorId: userId, targetId: userId, client })
    await enqueue(tx, passkeyEmail, { userId, event: 'added', cause: causedBy(client) })
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
  const client = getClientInfo(await headers())
  await removeSignInMethod(userId, async (tx) => {
    const removed = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.id, id), eq(passkeys.userId, userId)))
      .returning({ id: passkeys.id })
    if (removed.length === 0) throw new AppError('not_found', 'That passkey no longer exists.')
    await recordAuditEvent(tx, 'passkey.removed', { actorId: userId, targetId: userId, client })
    await enqueue(tx, passkeyEmail, { userId, event: 'removed', cause: causedBy(client) })
  })
}

/**
 * The WebAuthn options for signing in: with any passkey or, as the second factor, with those of the pending user. The challenge
 * of an autofill has its own limit, and works only for `signInWithPasskey` with `isAutofill`.
 */
export async function beginPasskeySignIn({
  isSecondFactor,
  isAutofill,
}: {
  isSecondFactor: boolean
  isAutofill: boolean
}): Promise<Omit<PublicKeyCredentialRequestOptionsJSON, 'extensions'>> {
  const isForAutofill = isAutofill && !isSecondFactor
  await (isForAutofill ? autofillLimit : passkeyLimit).consume(await callerIp())
  const userId = isSecondFactor ? await findPendingUserId() : null
  if (isSecondFactor && !userId) throw new AppError('unauthenticated', 'Enter your password first.')
  const { extensions: _, ...options } = await generateAuthenticationOptions({
    rpID: site().id,
    challenge: await newChallenge(isForAutofill ? 'autofill' : 'sign_in', userId),
    allowCredentials: userId ? toDescriptors(await listPasskeys(userId)) : [],
    userVerification: 'required',
  })
  return options
}

/** Verifies the response of a passkey to a challenge, which is used up by now, and returns the id of the passkey's user. */
async function verifyPasskey(
  tx: Transaction,
  given: z.output<typeof UsedPasskey>,
  challenge: string | undefined,
): Promise<string | null> {
  const [known] = await tx
    .select({ userId: passkeys.userId, publicKey: passkeys.publicKey, counter: passkeys.counter })
    .from(passkeys)
    .where(eq(passkeys.id, given.id))
    .for('update')
  if (!challenge || !known) return null
  const authentication = await verifyAuthenticationResponse({
    response: given as AuthenticationResponseJSON,
    ...expected(challenge),
    credential: { id: given.id, publicKey: new Uint8Array(known.publicKey), counter: known.counter },
  }).catch((error) => {
    log.warn({ error }, 'passkey sign-in failed')
    return null
  })
  if (!authentication?.verified) return null
  await tx
    .update(passkeys)
    .set({ counter: authentication.authenticationInfo.newCounter, lastUsedAt: sql`now()` })
    .where(eq(passkeys.id, given.id))
  await cancelRemoval(tx, known.userId)
  return known.userId
}

const unknownPasskey = () =>
  new AppError('invalid_credentials', 'We don’t recognize this passkey. Use another sign-in method.')

const recordWrongPasskey = async (targetId?: string) =>
  recordAuditEvent(db, 'signin.failed', {
    ...(targetId && { targetId }),
    client: getClientInfo(await headers()),
    details: { reason: 'wrong_passkey' },
  })

/**
 * Signs in with a passkey alone. With user verification a passkey counts as two factors (possession, and biometrics or
 * a PIN), so no second factor is required.
 */
export async function signInWithPasskey(given: z.output<typeof UsedPasskey>, isAutofill: boolean): Promise<Session> {
  const ip = await callerIp()
  await passkeyLimit.consume(ip)
  const browserToken = await consumeBrowserToken(db, isAutofill ? 'passkey_autofill' : 'passkey_sign_in')
  const userId = await inTransaction((tx) => verifyPasskey(tx, given, browserToken?.token))
  if (!userId) {
    await recordWrongPasskey()
    throw unknownPasskey()
  }
  // One point was consumed here and, without autofill, one when the sign-in began.
  await passkeyLimit.forgive(ip)
  if (!isAutofill) await passkeyLimit.forgive(ip)
  const credential = sql`exists (select from ${passkeys} where id = ${given.id} and user_id = ${userId})`
  return startSessionWithMethod(userId, 'passkey', { credential })
}

/** Completes a pending sign-in with a passkey as the second factor. */
export async function completeSignInWithPasskey(given: z.output<typeof UsedPasskey>): Promise<Session> {
  const ip = await callerIp()
  await passkeyLimit.consume(ip)
  const userId = await requirePendingUserId()
  const browserToken = await consumeBrowserToken(db, 'passkey_sign_in')
  const check = async (tx: Transaction, pendingUserId: string) => {
    if ((await verifyPasskey(tx, given, browserToken?.token)) !== pendingUserId) return null
    await resetWrongCodes(tx, pendingUserId)
    return 'passkey'
  }
  const session = await completePendingSignIn(check, { isWholeSignIn: true }).catch(async (error) => {
    if (error instanceof AppError && error.code === 'invalid_credentials') await recordWrongPasskey(userId)
    throw error
  })
  // One point was consumed here, and one when it began.
  await passkeyLimit.forgive(ip)
  await passkeyLimit.forgive(ip)
  return session
}
