import 'server-only'
import { eq } from 'drizzle-orm'
import { headers } from 'next/headers'
import type { Adapter, AdapterUser } from 'next-auth/adapters'
import { db } from '../../db/client'
import { inTransaction } from '../../db/in-transaction'
import { identities, users } from '../../db/schema'
import { AppError } from '../../errors'
import { getClientInfo } from '../../http/client-ip'
import { currentRequest } from '../../http/request'
import { findReauthenticationAtProvider } from '../flows/reauthenticate'
import { findSecondFactor } from '../flows/second-factor'
import { endRequestSessions } from '../session/browser-session'
import { clearCsrfToken, setSignedInHint } from '../session/cookies'
import { rememberSignInMethod } from '../session/last-method'
import { endSession } from '../session/sessions'
import { maxSessionSeconds } from '../session/settings'
import { createSessionWithMethod } from '../session/start-session'
import { normalizeEmail } from '../user/email'
import { hasVerifiedEmail } from '../user/has-verified-email'
import { normalizeName } from '../user/name'
import { signUpUser } from '../user/sign-up'
import { findUserByIdentity, ownsIdentity } from './identity'

const columns = { id: users.id, email: users.email, name: users.name, emailVerified: users.emailVerifiedAt }

const notSupported = () => {
  throw new AppError('internal', 'Auth.js called an adapter method that is not supported')
}

/**
 * Auth.js adapter. It can find and create users and sessions, but not update users, and it stores no provider tokens.
 */
export const adapter: Adapter = {
  getUser: async (id) => (await db.select(columns).from(users).where(eq(users.id, id)))[0] ?? null,

  // Only a verified email counts. An unverified one, which anyone may have typed, must not block its owner.
  getUserByEmail: async (email) =>
    (
      await db
        .select(columns)
        .from(users)
        .where(hasVerifiedEmail(normalizeEmail(email) ?? ''))
    )[0] ?? null,

  getUserByAccount: async ({ provider, providerAccountId }) =>
    (await findUserByIdentity(provider, providerAccountId)) ?? null,

  /** Creates user and identity in one transaction: a user without the identity could never sign in. */
  createUser: async (profile): Promise<AdapterUser> => {
    const email = normalizeEmail(profile.email)
    const identity = currentRequest()?.identity
    if (!email || !identity) throw new AppError('internal', 'createUser was called without an email or an identity')
    const name = normalizeName(profile.name ?? '') ?? email.split('@')[0] ?? email
    const client = getClientInfo(await headers())
    return inTransaction(async (tx) => {
      const user = await signUpUser(tx, { email, name, method: identity.provider, client })
      if (!user) throw new AppError('conflict', 'A user with this email already exists')
      await tx.insert(identities).values({ ...identity, userId: user.id })
      return user
    })
  },

  linkAccount: async ({ provider, providerAccountId, userId }) => {
    await db.insert(identities).values({ provider, providerAccountId, userId }).onConflictDoNothing()
  },

  createSession: async ({ userId }) => {
    // A user who has just signed up needs a second factor, too. Auth.js cannot redirect from here: the user signs in
    // again.
    if (await findSecondFactor(userId)) throw new AppError('forbidden', 'A second factor is required')
    const { identity } = currentRequest() ?? {}
    const reauthenticatedAt = await findReauthenticationAtProvider(userId)
    const client = getClientInfo(await headers())
    if (!identity) throw new AppError('internal', 'createSession was called without an identity')
    const credential = ownsIdentity(userId, identity)
    const start = { userId, method: identity.provider, client, reauthenticatedAt, credential }
    const created = await createSessionWithMethod(start)
    if (!created) throw new AppError('forbidden')
    await endRequestSessions()
    await setSignedInHint(created.session.user.role)
    await rememberSignInMethod(identity.provider)
    await clearCsrfToken()
    // Auth.js sets the cookie's age from this. It is the longest possible lifetime; the database row decides.
    return { sessionToken: created.token, userId, expires: new Date(Date.now() + maxSessionSeconds * 1000) }
  },

  // Otherwise Auth.js would link the new identity to the signed-in user. That only happens on request: see connect.ts.
  getSessionAndUser: async () => null,

  deleteSession: async (token) => {
    await endSession(token, getClientInfo(await headers()))
    return null
  },
  updateSession: notSupported,
  updateUser: notSupported,
}
