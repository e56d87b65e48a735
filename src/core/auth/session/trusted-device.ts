import 'server-only'
import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { db } from '../../db/client'
import { passwords } from '../../db/schema'
import { isSigned, readCookie, setCookie, sign } from './cookies'

const year = 365 * 24 * 60 * 60

/**
 * When the password was set. It is part of the signature: a new password ends the trust, and so does "Secure my account", which
 * deletes the password. A user without one has no trusted devices, because nothing would end the trust.
 */
type PasswordChangedAt = Date | null | undefined

/** Remembers this browser as a trusted device of the user: it gets its own sign-in limits, but no access. */
export async function rememberTrustedDevice(userId: string, passwordChangedAt: PasswordChangedAt): Promise<void> {
  if (!passwordChangedAt || (await findTrustedDevice(userId, passwordChangedAt))) return
  await setCookie('device', createTrustedDevice(userId, passwordChangedAt), year)
}

/** The id of the trusted device: the user has signed in with it and has not changed the password since. */
export async function findTrustedDevice(
  userId: string | undefined,
  passwordChangedAt: PasswordChangedAt,
): Promise<string | undefined> {
  return verifyTrustedDevice(userId, passwordChangedAt, await readCookie('device'))
}

/**
 * The id of the trusted device, for callers that do not know when the password was set.
 * @public For modules that ask for a second factor.
 */
export async function findTrustedDeviceOfUser(userId: string): Promise<string | undefined> {
  if (!(await readCookie('device'))) return undefined
  const [password] = await db
    .select({ changedAt: passwords.changedAt })
    .from(passwords)
    .where(eq(passwords.userId, userId))
  return findTrustedDevice(userId, password?.changedAt)
}

const signedText = (userId: string, passwordChangedAt: Date, id: string) =>
  `${userId}:${passwordChangedAt.getTime()}:${id}`

export function createTrustedDevice(userId: string, passwordChangedAt: Date): string {
  const id = randomBytes(16).toString('base64url')
  return `${id}.${sign('device', signedText(userId, passwordChangedAt, id))}`
}

export function verifyTrustedDevice(
  userId: string | undefined,
  passwordChangedAt: PasswordChangedAt,
  value: string | undefined,
): string | undefined {
  const [id, signature, ...rest] = value?.split('.') ?? []
  if (!userId || !passwordChangedAt || !id || rest.length > 0) return undefined
  return isSigned('device', signedText(userId, passwordChangedAt, id), signature) ? id : undefined
}
