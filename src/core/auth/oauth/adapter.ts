import 'server-only'
import { and, eq, isNotNull, sql } from 'drizzle-orm'
import { headers } from 'next/headers'
import type { Adapter, AdapterUser } from 'next-auth/adapters'
import { originOf } from '../../address'
import { db } from '../../db/client'
import { accounts, users } from '../../db/schema'
import { AppError } from '../../errors'
import { currentRequest } from '../../request'
import { hintSignedIn, renewFormToken } from '../browser'
import { findChallenge } from '../challenge'
import { normalizeEmail } from '../email'
import { join } from '../joining'
import { normalizeName } from '../people'
import { createSessionFor, endSession, findSession } from '../sessions'
import { sessionLifetime } from '../settings'
import { findByIdentity } from './identity'

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

  getUserByAccount: async ({ provider, providerAccountId }) =>
    (await findByIdentity(provider, providerAccountId)) ?? null,

  /** Person and identity at once: one without the other could never sign in again. */
  createUser: async (profile): Promise<AdapterUser> => {
    const email = normalizeEmail(profile.email)
    const identity = currentRequest()?.identity
    if (!email || !identity) throw new AppError('internal', 'A person without an address or an identity')
    const name = normalizeName(profile.name ?? '') ?? email.split('@')[0] ?? email
    const from = originOf(await headers())
    return db.transaction(async (tx) => {
      const person = await join(tx, { email, name, way: identity.provider, from })
      if (!person) throw new AppError('conflict', 'Somebody has that address already')
      await tx.insert(accounts).values({ ...identity, userId: person.id })
      return person
    })
  },

  linkAccount: async ({ provider, providerAccountId, userId }) => {
    await db.insert(accounts).values({ provider, providerAccountId, userId }).onConflictDoNothing()
  },

  createSession: async ({ userId }) => {
    // Somebody who has just joined owes it as well, and Auth.js leads nowhere else from here: they sign in once more.
    if (await findChallenge(userId)) throw new AppError('forbidden', 'A second step is owed')
    const identity = currentRequest()?.identity
    const token = identity && (await createSessionFor(userId, identity.provider, originOf(await headers())))
    const session = token && (await findSession(token))
    if (!session) throw new AppError('forbidden')
    await hintSignedIn(session.user.role)
    await renewFormToken()
    // Auth.js makes the cookie from this: its age is the longest one, the row decides.
    return { sessionToken: token, userId, expires: new Date(Date.now() + sessionLifetime.standard.absolute * 1000) }
  },

  // Auth.js would add the new identity to whoever is signed in. That happens only when they ask for it: see connect.ts.
  getSessionAndUser: async () => null,

  deleteSession: async (token) => {
    await endSession(token, originOf(await headers()))
    return null
  },
  updateSession: notOffered,
  updateUser: notOffered,
}
