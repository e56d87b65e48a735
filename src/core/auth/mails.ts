import 'server-only'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '../db/client'
import { signups, users } from '../db/schema'
import { env } from '../env'
import { defineMail } from '../mail/mail'
import { makeLink } from './link'

// Jobs hold ids only: addresses and names are read when the letter is written, and go with the person.

const page = (path: string) => new URL(path, env.AUTH_URL).href

async function findRecipient(userId: string | null) {
  if (!userId) return null
  const [person] = await db
    .select({ name: users.name, address: users.email })
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.suspendedAt)))
  return person ?? null
}

/** To whoever typed an address to join with. Its owner may have an account already: they learn it here, and nobody else. */
export const signUpMail = defineMail('signup', {
  data: z.object({ signupId: z.uuid() }),
  compose: async ({ signupId }) => {
    const [signup] = await db
      .select({ email: signups.email, name: signups.name })
      .from(signups)
      .where(eq(signups.id, signupId))
    if (!signup) return null
    const [owner] = await db
      .select({ name: users.name })
      .from(users)
      .where(and(eq(sql`lower(${users.email})`, signup.email), isNotNull(users.emailVerifiedAt)))
    if (owner) {
      return {
        to: { name: owner.name, address: signup.email },
        subject: 'You already have an account',
        paragraphs: [
          'Somebody, probably you, tried to create an account with this address. You already have one, so nothing was changed.',
          'Sign in the way you did before. If you do not know your password any more, choose a new one.',
        ],
        action: { label: 'Sign in', url: page('/signin') },
        notes: [`Choose a new password: ${page('/forgot')}`, 'If this was not you, there is nothing to do.'],
      }
    }
    return {
      to: { name: signup.name, address: signup.email },
      subject: 'Confirm your e-mail address',
      paragraphs: ['One step is left: show us that this address is yours.'],
      action: { label: 'Confirm my address', url: await makeLink('signup', { signupId }) },
      notes: [
        'The link works once, for 24 hours.',
        'If you did not ask for an account, ignore this mail. Nothing happens without you.',
      ],
    }
  },
})

/** Asked for by anybody who types an address: nobody is behind `null`, and nothing is sent. */
export const resetMail = defineMail('reset', {
  data: z.object({ userId: z.uuid().nullable() }),
  compose: async ({ userId }) => {
    const to = await findRecipient(userId)
    if (!to || !userId) return null
    return {
      to,
      subject: 'Choose a new password',
      paragraphs: ['Somebody, probably you, asked for a new password for your account.'],
      action: { label: 'Choose a new password', url: await makeLink('reset', { userId }) },
      notes: [
        'The link works once, for 30 minutes.',
        'If this was not you, ignore this mail. Your password stays as it is.',
      ],
    }
  },
})

export const firstAdminMail = defineMail('first_admin', {
  data: z.object({ userId: z.uuid() }),
  compose: async ({ userId }) => {
    const to = await findRecipient(userId)
    if (!to) return null
    return {
      to,
      subject: 'You are the admin',
      paragraphs: [
        `The app at ${env.AUTH_URL} has just started, and you are its first admin. Choose a password to sign in.`,
      ],
      action: { label: 'Choose a password', url: await makeLink('reset', { userId }) },
      notes: [`The link works once, for 30 minutes. Later, ask for another: ${page('/forgot')}`],
    }
  },
})

export const passwordChangedMail = defineMail('password_changed', {
  data: z.object({ userId: z.uuid() }),
  compose: async ({ userId }) => {
    const to = await findRecipient(userId)
    return (
      to && {
        to,
        subject: 'Your password was changed',
        paragraphs: ['The password of your account was changed, and you were signed out everywhere.'],
        notes: [`If this was not you, choose a new one at once: ${page('/forgot')}`],
      }
    )
  },
})

export const passwordLockedMail = defineMail('password_locked', {
  data: z.object({ userId: z.uuid() }),
  compose: async ({ userId }) => {
    const to = await findRecipient(userId)
    if (!to) return null
    return {
      to,
      subject: 'Somebody is trying to guess your password',
      paragraphs: [
        'Your password was tried wrongly 100 times in a row. From now on it opens your account only where you have signed in before.',
        'Choose a new password to sign in everywhere again.',
      ],
      action: { label: 'Choose a new password', url: page('/forgot') },
    }
  },
})

export const providerConnectedMail = defineMail('provider_connected', {
  data: z.object({ userId: z.uuid(), provider: z.string() }),
  compose: async ({ userId, provider }) => {
    const to = await findRecipient(userId)
    return (
      to && {
        to,
        subject: `${provider} was connected to your account`,
        paragraphs: [`From now on you can sign in with ${provider}, too.`],
        notes: [`If this was not you, choose a new password at once: ${page('/forgot')}`],
      }
    )
  },
})
