import 'server-only'
import { and, eq, gt, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { peekBrowserToken } from '@/core/auth/session/browser-token'
import type { EmailLinkPurpose } from '@/core/auth/tokens/email-link'
import { decrypt } from '@/core/auth/tokens/encrypt'
import { hashToken } from '@/core/auth/tokens/token'
import { type Database, db, type Transaction } from '@/core/db/client'
import { users } from '@/core/db/schema'
import { failures, requests } from './schema'

/** Its name is also the purpose of the browser token, and the sign-in method in the audit log. */
export const emailCodeLink: EmailLinkPurpose = {
  name: 'email_code',
  path: '/signin/email/link',
  lifetimeSeconds: 10 * 60,
}

/** After this many wrong codes, over all requests, only links work for the user, until they sign in with one. */
export const maxWrongCodes = 100

export interface EmailCodeRequest {
  id: string
  browserHash: Buffer
  linkHash: Buffer
  /** The email that was typed, normalized. */
  email: string
  next: string
  failures: number
  /** The user who can sign in with it, or null. */
  userId: string | null
}

/** The request that meets the condition and has not expired. Suspended users and unverified emails count as unknown. */
export const selectRequest = (tx: Pick<Database, 'select'>, condition: SQL) =>
  tx
    .select({
      id: requests.id,
      browserHash: requests.browserHash,
      linkHash: requests.linkHash,
      encryptedEmail: requests.email,
      next: requests.next,
      failures: requests.failures,
      userId: users.id,
      userEmail: users.email,
    })
    .from(requests)
    .leftJoin(users, and(eq(users.id, requests.userId), isNull(users.suspendedAt), isNotNull(users.emailVerifiedAt)))
    .where(and(condition, gt(requests.expiresAt, sql`now()`)))

type Row = Awaited<ReturnType<typeof selectRequest>>[number]

/** A request whose user has another email by now belongs to nobody: the code went to the former email. */
export function toRequest({ encryptedEmail, userEmail, userId, ...row }: Row): EmailCodeRequest {
  const email = decrypt(emailCodeLink.name, encryptedEmail) ?? ''
  return { ...row, email, userId: userEmail?.toLowerCase() === email ? userId : null }
}

async function findRequest(condition: SQL): Promise<EmailCodeRequest | null> {
  const [row] = await selectRequest(db, condition)
  return row ? toRequest(row) : null
}

export const findRequestById = (id: string) => findRequest(eq(requests.id, id))

/** The hash of the token in this browser's cookie, or null if it has none or it has expired. */
export async function findBrowserHash(): Promise<Buffer | null> {
  const browserToken = await peekBrowserToken(emailCodeLink.name)
  return browserToken && hashToken(browserToken.token)
}

/** The request of this browser, for the page that asks for the code. It is the same for known and unknown emails. */
export async function findOwnRequest(): Promise<{ email: string; next: string } | null> {
  const browserHash = await findBrowserHash()
  const request = browserHash && (await findRequest(eq(requests.browserHash, browserHash)))
  return request && { email: request.email, next: request.next }
}

/** What the page of a link shows. Does not use the link up, because email clients open links by themselves. */
export async function peekLink(
  token: string,
): Promise<{ email: string; isSameBrowser: boolean; isLocked: boolean } | null> {
  const request = await findRequest(eq(requests.linkHash, hashToken(token)))
  if (!request?.userId) return null
  return {
    email: request.email,
    isSameBrowser: (await findBrowserHash())?.equals(request.browserHash) ?? false,
    isLocked: await hasLockedCodes(request.userId),
  }
}

export async function hasLockedCodes(userId: string): Promise<boolean> {
  const [row] = await db.select({ count: failures.failures }).from(failures).where(eq(failures.userId, userId))
  return (row?.count ?? 0) >= maxWrongCodes
}

/**
 * Attempts for one email wait for each other until the transaction ends, whether the email has a user or not. Only a user has a
 * count of wrong codes to lock, so otherwise concurrent attempts would take longer for known emails.
 */
export async function lockAttempts(tx: Transaction, email: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`email_code ${email}`}, 0))`)
}

/**
 * The user has a new password, or reported that their account was compromised: codes that an attacker asked for before must not
 * work.
 */
export async function deleteRequestsOf(tx: Transaction, userId: string): Promise<void> {
  await tx.delete(requests).where(eq(requests.userId, userId))
}
