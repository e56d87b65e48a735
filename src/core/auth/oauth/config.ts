import 'server-only'
import { randomBytes } from 'node:crypto'
import NextAuth, { customFetch, type NextAuthConfig } from 'next-auth'
import GitHub from 'next-auth/providers/github'
import Google from 'next-auth/providers/google'
import { env } from '../../env'
import { log } from '../../log'
import { currentRequest } from '../../request'
import { readFromBrowser } from '../browser'
import { startChallenge } from '../challenge'
import { normalizeEmail } from '../email'
import { mayJoin } from '../joining'
import { returnPath } from '../return-path'
import { cookieName, cookieOptions, sessionLifetime } from '../settings'
import { adapter } from './adapter'
import { connectIfIntended } from './connect'
import { isSignedBy } from './id-token'
import { findByIdentity } from './identity'
import { configuredProviders, isProviderId, type ProviderId } from './providers'

/** A provider that hangs, or leads elsewhere, must not take us along. */
const carefulFetch: typeof fetch = (input, init) =>
  fetch(input, { ...init, signal: AbortSignal.timeout(5_000), redirect: 'error' })

// We keep nothing of what the provider hands out: nothing is called in a person's name.
const keepNothing = () => ({})

/** A profile holds whatever the provider likes to send. */
const words = (value: unknown) => (typeof value === 'string' ? value : null)

const makeProvider = {
  google: () =>
    Google({
      clientId: env.AUTH_GOOGLE_ID,
      clientSecret: env.AUTH_GOOGLE_SECRET,
      ...(env.AUTH_GOOGLE_ISSUER && { issuer: env.AUTH_GOOGLE_ISSUER }),
      checks: ['pkce', 'state', 'nonce'],
      account: keepNothing,
      profile: (profile) => ({ id: profile.sub, name: words(profile.name), email: words(profile.email) }),
      [customFetch]: carefulFetch,
    }),
  github: () => {
    const site = env.AUTH_GITHUB_URL
    const api = site ? `${site}/api/v3` : 'https://api.github.com'
    return GitHub({
      clientId: env.AUTH_GITHUB_ID,
      clientSecret: env.AUTH_GITHUB_SECRET,
      ...(site && { enterprise: { baseUrl: site } }),
      checks: ['pkce', 'state'],
      account: keepNothing,
      profile: (profile) => ({
        id: String(profile.id),
        name: words(profile.name) ?? words(profile.login),
        email: words(profile.email),
      }),
      // Auth.js takes any address that GitHub shows. Only the primary one counts, and only when it was proved.
      userinfo: {
        url: `${api}/user`,
        async request({ tokens }: { tokens: { access_token?: string } }) {
          const ask = async (path: string) => {
            const headers = { Authorization: `Bearer ${tokens.access_token}`, 'User-Agent': 'plinth' }
            const response = await carefulFetch(`${api}${path}`, { headers })
            if (!response.ok) throw new Error(`GitHub answered ${response.status} to ${path}`)
            return response.json()
          }
          const [profile, emails] = await Promise.all([ask('/user'), ask('/user/emails')])
          // Everybody without one would be one person.
          if (!Number.isSafeInteger(profile.id)) throw new Error('GitHub sent somebody without an id')
          const proved = emails.find(
            (entry: { primary: boolean; verified: boolean }) => entry.primary && entry.verified === true,
          )
          return { ...profile, email: proved?.email ?? null }
        },
      },
      [customFetch]: carefulFetch,
    })
  },
}

/** Auth.js asks neither who signed the token nor whether it comes from the future; clocks may differ by a minute. */
async function isGenuine(idToken: string, issuedAt: unknown): Promise<boolean> {
  const isFromFuture = typeof issuedAt !== 'number' || issuedAt > Date.now() / 1000 + 60
  return !isFromFuture && isSignedBy(env.AUTH_GOOGLE_ISSUER ?? 'https://accounts.google.com', idToken, carefulFetch)
}

/** Has the provider checked that this address belongs to this person? */
function provedEmail(provider: string, profile: { email?: unknown; email_verified?: unknown }): string | null {
  if (provider === 'google' && profile.email_verified !== true) return null
  return typeof profile.email === 'string' ? normalizeEmail(profile.email) : null
}

/** Where somebody whom a provider vouched for goes on, when that is not enough to be signed in. */
async function challengePage(userId: string): Promise<string | null> {
  const challenge = await startChallenge(userId)
  if (!challenge) return null
  const wanted = (await readFromBrowser('callback-url')) ?? ''
  const next = returnPath(wanted.startsWith(env.AUTH_URL) ? wanted.slice(env.AUTH_URL.length) : wanted, '/dashboard')
  return `${challenge.page}?callbackUrl=${encodeURIComponent(next)}`
}

const refusal = (reason: 'unverified' | 'refused' | 'closed') => `/signin?error=${reason}`

function makeConfig(): NextAuthConfig {
  const cookie = (name: string, maxAge?: number) => ({
    name: cookieName(name),
    options: { ...cookieOptions(), httpOnly: true, maxAge: maxAge ?? cookieOptions().maxAge },
  })
  const minutes = 60
  return {
    secret: env.AUTH_SECRET,
    trustHost: true, // AUTH_URL is always set (src/instrumentation.node.ts), so Host never decides
    basePath: '/api/auth',
    adapter,
    providers: configuredProviders().map((id: ProviderId) => makeProvider[id]()),
    session: {
      strategy: 'database',
      maxAge: sessionLifetime.standard.absolute,
      generateSessionToken: () => randomBytes(32).toString('base64url'),
    },
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
        if (!account || !profile || !isProviderId(account.provider)) return refusal('refused')
        const { provider, providerAccountId } = account
        if (provider === 'google' && !(await isGenuine(account.id_token ?? '', profile.iat))) return refusal('refused')
        const afterConnecting = await connectIfIntended(provider, providerAccountId)
        if (afterConnecting) return afterConnecting
        const request = currentRequest()
        if (request) request.identity = { provider, providerAccountId }
        const known = await findByIdentity(provider, providerAccountId)
        if (known) return known.suspendedAt ? refusal('refused') : ((await challengePage(known.id)) ?? true)
        const email = provedEmail(provider, profile)
        if (!email) return refusal('unverified')
        return (await mayJoin(email)) || refusal('closed')
      },
      redirect: ({ url, baseUrl }) => {
        const path = url.startsWith(baseUrl) ? url.slice(baseUrl.length) : url
        return new URL(returnPath(path, '/dashboard'), baseUrl).href
      },
    },
    logger: {
      error: (error) => log.warn({ error }, 'sign-in by provider failed'),
      warn: (code) => log.debug({ code }, 'Auth.js'),
      debug: () => {},
    },
  }
}

export const { handlers, signIn: goToProvider } = NextAuth(() => makeConfig())
