import 'server-only'
import { SpanKind } from '@opentelemetry/api'
import { createTransport, type Transporter } from 'nodemailer'
import type { z } from 'zod'
import { appName } from '../app-name'
import { env } from '../env'
import { defineJob, type JobFor } from '../jobs/job'
import { log } from '../log'
import { inSpan } from '../telemetry/span'
import { type Letter, toHtml, toText } from './letter'

const seconds = 1_000

let transport: Transporter | undefined

function open(): Transporter {
  return createTransport({
    url: env.SMTP_URL,
    pool: true,
    maxConnections: 4,
    // A server that accepts and says nothing must not keep the worker.
    connectionTimeout: 5 * seconds,
    greetingTimeout: 5 * seconds,
    socketTimeout: 15 * seconds,
    // A letter is text: nothing is fetched or read from disk for it.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * A kind of mail. `compose` writes the letter when it is about to be sent, with what is true then, or returns null when
 * there is nobody to send it to any more. Send one with `enqueue`, in the transaction that is its cause.
 *
 * A mail is tried until the server takes it, and then no more. Between the server's yes and our note of it a crash can
 * send it a second time; both copies then have one Message-ID, by which mail programs know them for one.
 */
export function defineMail<Data>(
  name: string,
  { data, compose }: { data: z.ZodType<Data>; compose(data: Data): Promise<Letter | null> },
): JobFor<Data> {
  return defineJob(`mail.${name}`, {
    data,
    run: async (given, { id }) => {
      const letter = await compose(given)
      if (letter) await inSpan(`send ${name}`, { kind: SpanKind.CLIENT }, () => send(letter, id))
      log.info({ mail: name, isSent: letter !== null }, 'mail')
    },
  })
}

/** Headers are lines: nothing that a person chose may begin another. */
const oneLine = (text: string) => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()

async function send(letter: Letter, id: string): Promise<void> {
  transport ??= open()
  await transport.sendMail({
    messageId: `<${id}@${new URL(env.AUTH_URL).hostname}>`,
    from: { name: appName, address: env.MAIL_FROM },
    // As an object: a name that looks like an address, or like two, stays a name.
    to: { name: oneLine(letter.to.name), address: letter.to.address },
    subject: oneLine(letter.subject),
    text: toText(letter),
    html: toHtml(letter),
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
