import 'server-only'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { appName } from '@/brand'
import { db } from '../db/client'
import { signups, users } from '../db/schema'
import { env } from '../env'
import type { Job } from '../jobs/job'
import { defineEmail, sampleRecipient } from '../mail/define-email'
import { appUrl, type EmailContent } from '../mail/render-email'
import {
  causeData,
  decryptCause,
  defineSecurityNotice,
  EncryptedRecipient,
  factsOf,
  findRecipient,
  noticeData,
  sampleCause,
  sampleNotice,
} from './security-notice'
import { createEmailLink, resetLink, sampleEmailLink, signUpLink } from './tokens/email-link'
import { hasVerifiedEmail } from './user/has-verified-email'

// Jobs contain ids, or what is encrypted. Otherwise emails and names are read when the email is composed, so that
// deleting a user leaves none in the queue.

type Recipient = EmailContent['to']

const alreadySignedUpContent = (to: Recipient): EmailContent => ({
  to,
  subject: 'You already have an account',
  paragraphs: [
    'Someone (probably you) tried to sign up with this email, but you already have an account.',
    'Sign in as usual, or reset your password if you forgot it.',
  ],
  action: { label: 'Sign in', url: appUrl('/signin') },
  notes: [{ label: 'Reset your password', url: appUrl('/forgot') }, 'If this wasn’t you, you can ignore this email.'],
})

const verifySignUpContent = (address: string, url: string): EmailContent => ({
  to: { address },
  subject: 'Confirm your email',
  paragraphs: [`Confirm this address to activate your ${appName} account.`],
  action: { label: 'Confirm email', url },
  notes: ['This link works once and expires in 24 hours.', 'Didn’t sign up? You can ignore this email.'],
  reason: `this address was used to sign up at ${appName}`,
})

/** Sent for every sign-up. If the email already has an account, only its owner learns this, from the email. */
export const signUpEmail = defineEmail('signup', {
  data: z.object({ signupId: z.uuid() }),
  compose: async ({ signupId }) => {
    const [signup] = await db.select({ email: signups.email }).from(signups).where(eq(signups.id, signupId))
    if (!signup) return null
    const [owner] = await db.select({ name: users.name }).from(users).where(hasVerifiedEmail(signup.email))
    if (owner) return alreadySignedUpContent({ name: owner.name, address: signup.email })
    return verifySignUpContent(signup.email, await createEmailLink(signUpLink, { signupId }))
  },
  samples: () => [
    verifySignUpContent(sampleRecipient.address, sampleEmailLink(signUpLink)),
    alreadySignedUpContent(sampleRecipient),
  ],
})

const resetContent = (to: Recipient, url: string): EmailContent => ({
  to,
  subject: 'Reset your password',
  paragraphs: ['We received a request to reset your password.'],
  action: { label: 'Reset password', url },
  notes: [
    'This link works once and expires in 30 minutes.',
    'Didn’t request this? You can ignore this email. Your password won’t change.',
  ],
})

async function composeResetEmail({ userId }: { userId: string | null }): Promise<EmailContent | null> {
  const to = await findRecipient(userId)
  if (!to || !userId) return null
  return resetContent(to, await createEmailLink(resetLink, { userId }))
}

const resetSamples = () => [resetContent(sampleRecipient, sampleEmailLink(resetLink))]

/**
 * Can be requested by unauthenticated callers for any email. `userId` is null if there is no such user; nothing is
 * sent. A flood of other emails cannot keep it from the owner of the account, and of a flood of these every link works.
 */
export const resetEmail = defineEmail('reset', {
  isSentOverLimit: true,
  data: z.object({ userId: z.uuid().nullable() }),
  compose: composeResetEmail,
  samples: resetSamples,
})

/**
 * Sent by an admin. Counted apart from `resetEmail`, so that it arrives when unauthenticated callers flood the inbox.
 * @public For modules that manage users.
 */
export const resetByAdminEmail = defineEmail('reset_by_admin', {
  isSentOverLimit: true,
  data: z.object({ userId: z.uuid() }),
  compose: composeResetEmail,
  samples: resetSamples,
})

const firstAdminContent = (to: Recipient, url: string): EmailContent => ({
  to,
  subject: 'Set up your admin account',
  paragraphs: [`You’re the first admin of ${appName} at ${env.AUTH_URL}. Set a password to sign in.`],
  action: { label: 'Set password', url },
  notes: [
    'This link works once and expires in 30 minutes. After that, request a new one.',
    { label: 'Request a new link', url: appUrl('/forgot') },
  ],
})

export const firstAdminEmail = defineEmail('first_admin', {
  isSentOverLimit: true,
  data: z.object({ userId: z.uuid() }),
  compose: async ({ userId }) => {
    const to = await findRecipient(userId)
    return to && firstAdminContent(to, await createEmailLink(resetLink, { userId }))
  },
  samples: () => [firstAdminContent(sampleRecipient, sampleEmailLink(resetLink))],
})

export const passwordChangedEmail = defineSecurityNotice('password_changed', {
  data: z.object({ ...noticeData, removed: z.int().default(0) }),
  write: ({ removed }) => ({
    subject: 'Your password was changed',
    paragraphs: [
      'Your password was changed and your other sessions were signed out.',
      ...(removed > 0
        ? ['Passkeys, connected accounts and API tokens from before your account used this email were removed.']
        : []),
    ],
  }),
  samples: [
    { ...sampleNotice, removed: 0 },
    { ...sampleNotice, removed: 2 },
  ],
})

export const sessionEndedEmail = defineSecurityNotice('session_ended', {
  data: z.object(noticeData),
  write: () => ({
    subject: 'A session was signed out after 10 wrong passwords',
    paragraphs: [
      'You, or someone who was signed in to your account, entered a wrong password 10 times. We signed that session out.',
    ],
  }),
  samples: [sampleNotice],
})

/** An email to an encrypted recipient, with a text that depends on nothing else. */
const defineFixedEmail = (name: string, content: Omit<EmailContent, 'to' | 'facts'>, causeInSample = sampleCause) =>
  defineEmail(name, {
    isSentOverLimit: true,
    data: z.object({ to: z.string(), cause: causeData }),
    compose: async ({ to: encrypted, cause }) => {
      const to = EncryptedRecipient.parse(encrypted)
      return to && { ...content, to, facts: factsOf(decryptCause(cause), to.preferences) }
    },
    samples: () => [{ ...content, to: sampleRecipient, facts: factsOf(causeInSample) }],
  })

/**
 * Sent to the email that an account lost, because the owner of the former email used "Secure my account". The recipient
 * may be an attacker, so it must not tell the device and IP of the owner.
 */
export const emailRevertedEmail = defineFixedEmail(
  'email_taken_back',
  {
    subject: 'An account no longer uses this email',
    paragraphs: [
      'The owner of the account’s former email reported that they didn’t change it to this one. The account uses its former email again, and everyone was signed out.',
      'If this is your account, contact an admin.',
    ],
    reason: `an account at ${appName} used this address`,
  },
  { ...sampleCause, device: null, ip: null },
)

/** The last email to a deleted user. */
export const userDeletedEmail = defineFixedEmail('deleted', {
  subject: 'Your account was deleted',
  paragraphs: ['Your account and data have been deleted. This is the last email we’ll send you.'],
  reason: `you had an account at ${appName}`,
})

const passwordLockedContent = (
  to: Recipient,
  isEverywhere: boolean,
  facts: NonNullable<EmailContent['facts']>,
): EmailContent => ({
  to,
  subject: 'Someone is trying to guess your password',
  paragraphs: [
    isEverywhere
      ? 'There were 120 failed sign-in attempts in a row, including on devices you’ve used before. Your password no longer works.'
      : 'There were 100 failed sign-in attempts in a row. Your password now works only on devices you’ve used before.',
    ...(facts.length > 0 ? ['The last attempt:'] : []),
  ],
  facts,
  closing: 'Reset your password to sign in everywhere again.',
  action: { label: 'Reset password', url: appUrl('/forgot'), isOutlined: true },
})

/** `isEverywhere`: the password is locked on trusted devices, too. Jobs enqueued by the previous release lack it. */
export const passwordLockedEmail = defineEmail('password_locked', {
  isSentOverLimit: true,
  data: z.object({ ...noticeData, isEverywhere: z.boolean().default(false) }),
  compose: async ({ userId, isEverywhere, cause }) => {
    const to = await findRecipient(userId)
    return to && passwordLockedContent(to, isEverywhere, factsOf(decryptCause(cause), to.preferences))
  },
  samples: () =>
    [false, true].map((isEverywhere) => passwordLockedContent(sampleRecipient, isEverywhere, factsOf(sampleCause))),
})

export const providerConnectedEmail = defineSecurityNotice('provider_connected', {
  data: z.object({ ...noticeData, provider: z.string() }),
  write: ({ provider }) => ({
    subject: `${provider} was connected to your account`,
    paragraphs: [`You can now sign in with ${provider}.`],
  }),
  samples: [{ ...sampleNotice, provider: 'Google' }],
})

/** The emails of core. */
export const emails: Job[] = [
  signUpEmail,
  resetEmail,
  resetByAdminEmail,
  firstAdminEmail,
  passwordChangedEmail,
  passwordLockedEmail,
  providerConnectedEmail,
  sessionEndedEmail,
  emailRevertedEmail,
  userDeletedEmail,
]
