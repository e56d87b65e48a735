import 'server-only'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '../db/client'
import { signups, users } from '../db/schema'
import { env } from '../env'
import type { Letter } from '../mail/letter'
import { defineMail } from '../mail/mail'
import { alarmLink, makeLink, resetLink, signUpLink } from './link'
import { seal, unseal } from './sealed'

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
      action: { label: 'Confirm my address', url: await makeLink(signUpLink, { signupId }) },
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
      action: { label: 'Choose a new password', url: await makeLink(resetLink, { userId }) },
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
      action: { label: 'Choose a password', url: await makeLink(resetLink, { userId }) },
      notes: [`The link works once, for 30 minutes. Later, ask for another: ${page('/forgot')}`],
    }
  },
})

/** Somebody's name and address for a job, where the database will not have them any more when the letter is written. */
export const sealRecipient = (to: Letter['to']) => seal('mail', JSON.stringify(to))

const Sealed = z
  .string()
  .transform((sealed) => JSON.parse(unseal('mail', sealed) ?? 'null'))
  .pipe(z.object({ name: z.string(), address: z.string() }).nullable())

/**
 * A mail about something that matters to the safety of somebody's account. It always holds the way to say "this was not
 * me". `formerTo` is for whoever has the address no longer: they get the mail, and can have the address back.
 */
export function defineNotice<Data extends { userId: string }>(
  name: string,
  {
    data,
    write,
  }: { data: z.ZodType<Data>; write(data: Data): { subject: string; paragraphs: string[]; formerTo?: string } },
) {
  return defineMail(name, {
    data,
    compose: async (given) => {
      const { subject, paragraphs, formerTo } = write(given)
      const former = formerTo === undefined ? null : Sealed.parse(formerTo)
      const to = former ?? (await findRecipient(given.userId))
      if (!to) return null
      const subjectOfLink = { userId: given.userId, ...(former && { email: former.address }) }
      return {
        to,
        subject,
        paragraphs: [...paragraphs, 'If this was you, there is nothing to do.'],
        action: { label: 'This was not me', url: await makeLink(alarmLink, subjectOfLink) },
        notes: ['The link works once, for a week. It signs everybody out of your account.'],
      }
    },
  })
}

export const passwordChangedMail = defineNotice('password_changed', {
  data: z.object({ userId: z.uuid() }),
  write: () => ({
    subject: 'Your password was changed',
    paragraphs: ['The password of your account was changed, and every other device was signed out.'],
  }),
})

/** The last one. */
export const deletedMail = defineMail('deleted', {
  data: z.object({ to: z.string() }),
  compose: async (given) => {
    const to = Sealed.parse(given.to)
    return (
      to && {
        to,
        subject: 'Your account was deleted',
        paragraphs: ['Your account and everything that was yours is deleted. This is the last mail to this address.'],
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

export const providerConnectedMail = defineNotice('provider_connected', {
  data: z.object({ userId: z.uuid(), provider: z.string() }),
  write: ({ provider }) => ({
    subject: `${provider} was connected to your account`,
    paragraphs: [`From now on you can sign in with ${provider}, too.`],
  }),
})
