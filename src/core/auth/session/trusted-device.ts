import 'server-only'
import { randomBytes } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { type Database, db } from '../../db/client'
import { passwords, users } from '../../db/schema'
import { isSigned, readCookie, setCookie, sign } from './cookies'
import type { Credential } from './start-session'

const year = 365 * 24 * 60 * 60

/**
 * When devices could last become trusted: when the password was set or "Secure my account" was used; null if neither was.
 * It is part of the signature, so a later one ends the trust.
 */
export type TrustedSince = Date | null | undefined

/** When devices could last become trusted, as a column for queries of users with their passwords. */
export const trustedSince = sql<Date | null>`greatest(${passwords.changedAt}, ${users.devicesForgottenAt})`.mapWith(
  passwords.changedAt,
)

export const selectTrustedSince = (database: Pick<Database, 'select'>, userId: string) =>
  database
    .select({ trustedSince, failures: passwords.failures })
    .from(users)
    .leftJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(users.id, userId))

/**
 * A condition on `users` that holds until the password is set or "Secure my account" is used: for a credential that leaves no
 * row once it was used.
 * @public For modules that add a sign-in method.
 */
export async function unchangedCredentials(tx: Pick<Database, 'select'>, userId: string): Promise<Credential> {
  // As text, which has the microseconds of the database.
  const changedAt = sql`(select changed_at from ${passwords} where user_id = ${users.id})`
  const lastChange = sql<string | null>`greatest(${changedAt}, ${users.devicesForgottenAt})::text`
  const [now] = await tx.select({ lastChange }).from(users).where(eq(users.id, userId))
  return sql`${lastChange} is not distinct from ${now?.lastChange ?? null}::text`
}

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
