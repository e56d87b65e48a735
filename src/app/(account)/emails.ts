import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { appName } from '@/brand'
import { defaultRole, roleLabel, roles } from '@/core/auth/roles'
import { defineSecurityNotice, noticeData, sampleNotice } from '@/core/auth/security-notice'
import { createEmailLink, type EmailLinkPurpose, sampleEmailLink } from '@/core/auth/tokens/email-link'
import { hasVerifiedEmail } from '@/core/auth/user/has-verified-email'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import type { Job } from '@/core/jobs/job'
import { defineEmail, sampleRecipient } from '@/core/mail/define-email'
import { appUrl, type EmailContent } from '@/core/mail/render-email'
import { timeFormatFor } from '@/core/time/time-format'
import { emailChanges, totp } from './schema'

const twoFactorTexts = {
  on: ['Two-factor authentication is on', 'You’ll need a code from your authenticator app to sign in.'],
  off: ['Two-factor authentication is off', 'You’ll sign in with just your password.'],
  removed: [
    'Two-factor authentication was removed',
    'Someone used “Secure my account” in one of our emails 3 days ago, and nobody has signed in with a code since. You’ll sign in with just your password.',
  ],
  codes: [
    'New recovery codes were generated',
    'New recovery codes were generated for your account. The old ones no longer work.',
  ],
} as const

export const twoFactorEmail = defineSecurityNotice('account.two_step', {
  data: z.object({ ...noticeData, event: z.enum(['on', 'off', 'removed', 'codes']) }),
  write: ({ event }) => ({ subject: twoFactorTexts[event][0], paragraphs: [twoFactorTexts[event][1]] }),
  samples: [
    { ...sampleNotice, event: 'on' },
    { ...sampleNotice, event: 'off' },
    { ...sampleNotice, event: 'removed' },
    { ...sampleNotice, event: 'codes' },
  ],
})

function removalContent(to: EmailContent['to'], at: Date): EmailContent {
  const time = timeFormatFor(to.preferences).dateTime(at)
  return {
    to,
    subject: 'Two-factor authentication will be removed',
    preheader: `On ${time}, unless you sign in with a code before then.`,
    paragraphs: [
      'Someone used “Secure my account” in one of our emails. Two-factor authentication was set up in the 7 days before, maybe not by you.',
      `It will be removed on ${time}, unless someone signs in with a code, a recovery code or a passkey before then.`,
      'If you set it up yourself, reset your password and sign in with a code to keep it.',
    ],
    action: { label: 'Reset password', url: appUrl('/forgot'), isOutlined: true },
    notes: ['If you can’t wait, ask an admin to remove it.'],
  }
}

/** Sent when the removal is scheduled, and once more the day before. */
export const twoFactorRemovalEmail = defineEmail('account.two_step_removal', {
  isSentOverLimit: true,
  data: z.object({ userId: z.uuid(), at: z.iso.datetime() }),
  compose: async ({ userId, at }) => {
    const [user] = await db
      .select({ name: users.name, address: users.email, timeZone: users.timeZone, locale: users.locale })
      .from(totp)
      .innerJoin(users, eq(users.id, totp.userId))
      .where(and(eq(totp.userId, userId), eq(totp.removalAt, new Date(at)), isNull(users.suspendedAt)))
    if (!user) return null
    const { name, address, ...preferences } = user
    return removalContent({ name, address, preferences }, new Date(at))
  },
  samples: () => [removalContent(sampleRecipient, new Date('2026-03-17T09:26:00Z'))],
})

export const recoveryCodeUsedEmail = defineSecurityNotice('account.recovery_code_used', {
  data: z.object({ ...noticeData, left: z.int() }),
  write: ({ left }) => ({
    subject: 'A recovery code was used',
    paragraphs: [`A recovery code was used to sign in to your account. You have ${left} left.`],
  }),
  samples: [{ ...sampleNotice, left: 9 }],
})

/** Sent after several wrong codes in a row. Only a caller who has passed the first factor can enter codes. */
export const wrongCodesEmail = defineSecurityNotice('account.wrong_codes', {
  data: z.object({ ...noticeData, failures: z.int() }),
  write: ({ failures }) => ({
    subject: 'Someone may know your password',
    paragraphs: [
      `Someone entered your password, or signed in with a connected account, and then entered ${failures} wrong codes in a row. They didn’t get in.`,
      ...(failures >= 100
        ? ['Codes from your authenticator app are now locked. Sign in with a recovery code or a passkey.']
        : []),
      'If this wasn’t you, reset your password.',
    ],
  }),
  samples: [
    { ...sampleNotice, failures: 10 },
    { ...sampleNotice, failures: 100 },
  ],
})

export const passkeyEmail = defineSecurityNotice('account.passkey', {
  data: z.object({ ...noticeData, event: z.enum(['added', 'removed']) }),
  write: ({ event }) => ({
    subject: `A passkey was ${event}`,
    paragraphs: [
      event === 'added' ? 'A new passkey was added to your account.' : 'A passkey was removed from your account.',
    ],
  }),
  samples: [
    { ...sampleNotice, event: 'added' },
    { ...sampleNotice, event: 'removed' },
  ],
})

export const disconnectedEmail = defineSecurityNotice('account.disconnected', {
  data: z.object({ ...noticeData, provider: z.string() }),
  write: ({ provider }) => ({
    subject: `${provider} was disconnected from your account`,
    paragraphs: [`You can no longer sign in with ${provider}.`],
  }),
  samples: [{ ...sampleNotice, provider: 'Google' }],
})

/** Sent to the former email of the account. */
export const emailChangedEmail = defineSecurityNotice('account.email_changed', {
  data: z.object({ ...noticeData, formerTo: z.string() }),
  write: ({ formerTo }) => ({
    formerTo,
    subject: 'Your email was changed',
    paragraphs: ['Your account now uses a different email for sign-in and notifications.'],
  }),
  samples: [{ ...sampleNotice, formerTo: 'encrypted' }],
})

export const emailChangeToken: EmailLinkPurpose = {
  name: 'account.email',
  path: '/confirm-email',
  lifetimeSeconds: 24 * 60 * 60,
}

const emailTakenContent = (to: EmailContent['to']): EmailContent => ({
  to,
  subject: 'This email already has an account',
  paragraphs: [
    'Someone (maybe you) tried to use this email for another account. It already belongs to one, so nothing changed.',
  ],
  notes: ['If this wasn’t you, you can ignore this email.'],
})

const verifyNewEmailContent = (address: string, url: string): EmailContent => ({
  to: { address },
  subject: 'Confirm your new email',
  paragraphs: ['Confirm this address to use it for your account.'],
  action: { label: 'Confirm email', url },
  notes: [
    'This link works once and expires in 24 hours. Open it where you’re signed in to that account.',
    'Didn’t request this? You can ignore this email.',
  ],
  reason: `this address was entered as the new email of an account at ${appName}`,
})

/**
 * Sent to the requested email. If it belongs to another user, only this email says so: the response to the request must
 * not reveal who has an account.
 */
export const emailChangeEmail = defineEmail('account.confirm_email', {
  data: z.object({ userId: z.uuid() }),
  compose: async ({ userId }) => {
    const [change] = await db
      .select({ email: emailChanges.email })
      .from(emailChanges)
      .innerJoin(users, eq(users.id, emailChanges.userId))
      .where(and(eq(emailChanges.userId, userId), isNull(users.suspendedAt)))
    if (!change) return null
    const { email } = change
    const [owner] = await db.select({ name: users.name }).from(users).where(hasVerifiedEmail(email))
    if (owner) return emailTakenContent({ name: owner.name, address: email })
    return verifyNewEmailContent(email, await createEmailLink(emailChangeToken, { userId, email }))
  },
  samples: () => [
    verifyNewEmailContent(sampleRecipient.address, sampleEmailLink(emailChangeToken)),
    emailTakenContent(sampleRecipient),
  ],
})

export const tokenCreatedEmail = defineSecurityNotice('account.token_made', {
  data: z.object({ ...noticeData, role: z.enum(roles), days: z.int() }),
  write: ({ role, days }) => ({
    subject: 'An API token was created',
    paragraphs: [`It has the role ${roleLabel(role)} and expires in ${days} days. You can revoke it in Settings.`],
  }),
  samples: [{ ...sampleNotice, role: defaultRole, days: 30 }],
})

export const emails: Job[] = [
  tokenCreatedEmail,
  twoFactorEmail,
  twoFactorRemovalEmail,
  recoveryCodeUsedEmail,
  wrongCodesEmail,
  passkeyEmail,
  disconnectedEmail,
  emailChangeEmail,
  emailChangedEmail,
]
