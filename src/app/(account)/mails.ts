import 'server-only'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { type LinkPurpose, makeLink } from '@/core/auth/link'
import { defineNotice } from '@/core/auth/mails'
import { roles } from '@/core/auth/policy'
import { db } from '@/core/db/client'
import { users } from '@/core/db/schema'
import type { Job } from '@/core/jobs/job'
import { defineMail } from '@/core/mail/mail'
import { emailChanges } from './schema'

const userId = z.uuid()

const twoStepTexts = {
  on: ['Two-step sign-in is on', 'From now on, signing in to your account takes a code from your authenticator app.'],
  off: ['Two-step sign-in is off', 'From now on, nothing but your password is asked for when you sign in.'],
  codes: [
    'You have new recovery codes',
    'New recovery codes were made for your account. The old ones stopped working.',
  ],
} as const

export const twoStepMail = defineNotice('account.two_step', {
  data: z.object({ userId, event: z.enum(['on', 'off', 'codes']) }),
  write: ({ event }) => ({ subject: twoStepTexts[event][0], paragraphs: [twoStepTexts[event][1]] }),
})

export const recoveryCodeUsedMail = defineNotice('account.recovery_code_used', {
  data: z.object({ userId, left: z.int() }),
  write: ({ left }) => ({
    subject: 'A recovery code was used',
    paragraphs: [`Somebody signed in to your account with one of your recovery codes. You have ${left} left.`],
  }),
})

export const passkeyMail = defineNotice('account.passkey', {
  data: z.object({ userId, event: z.enum(['added', 'removed']) }),
  write: ({ event }) => ({
    subject: `A passkey was ${event}`,
    paragraphs: [
      event === 'added'
        ? 'From now on, a new passkey opens your account.'
        : 'A passkey was removed from your account. It opens it no more.',
    ],
  }),
})

export const disconnectedMail = defineNotice('account.disconnected', {
  data: z.object({ userId, provider: z.string() }),
  write: ({ provider }) => ({
    subject: `${provider} was disconnected from your account`,
    paragraphs: [`You can no longer sign in with ${provider}.`],
  }),
})

/** To the address that the account had before. */
export const emailChangedMail = defineNotice('account.email_changed', {
  data: z.object({ userId, formerTo: z.string() }),
  write: ({ formerTo }) => ({
    formerTo,
    subject: 'Your e-mail address was changed',
    paragraphs: ['Your account has another e-mail address now. Mails go there, and you sign in with it.'],
  }),
})

export const confirmEmailLink: LinkPurpose = {
  name: 'account.email',
  path: '/confirm-email',
  lifetime: 24 * 60 * 60,
}

/** To the address that somebody wants to have. It may be somebody else's already: they learn it here, and nobody else. */
export const confirmEmailMail = defineMail('account.confirm_email', {
  data: z.object({ userId }),
  compose: async ({ userId }) => {
    const [change] = await db
      .select({ email: emailChanges.email, name: users.name })
      .from(emailChanges)
      .innerJoin(users, eq(users.id, emailChanges.userId))
      .where(and(eq(emailChanges.userId, userId), isNull(users.suspendedAt)))
    if (!change) return null
    const [owner] = await db
      .select({ name: users.name })
      .from(users)
      .where(and(eq(sql`lower(${users.email})`, change.email), isNotNull(users.emailVerifiedAt)))
    if (owner) {
      return {
        to: { name: owner.name, address: change.email },
        subject: 'This address has an account already',
        paragraphs: [
          'Somebody, perhaps you, wants to use this address for another account. It has one already, so nothing was changed.',
        ],
        notes: ['If this was not you, there is nothing to do.'],
      }
    }
    return {
      to: { name: change.name, address: change.email },
      subject: 'Confirm your new e-mail address',
      paragraphs: ['You asked to use this address for your account. Show us that it is yours.'],
      action: { label: 'Use this address', url: await makeLink(confirmEmailLink, { userId, email: change.email }) },
      notes: ['The link works once, for 24 hours.', 'If you did not ask for this, ignore this mail. Nothing happens.'],
    }
  },
})

export const tokenMadeMail = defineNotice('account.token_made', {
  data: z.object({ userId, role: z.enum(roles), days: z.int() }),
  write: ({ role, days }) => ({
    subject: 'An API token was made',
    paragraphs: [
      `For the next ${days} days, a program that has it can act for you, as ${role}. You can revoke it in your account.`,
    ],
  }),
})

export const mails: Job[] = [
  tokenMadeMail,
  twoStepMail,
  recoveryCodeUsedMail,
  passkeyMail,
  disconnectedMail,
  confirmEmailMail,
  emailChangedMail,
]
