import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import { recordAuditEvent } from '@/core/audit/record-audit-event'
import { hideDuration } from '@/core/auth/flows/hide-duration'
import { causedBy } from '@/core/auth/security-notice'
import { consumeBrowserToken, hasBrowserToken, issueBrowserToken } from '@/core/auth/session/browser-token'
import { encrypt } from '@/core/auth/tokens/encrypt'
import { hashToken } from '@/core/auth/tokens/token'
import { normalizeEmail } from '@/core/auth/user/email'
import { hasVerifiedEmail } from '@/core/auth/user/has-verified-email'
import { inTransaction } from '@/core/db/in-transaction'
import { users } from '@/core/db/schema'
import { AppError } from '@/core/errors'
import { clientIp, getClientInfo, ipGroup } from '@/core/http/client-ip'
import { enqueue } from '@/core/jobs/queue'
import { consumeAll, defineLimit, silent } from '@/core/limits/limit'
import { codeEmail } from './emails'
import { emailCodeLink } from './requests'
import { requests } from './schema'
import { newSecrets } from './secrets'

// A successful sign-in gives its points back: a whole office may sign in behind one IP.
const ipLimit = defineLimit('email_code_ip', { points: 60, seconds: 60 * 60, successes: 600 })
const emailAndIpLimit = defineLimit('email_code_pair', { points: 5, seconds: 60 * 60 })
/** Fewer than the ten emails an hour that reach an inbox, so that others still arrive. */
const recipientLimit = defineLimit('email_code_recipient', { points: 8, seconds: 60 * 60 })

const { name: purpose, lifetimeSeconds } = emailCodeLink

/**
 * Sends a code and a link to the user with this email. Does the same work for an unknown email, so that the response
 * does not reveal it: a job is enqueued, and the worker sends nothing. Over the limit it sends nothing either. Of one
 * browser, only the newest code works. Requests of other browsers do not end it: anyone may ask for any email.
 */
export async function requestCode(emailAsTyped: string, next: string): Promise<void> {
  const email = normalizeEmail(emailAsTyped)
  if (!email) {
    const fields = { email: ['Enter a valid email, like ada@example.com'] }
    throw new AppError('invalid_input', undefined, { fields })
  }
  const head = await headers()
  const client = getClientInfo(head)
  const ip = ipGroup(clientIp(head))
  const isWithinLimits = await consumeAll(
    ipLimit.of(ip),
    silent(emailAndIpLimit.of(`${email} ${ip}`)),
    silent(recipientLimit.of(email)),
  )
  await deleteOwnRequest()
  const browserHash = hashToken(await issueBrowserToken(purpose, null, lifetimeSeconds))
  await hideDuration(() =>
    inTransaction(async (tx) => {
      const [user] = await tx
        .select({ id: users.id })
        .from(users)
        .where(and(hasVerifiedEmail(email), isNull(users.suspendedAt)))
        .for('key share')
      const id = crypto.randomUUID()
      const details = { isKnown: user !== undefined }
      await Promise.all([
        tx.insert(requests).values({
          id,
          userId: (isWithinLimits && user?.id) || null,
          browserHash,
          linkHash: hashToken(newSecrets(id).linkToken),
          email: encrypt(purpose, email),
          next,
          expiresAt: sql`now() + make_interval(secs => ${lifetimeSeconds})`,
        }),
        recordAuditEvent(tx, 'email_code.requested', { targetId: user?.id, client, details }),
        enqueue(tx, codeEmail, { requestId: id, cause: causedBy(client) }),
      ])
    }),
  )
}

/** Deletes the earlier request of this browser, so that its code and link stop working. */
async function deleteOwnRequest(): Promise<void> {
  if (!(await hasBrowserToken(purpose))) return
  await inTransaction(async (tx) => {
    const earlier = await consumeBrowserToken(tx, purpose)
    if (earlier) await tx.delete(requests).where(eq(requests.browserHash, hashToken(earlier.token)))
  })
}

/** To forgive after a successful sign-in: requests of third parties must not keep the owner from getting the next code. */
export const requestCounts = (email: string, ip: string) => [
  ipLimit.of(ip),
  emailAndIpLimit.of(`${email} ${ip}`),
  recipientLimit.of(email),
]
