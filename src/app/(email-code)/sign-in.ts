import 'server-only'
import { eq, type SQL, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { hasStrongerReauthentication } from '@/core/auth/flows/reauthenticate'
import { startPendingSignIn } from '@/core/auth/flows/second-factor'
import { causedBy } from '@/core/auth/security-notice'
import { startSessionWithMethod } from '@/core/auth/session/browser-session'
import { rememberSignInMethod } from '@/core/auth/session/last-method'
import type { Credential } from '@/core/auth/session/start-session'
import { unchangedCredentials } from '@/core/auth/session/trusted-device'
import { hashToken } from '@/core/auth/tokens/token'
import { hasVerifiedEmail } from '@/core/auth/user/has-verified-email'
import type { Transaction } from '@/core/db/client'
import { inTransaction } from '@/core/db/in-transaction'
import { tokens, users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { type ClientInfo, clientIp, getClientInfo, ipGroup } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { defineLimit, forgiveAll } from '@/core/limits/limit'
import type { SecondFactor } from '@/core/module'
import { lockedEmail } from './emails'
import { requestCounts } from './request-code'
import {
  type EmailCodeRequest,
  emailCodeLink,
  findBrowserHash,
  lockAttempts,
  maxWrongCodes,
  selectRequest,
  toRequest,
} from './requests'
import { failures, requests } from './schema'
import { isCodeOf } from './secrets'

const useLimit = defineLimit('email_code_use_ip', { points: 60, seconds: 10 * 60, successes: 600 })

/** Wrong codes for one request. Then no code works for it any more. */
const maxFailures = 5

const unknownUserId = '00000000-0000-0000-0000-000000000000'

interface SignIn {
  /** The page to go to afterwards. */
  next: string
  /** The second factor that is required first: the email is only one factor. */
  secondFactor: SecondFactor | null
}

const expiredError = () =>
  new AppError('not_found', 'This code or link has expired or was already used. Send a new one.')

const codeError = (message: string) => new AppError('invalid_credentials', message, { fields: { code: [message] } })

const missingCodeError = () =>
  new AppError('invalid_input', undefined, { fields: { code: ['Enter the 6 digits from the email'] } })

/** Signs in with the code, in the browser that asked for it. */
export async function signInWithCode(typed: string): Promise<SignIn> {
  const code = parseCode(typed)
  if (!code) throw missingCodeError()
  const browserHash = await findBrowserHash()
  if (!browserHash) throw expiredError()
  return attempt(
    eq(requests.browserHash, browserHash),
    (request, wrongCodes) => wrongCodes < maxWrongCodes && isUsableCode(request, code),
  )
}

/**
 * Signs in with the link. In a browser other than the one that asked it also needs the code, because links leak more
 * easily than emails: into histories, and to programs that open them.
 */
export async function signInWithLink(token: string, typed: string): Promise<SignIn> {
  const code = parseCode(typed)
  const browserHash = await findBrowserHash()
  return attempt(eq(requests.linkHash, hashToken(token)), (request) => {
    if (browserHash?.equals(request.browserHash)) return true
    // Not counted: a program that opens links may also press the button.
    if (!code) throw missingCodeError()
    return isUsableCode(request, code)
  })
}

/** The six digits; null for anything else. Ignores spaces and other signs between them. */
function parseCode(typed: string): string | null {
  const digits = typed.replaceAll(/\D/g, '')
  return digits.length === 6 ? digits : null
}

const isUsableCode = (request: EmailCodeRequest, code: string) =>
  request.failures < maxFailures && isCodeOf(request, code)

type Outcome = 'expired' | 'used up' | 'wrong' | { userId: string; next: string; email: string; credential: Credential }

/**
 * Uses the request up if `isProved` accepts it, and starts a session, or returns the second factor. Everything else
 * counts as a wrong code, in the row and under its lock, so that concurrent attempts on several nodes are counted one by
 * one. The same statements run, and the same locks are taken, for unknown emails.
 */
async function attempt(
  condition: SQL,
  isProved: (request: EmailCodeRequest, wrongCodes: number) => boolean,
): Promise<SignIn> {
  const head = await headers()
  const client = getClientInfo(head)
  const ip = ipGroup(clientIp(head))
  await useLimit.consume(ip)
  const outcome = await inTransaction(async (tx): Promise<Outcome> => {
    const [row] = await selectRequest(tx, condition).for('update', { of: requests })
    if (!row) return 'expired'
    const request = toRequest(row)
    const [, wrongCodes] = await Promise.all([lockAttempts(tx, request.email), lockWrongCodes(tx, request.userId)])
    const isAccepted = isProved(request, wrongCodes)
    const { userId, email, next } = request
    if (isAccepted && userId) {
      const [unchanged] = await Promise.all([unchangedCredentials(tx, userId), consumeRequest(tx, request)])
      return { userId, next, email, credential: sql`${hasVerifiedEmail(email)} and ${unchanged}` }
    }
    if (request.failures >= maxFailures) return 'used up'
    await countWrongCode(tx, request, client)
    return 'wrong'
  })
  if (outcome === 'expired') throw expiredError()
  if (outcome === 'used up') throw codeError('Too many incorrect codes. Send a new one.')
  if (outcome === 'wrong') throw codeError('Incorrect code. Use the one from the newest email.')
  const [secondFactor] = await Promise.all([
    startSignIn(outcome),
    forgiveAll(...requestCounts(outcome.email, ip), useLimit.of(ip)),
  ])
  return { next: outcome.next, secondFactor }
}

async function startSignIn({
  userId,
  credential,
}: {
  userId: string
  credential: Credential
}): Promise<SecondFactor | null> {
  // The inbox may be open in the same unattended browser. So this does not count as a reauthentication if the user can
  // reauthenticate in another way.
  const reauthenticatedAt = (await hasStrongerReauthentication(userId)) ? new Date(0) : undefined
  const first = { credential, reauthenticatedAt }
  const secondFactor = await startPendingSignIn(userId, first)
  if (secondFactor) {
    await rememberSignInMethod(emailCodeLink.name)
    return secondFactor
  }
  await startSessionWithMethod(userId, emailCodeLink.name, first)
  return null
}

/** The wrong codes of the user so far. */
async function lockWrongCodes(tx: Transaction, userId: string | null): Promise<number> {
  const [row] = await tx
    .select({ count: failures.failures })
    .from(failures)
    .where(eq(failures.userId, userId ?? unknownUserId))
    .for('update')
  return row?.count ?? 0
}

/** Deletes the request, the token of the browser that asked, and the count of wrong codes. */
async function consumeRequest(tx: Transaction, { id, browserHash, userId }: EmailCodeRequest): Promise<void> {
  await Promise.all([
    tx.delete(requests).where(eq(requests.id, id)),
    tx.delete(tokens).where(eq(tokens.hash, browserHash)),
    tx.delete(failures).where(eq(failures.userId, userId ?? unknownUserId)),
  ])
}

async function countWrongCode(tx: Transaction, { id, userId }: EmailCodeRequest, client: ClientInfo): Promise<void> {
  await tx
    .update(requests)
    .set({ failures: sql`${requests.failures} + 1` })
    .where(eq(requests.id, id))
  const { rows } = await tx.execute<{ failures: number }>(sql`
    insert into ${failures} (user_id, failures)
    select ${users.id}, 1 from ${users} where ${users.id} = ${userId ?? unknownUserId}
    on conflict (user_id) do update set failures = ${failures.failures} + 1
    where ${failures.failures} < ${maxWrongCodes}
    returning ${failures.failures}`)
  const reason = userId ? 'wrong_code' : 'unknown'
  await recordAuditEvent(tx, 'signin.failed', { targetId: userId ?? undefined, client, details: { reason } })
  if (!userId || rows[0]?.failures !== maxWrongCodes) return
  await recordAuditEvent(tx, 'email_code.locked', { targetId: userId })
  await enqueue(tx, lockedEmail, { userId, cause: causedBy(client) })
}
