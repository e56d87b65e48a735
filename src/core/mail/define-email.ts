import 'server-only'
import { SpanKind } from '@opentelemetry/api'
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer'
import type { z } from 'zod'
import { appName } from '@/brand'
import { env } from '../env'
import { defineJob, type Job, type JobFor } from '../jobs/job'
import { defineLimit } from '../limits/limit'
import { log } from '../log'
import { inSpan } from '../telemetry/span'
import { timeoutMs } from '../timeout'
import { type EmailContent, renderEmailHtml, renderEmailText } from './render-email'

let transport: Transporter | undefined

function createSmtpTransport(): Transporter {
  return createTransport({
    url: env.SMTP_URL,
    pool: true,
    maxConnections: 4,
    // A mail server that accepts connections but does not respond must not block the worker.
    connectionTimeout: timeoutMs(5_000),
    greetingTimeout: timeoutMs(5_000),
    socketTimeout: timeoutMs(15_000),
    // Emails contain only text: never read files or URLs.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

// Limited here, because every email is sent from here, whatever caused it.
const recipientLimit = defineLimit('mail_recipient', { points: 10, seconds: 60 * 60 })
// Not longer than a link to reset the password works: either there is one in the inbox, or another can be sent.
const subjectLimit = defineLimit('mail_subject', { points: 3, seconds: 30 * 60 })

interface EmailDefinition<Data> {
  data: z.ZodType<Data>
  compose(data: Data): Promise<EmailContent | null>
  /** Examples of the email, one for each text that it can have. Shown at /dev/emails and checked by a test. */
  samples(): EmailContent[]
  /**
   * Sent even when the recipient's limit is reached, three in half an hour of each kind and subject. For what the recipient must be
   * able to rely on: notices about their own account, links to reset the password, and what admins of the app send. No
   * other user may choose text of the subject, because each subject has a count.
   */
  isSentOverLimit?: boolean
}

/** A kind of email: the job that sends it, with its samples. */
interface EmailJob<Data> extends JobFor<Data> {
  samples(): EmailContent[]
  isSentOverLimit: boolean
}

export const isEmail = (job: Job): job is EmailJob<unknown> => 'samples' in job

/** The recipient of samples. */
export const sampleRecipient = { name: 'Ada Lovelace', address: 'ada@example.com' }

/**
 * Defines a kind of email. `compose` runs when the email is about to be sent, with the data of that moment; it returns
 * null if there is no recipient any more. Send one with `enqueue`, in the transaction that causes it.
 *
 * An email is retried until the mail server accepts it. If the worker crashes after that but before the job is marked
 * as done, it is sent twice; both copies have the same Message-ID, so email clients can recognize the duplicate.
 */
export function defineEmail<Data>(
  name: string,
  { data, compose, samples, isSentOverLimit = false }: EmailDefinition<Data>,
): EmailJob<Data> {
  const job = defineJob(`mail.${name}`, {
    data,
    run: async (jobData, { id, isRetry }) => {
      const content = await compose(jobData)
      // Count only the first attempt: retries while the mail server is down must not use up the limit.
      const isSent = content !== null && (isRetry || (await isWithinLimits(name, content, isSentOverLimit)))
      if (isSent) await inSpan(`send ${name}`, { kind: SpanKind.CLIENT }, () => send(content, id))
      log.info({ mail: name, isSent, ...(content && !isSent && { isOverLimit: true }) }, 'email processed')
    },
  })
  return { ...job, samples, isSentOverLimit }
}

/** All emails to one recipient share a limit. A flood cannot suppress those that are also sent over the limit. */
async function isWithinLimits(kind: string, { to, subject }: EmailContent, isSentOverLimit: boolean): Promise<boolean> {
  const email = to.address.toLowerCase()
  if (await recipientLimit.tryConsume(email)) return true
  return isSentOverLimit && subjectLimit.tryConsume(`${email} ${kind} ${subject}`)
}

/** Prevents header injection: user input must not contain line breaks. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

/**
 * The server rejects this recipient or content permanently. Other errors, such as a wrong SMTP password, can be fixed.
 */
const isPermanentRejection = ({ permanent, command }: NodemailerError) =>
  permanent === true && (command === 'RCPT TO' || command === 'DATA')

async function send(content: EmailContent, id: string): Promise<void> {
  transport ??= createSmtpTransport()
  const sending = transport.sendMail({
    messageId: `<${id}@${new URL(env.AUTH_URL).hostname}>`,
    from: { name: appName, address: env.MAIL_FROM },
    // As an object, so that a name that looks like one or two emails is not parsed as recipients.
    to: { name: oneLine(content.to.name ?? ''), address: content.to.address },
    subject: oneLine(content.subject),
    text: renderEmailText(content),
    html: renderEmailHtml(content),
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
  await sending.catch((error: NodemailerError) => {
    if (!isPermanentRejection(error)) throw error
    log.warn({ responseCode: error.responseCode }, 'mail server rejected an email permanently; not retrying')
  })
}
