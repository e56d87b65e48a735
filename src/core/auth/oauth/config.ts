import 'server-only'
import NextAuth, { customFetch, type NextAuthConfig } from 'next-auth'
import { env } from '../../env'
import { currentRequest } from '../../http/request'
import { log } from '../../log'
import { timeoutMs } from '../../timeout'
import { findReauthenticationAtProvider } from '../flows/reauthenticate'
import { returnPath } from '../flows/return-path'
import { secondFactorPath, startPendingSignIn } from '../flows/second-factor'
import { readCookie } from '../session/cookies'
import { rememberSignInMethod } from '../session/last-method'
import { cookieName, cookieOptions, maxSessionSeconds } from '../session/settings'
import { normalizeEmail } from '../user/email'
import { maySignUp } from '../user/sign-up'
import { adapter } from './adapter'
import { connectIfRequested } from './connect'
import type { Provider, ProviderProfile } from './define-provider'
import { authenticationTime, readIdToken } from './id-token'
import { findUserByIdentity, type Identity, ownsIdentity } from './identity'
import { limitStarts } from './provider-limits'
import { configuredProviders, findConfiguredProvider } from './providers'

/** Requests to a provider time out after 5 seconds and follow no redirects. */
const providerFetch: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(timeoutMs(5_000)), redirect: 'error' })

// The provider's tokens are not stored: the app calls no APIs on behalf of the user.
const storeNoTokens = () => ({})

type Claims = Record<string, unknown>

/** The claims of the ID token; null if it is not valid. A provider without ID tokens has none. */
async function readClaims({ issuer }: Provider, idToken: string | undefined): Promise<Claims | null> {
  return issuer ? readIdToken(issuer, idToken ?? '', providerFetch) : {}
}

/** The normalized email of the profile, or null if the provider has not verified it. */
function verifiedEmail({ isEmailVerified }: Provider, profile: ProviderProfile): string | null {
  return isEmailVerified(profile) && typeof profile.email === 'string' ? normalizeEmail(profile.email) : null
}

/** The page to go to if the user needs a second factor after signing in with a provider, else null. */
async function secondFactorPage(userId: string, identity: Identity): Promise<string | null> {
  const reauthenticatedAt = await findReauthenticationAtProvider(userId)
  const secondFactor = await startPendingSignIn(userId, {
    credential: ownsIdentity(userId, identity),
    reauthenticatedAt,
  })
  if (!secondFactor) return null
  await rememberSignInMethod(identity.provider)
  const callbackUrl = (await readCookie('callback-url')) ?? ''
  const next = returnPath(
    callbackUrl.startsWith(env.AUTH_URL) ? callbackUrl.slice(env.AUTH_URL.length) : callbackUrl,
    '/dashboard',
  )
  return secondFactorPath(secondFactor, next)
}

const errorPath = (reason: 'unverified' | 'refused' | 'closed') => `/signin?error=${reason}`

async function makeConfig(): Promise<NextAuthConfig> {
  const options = { account: storeNoTokens, [customFetch]: providerFetch }
  const cookie = (name: string, maxAge?: number) => ({
    name: cookieName(name),
    options: { ...cookieOptions(), httpOnly: true, maxAge: maxAge ?? cookieOptions().maxAge },
  })
  const minutes = 60
  return {
    secret: env.AUTH_SECRET,
    trustHost: true, // AUTH_URL is always set (src/instrumentation.node.ts), so the Host header is never used
    basePath: '/api/auth',
    adapter,
    providers: await Promise.all(configuredProviders().map(({ load }) => load({ options, fetchFn: providerFetch }))),
    session: { strategy: 'database', maxAge: maxSessionSeconds },
    pages: { signIn: '/signin', signOut: '/', error: '/signin' },
    cookies: {
      sessionToken: cookie('session'),
      callbackUrl: cookie('callback-url', 15 * minutes),
      csrfToken: cookie('csrf'),
      pkceCodeVerifier: cookie('pkce', 15 * minutes),
      state: cookie('state', 15 * minutes),
      nonce: cookie('nonce', 15 * minutes),
    },
    callbacks: {
      async signIn({ account, profile }) {
        const found = findConfiguredProvider(account?.provider)
        const claims = found && (await readClaims(found, account?.id_token))
        if (!account || !profile || !found || !claims) return errorPath('refused')
        const { provider, providerAccountId } = account
        const connectPath = await connectIfRequested(provider, providerAccountId)
        if (connectPath) return connectPath
        const identity = { provider, providerAccountId }
        const request = currentRequest()
        if (request) {
          request.identity = identity
          request.authenticatedAt = authenticationTime(found, claims)
        }
        const existingUser = await findUserByIdentity(provider, providerAccountId)
        if (existingUser)
          return existingUser.suspendedAt
            ? errorPath('refused')
            : ((await secondFactorPage(existingUser.id, identity)) ?? true)
        const email = verifiedEmail(found, profile)
        if (!email) return errorPath('unverified')
        return (await maySignUp(email)) || errorPath('closed')
      },
      redirect: ({ url, baseUrl }) => {
        const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url
        return new URL(returnPath(path, '/dashboard'), baseUrl).href
      },
    },
    logger: {
      error: (error) => log.warn({ error }, 'OAuth sign-in failed'),
      warn: (code) => log.debug({ code }, 'Auth.js'),
      debug: () => {},
    },
  }
}

const { handlers, signIn } = NextAuth(() => makeConfig())

export { handlers }

/** Starts a sign-in: redirects to the provider. */
export const redirectToProvider: typeof signIn = async (...given) => {
  await limitStarts()
  return signIn(...given)
}
