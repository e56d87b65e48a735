import 'server-only'
import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import { cookies, headers } from 'next/headers'
import type { Adapter, AdapterUser } from 'next-auth/adapters'
import { clientAddress } from '../../address'
import { db } from '../../db/client'
import { accounts, users } from '../../db/schema'
import { AppError } from '../../errors'
import { currentRequest } from '../../request'
import { normalizeEmail } from '../email'
import { normalizeName } from '../people'
import { createSessionByProvider, endSession, findSession } from '../sessions'
import { cookieOptions, csrfCookieName, hintCookieName, lifetimeOf, sessionLifetime } from '../settings'

const columns = { id: users.id, email: users.email, name: users.name, emailVerified: users.emailVerifiedAt }

const notOffered = () => {
  throw new AppError('internal', 'Auth.js asked for something that this app does not let it do')
}

/** What Auth.js may do with our tables: find, add and let in. It keeps no tokens of providers and changes nobody. */
export const adapter: Adapter = {
  getUser: async (id) => (await db.select(columns).from(users).where(eq(users.id, id)))[0] ?? null,

  // Only an address that its owner has proved counts. One that somebody merely typed must not keep the owner out.
  getUserByEmail: async (email) => {
    const isHim = and(eq(sql`lower(${users.email})`, normalizeEmail(email) ?? ''), isNotNull(users.emailVerifiedAt))
    return (await db.select(columns).from(users).where(isHim))[0] ?? null
  },

  getUserByAccount: async ({ provider, providerAccountId }) => {
    const [person] = await db
      .select(columns)
      .from(accounts)
      .innerJoin(users, eq(users.id, accounts.userId))
      .where(and(eq(accounts.provider, provider), eq(accounts.providerAccountId, providerAccountId)))
    return person ?? null
  },

  /** Person and identity at once: one without the other could never sign in again. */
  createUser: async (profile): Promise<AdapterUser> => {
    const email = normalizeEmail(profile.email)
    const identity = currentRequest()?.identity
    if (!email || !identity) throw new AppError('internal', 'A person without an address or an identity')
    const name = normalizeName(profile.name ?? '') ?? email.split('@')[0] ?? email
    return db.transaction(async (tx) => {
      // Somebody signed up with this address and never proved it was theirs. Now its owner is here.
      await tx.delete(users).where(and(eq(sql`lower(${users.email})`, email), isNull(users.emailVerifiedAt)))
      const [person] = await tx.insert(users).values({ email, name, emailVerifiedAt: sql`now()` }).returning(columns)
      if (!person) throw new AppError('internal')
      await tx.insert(accounts).values({ ...identity, userId: person.id })
      return person
    })
  },

  linkAccount: async ({ provider, providerAccountId, userId }) => {
    await db.insert(accounts).values({ provider, providerAccountId, userId }).onConflictDoNothing()
  },

  createSession: async ({ userId }) => {
    const head = await headers()
    const token = await createSessionByProvider(userId, {
      userAgent: head.get('user-agent'),
      address: clientAddress(head),
    })
    const session = token && (await findSession(token))
    if (!session) throw new AppError('forbidden')
    const jar = await cookies()
    jar.set(hintCookieName, '1', { ...cookieOptions(), maxAge: lifetimeOf(session.user.role).absolute })
    if (jar.has(csrfCookieName())) jar.set(csrfCookieName(), '', { ...cookieOptions(), httpOnly: true, maxAge: 0 })
    // Auth.js makes the cookie from this: its age is the longest one, the row decides.
    return { sessionToken: token, userId, expires: new Date(Date.now() + sessionLifetime.standard.absolute * 1000) }
  },

  // Auth.js would add the new identity to whoever is signed in. That is for the account page to ask for, not for a sign-in.
  getSessionAndUser: async () => null,

  deleteSession: async (token) => {
    await endSession(token)
    return null
  },
  updateSession: notOffered,
  updateUser: notOffered,
}
