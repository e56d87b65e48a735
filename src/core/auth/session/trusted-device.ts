import 'server-only'
import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { type Database, db } from '../../db/client'
import { passwords, users } from '../../db/schema'
import { isSigned, readCookie, setCookie, sign } from './cookies'

const year = 365 * 24 * 60 * 60

/**
 * When devices could last become trusted: when the password was set or "Secure my account" was used; null if neither was.
 * It is part of the signature, so a later one ends the trust.
 */
type TrustedSince = Date | null | undefined

/** The same as a column, for queries of users with their passwords. */
export const trustedSince = sql<Date | null>`greatest(${passwords.changedAt}, ${users.devicesForgottenAt})`.mapWith(
  passwords.changedAt,
)

export const selectTrustedSince = (database: Pick<Database, 'select'>, userId: string) =>
  database
    .select({ trustedSince })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(users.id, userId))

/** Remembers this browser as a trusted device of the user: it gets its own sign-in limits, but no access. */
export async function rememberTrustedDevice(userId: string, since: TrustedSince): Promise<void> {
  if (await findTrustedDevice(userId, since)) return
  await setCookie('device', createTrustedDevice(userId, since), year)
}

/** The id of the trusted device: the user has signed in with it after `since`. */
export async function findTrustedDevice(userId: string | undefined, since: TrustedSince): Promise<string | undefined> {
  return verifyTrustedDevice(userId, since, await readCookie('device'))
}

/**
 * The id of the trusted device, for callers that do not know since when devices can be trusted.
 * @public For modules that ask for a second factor.
 */
export async function findTrustedDeviceOfUser(userId: string): Promise<string | undefined> {
  if (!(await readCookie('device'))) return undefined
  const [user] = await selectTrustedSince(db, userId)
  return findTrustedDevice(userId, user?.trustedSince)
}

const signedText = (userId: string, since: TrustedSince, id: string) => `${userId}:${since?.getTime() ?? 'none'}:${id}`

export function createTrustedDevice(userId: string, since: TrustedSince): string {
  const id = randomBytes(16).toString('base64url')
  return `${id}.${sign('device', signedText(userId, since, id))}`
}

export function verifyTrustedDevice(
  userId: string | undefined,
  since: TrustedSince,
  value: string | undefined,
): string | undefined {
  const [id, signature, ...rest] = value?.split('.') ?? []
  if (!userId || !id || rest.length > 0) return undefined
  return isSigned('device', signedText(userId, since, id), signature) ? id : undefined
}
