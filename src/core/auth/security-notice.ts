import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '../db/client'
import { users } from '../db/schema'
import type { ClientInfo } from '../http/client-ip'
import { defineEmail, sampleRecipient } from '../mail/define-email'
import type { EmailContent, EmailFact } from '../mail/render-email'
import { type TimePreferences, timeFormatFor } from '../time/time-format'
import { describeUserAgent } from '../ui/user-agent'
import { createEmailLink, reportCompromiseLink, sampleEmailLink } from './tokens/email-link'
import { decrypt, encrypt } from './tokens/encrypt'

type Recipient = EmailContent['to']

/** The user as a recipient; null if there is no such user, or if they are suspended. */
export async function findRecipient(userId: string | null): Promise<Recipient | null> {
  if (!userId) return null
  const [user] = await db
    .select({
      name: users.name,
      address: users.email,
      emailVerifiedAt: users.emailVerifiedAt,
      timeZone: users.timeZone,
      locale: users.locale,
    })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.suspendedAt)))
  if (!user) return null
  const { name, address, emailVerifiedAt, ...preferences } = user
  return { ...(emailVerifiedAt && { name }), address, preferences }
}

// Jobs contain personal data only encrypted.
const decryptJson = (encrypted: string) => JSON.parse(decrypt('mail', encrypted) ?? 'null')

/**
 * Encrypts a recipient for a job, if the database will not have the name and email any more when the email is composed.
 */
export const encryptRecipient = (to: Recipient) => encrypt('mail', JSON.stringify(to))

export const EncryptedRecipient = z
  .string()
  .transform(decryptJson)
  .pipe(
    z
      .object({
        name: z.string().optional(),
        address: z.string(),
        // Jobs enqueued by the previous release have none.
        preferences: z.object({ timeZone: z.string().nullable(), locale: z.string().nullable() }).optional(),
      })
      .nullable(),
  )

const Cause = z.object({
  at: z.iso.datetime(),
  device: z.string().nullable(),
  ip: z.string().nullable(),
  isByAdmin: z.boolean(),
})
type Cause = z.infer<typeof Cause>

const EncryptedCause = z.string().transform(decryptJson).pipe(Cause.nullable())

/**
 * What caused an email, encrypted for its job: now, with the device and IP of the client. A user is not told those of an
 * admin.
 */
export function causedBy(who: ClientInfo | 'admin' | 'app'): string {
  const at = new Date().toISOString()
  const cause: Cause =
    typeof who === 'string'
      ? { at, device: null, ip: null, isByAdmin: who === 'admin' }
      : { at, device: describeUserAgent(who.userAgent), ip: who.ip, isByAdmin: false }
  return encrypt('mail', JSON.stringify(cause))
}

/** The cause in the data of a job. Jobs enqueued by the previous release have none. */
export const causeData = z.string().nullable().default(null)

/** The data of every security notice. */
export const noticeData = { userId: z.uuid(), cause: causeData }

/** Data of a notice for samples; without a cause, they show `sampleCause`. */
export const sampleNotice = { userId: '00000000-0000-0000-0000-000000000000', cause: null }

export const sampleCause: Cause = {
  at: '2026-03-14T09:26:00.000Z',
  device: 'Chrome on macOS',
  ip: '203.0.113.7',
  isByAdmin: false,
}

export const decryptCause = (cause: string | null) => (cause === null ? null : EncryptedCause.parse(cause))

/** When it happened, on which device, and from which IP. */
export function factsOf(cause: Cause | null, preferences?: TimePreferences): EmailFact[] {
  if (!cause) return []
  const { at, device, ip, isByAdmin } = cause
  return [
    { label: 'When', value: timeFormatFor(preferences).dateTime(new Date(at)) },
    ...(isByAdmin ? [{ label: 'Done by', value: 'An admin' }] : []),
    ...(device ? [{ label: 'Device', value: device }] : []),
    ...(ip ? [{ label: 'IP address', value: ip }] : []),
  ]
}

/**
 * A security notice about an account, always with a "Secure my account" link. `formerTo` is an encrypted
 * recipient: the notice goes to the former email of the account, and the link restores that email.
 */
export function defineSecurityNotice<Data extends { userId: string; cause: string | null }>(
  name: string,
  {
    data,
    write,
    samples,
  }: {
    data: z.ZodType<Data>
    write(data: Data): { subject: string; paragraphs: string[]; formerTo?: string }
    /** Data for samples, one for each text. */
    samples: NoInfer<Data>[]
  },
) {
  const contentOf = (given: Data, to: Recipient, cause: Cause | null, url: string): EmailContent => {
    const { subject, paragraphs } = write(given)
    const facts = factsOf(cause, to.preferences)
    return {
      to,
      subject,
      ...(facts.length > 0 && { preheader: facts.map(({ value }) => value).join(' · ') }),
      paragraphs,
      facts,
      closing: cause?.isByAdmin
        ? 'If you asked an admin for this, you can ignore this email.'
        : 'If this was you, you can ignore this email.',
      action: { label: 'Secure my account', url, isOutlined: true },
      notes: ['This link works once, for 7 days. It signs everyone out of your account.'],
    }
  }
  return defineEmail(name, {
    isSentOverLimit: true,
    data,
    compose: async (given) => {
      const { formerTo } = write(given)
      const former = formerTo === undefined ? null : EncryptedRecipient.parse(formerTo)
      const to = former ?? (await findRecipient(given.userId))
      if (!to) return null
      const tokenSubject = { userId: given.userId, ...(former && { email: former.address }) }
      const cause = decryptCause(given.cause)
      // From when it happened: of two changes of the email, the link of the earlier one wins, whichever email is sent first.
      const url = await createEmailLink(reportCompromiseLink, tokenSubject, { from: cause?.at })
      return contentOf(given, to, cause, url)
    },
    samples: () =>
      samples.map((sample) => contentOf(sample, sampleRecipient, sampleCause, sampleEmailLink(reportCompromiseLink))),
  })
}
