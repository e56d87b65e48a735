import 'server-only'
import { z } from 'zod'
import { appName } from '@/brand'
import {
  causeData,
  decryptCause,
  defineSecurityNotice,
  factsOf,
  findRecipient,
  noticeData,
  sampleCause,
  sampleNotice,
} from '@/core/auth/security-notice'
import { sampleEmailLink } from '@/core/auth/tokens/email-link'
import type { Job } from '@/core/jobs/job'
import { defineEmail, sampleRecipient } from '@/core/mail/define-email'
import { appUrl, type EmailContent, type EmailFact } from '@/core/mail/render-email'
import { emailCodeLink, findRequestById, hasLockedCodes } from './requests'
import { findSecrets } from './secrets'

const signInContent = (to: EmailContent['to'], facts: EmailFact[]) => ({
  to,
  subject: `Sign in to ${appName}`,
  facts,
})

const withCode = (content: ReturnType<typeof signInContent>, url: string, code: string): EmailContent => ({
  ...content,
  preheader: `Your code is ${code}. It works for 10 minutes.`,
  paragraphs: ['Enter this code in the browser where you asked for it, or open the link there.'],
  code,
  action: { label: 'Sign in', url },
  notes: [
    'The code and the link work once and expire in 10 minutes.',
    'Didn’t ask for this? You can ignore this email. Don’t give the code to anyone.',
  ],
})

const withoutCode = (content: ReturnType<typeof signInContent>, url: string): EmailContent => ({
  ...content,
  paragraphs: [
    'Open this link in the browser where you asked for it.',
    'There is no code, because 100 wrong ones were entered for your account. Codes work again once you have signed in.',
  ],
  action: { label: 'Sign in', url },
  notes: ['This link works once and expires in 10 minutes.', 'Didn’t ask for this? You can ignore this email.'],
})

/** Can be requested by unauthenticated callers for any email. Nothing is sent if the request has no user. */
export const codeEmail = defineEmail('email_code.code', {
  data: z.object({ requestId: z.uuid(), cause: causeData }),
  compose: async ({ requestId, cause }) => {
    const request = await findRequestById(requestId)
    const to = await findRecipient(request?.userId ?? null)
    const secrets = request && findSecrets(request)
    if (!request?.userId || !to || !secrets) return null
    const url = appUrl(`${emailCodeLink.path}?token=${secrets.linkToken}`)
    const content = signInContent(to, factsOf(decryptCause(cause), to.preferences))
    return (await hasLockedCodes(request.userId)) ? withoutCode(content, url) : withCode(content, url, secrets.code)
  },
  samples: () => {
    const content = signInContent(sampleRecipient, factsOf(sampleCause))
    const url = sampleEmailLink(emailCodeLink)
    return [withCode(content, url, '481902'), withoutCode(content, url)]
  },
})

export const lockedEmail = defineSecurityNotice('email_code.locked', {
  data: z.object(noticeData),
  write: () => ({
    subject: 'Someone is trying to guess your sign-in codes',
    paragraphs: [
      '100 wrong codes were entered for your account. From now on our sign-in emails contain only a link, which works in the browser where you asked for it.',
      'Codes work again once you have signed in with such a link. The last wrong code:',
    ],
  }),
  samples: [sampleNotice],
})

export const emails: Job[] = [codeEmail, lockedEmail]
