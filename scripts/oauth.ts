// Stand-ins for Google and GitHub, and for any OpenID issuer in tests: a certified OpenID provider, and a server with GitHub's OAuth
// endpoints. Their sign-in page (stand-in-page.ts) accepts any email without a password.

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider, { type Configuration } from 'oidc-provider'
import { appSlug } from '../src/brand.ts'
import { type StandInName, standInPage } from './stand-in-page.ts'

/** The profile of a user at the stand-ins. An email that contains "unverified" is not verified. */
export const profileOf = (email: string) => ({
  name: (email.split('@')[0] ?? email).replace(/[.+-]/g, ' '),
  email,
  email_verified: !email.includes('unverified'),
})

function listen(server: Server, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://localhost:${typeof address === 'object' && address ? address.port : port}`)
    })
  })
}

const close = (server: Server) =>
  new Promise<void>((resolve) => {
    server.closeAllConnections()
    server.close(() => resolve())
  })

/** Suppresses the provider's warnings about in-memory storage and known keys, which are intended here. */
function withoutWarnings<T>(work: () => T): T {
  const { info, warn } = console
  Object.assign(console, { info: () => {}, warn: () => {} })
  try {
    return work()
  } finally {
    Object.assign(console, { info, warn })
  }
}

const sendPage = (response: ServerResponse, html: string) =>
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html)

const readForm = async (request: IncomingMessage) => new URLSearchParams(await text(request))

interface Client {
  id: string
  secret: string
}

interface Issuer {
  name: StandInName
  /** The provider of the app that uses it: the end of its redirect URL. */
  providerId: string
  client: Client
  /** The path of the issuer, as tenants of one server have it. */
  path?: string
  /** How this issuer differs from Google. */
  configuration?: Configuration
}

const interactionPath = /^\/interaction\/[\w-]+$/

/** The page where the user signs in. The provider redirects to it and remembers the rest of the request in a cookie. */
async function serveInteraction(
  provider: Provider,
  { name, path = '' }: Issuer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const accountId = request.method === 'POST' ? (await readForm(request)).get('email')?.trim() : undefined
  const options = { mergeWithLastSubmission: false }
  if (accountId) return provider.interactionFinished(request, response, { login: { accountId } }, options)
  // Throws if the request to sign in has expired.
  await provider.interactionDetails(request, response)
  sendPage(response, standInPage({ provider: name, action: `${path}${request.url}` }))
}

/** Starts a certified OpenID provider that stands in for an issuer. */
export async function startIssuer(
  appUrl: string,
  settings: Issuer,
): Promise<{ issuer: string; stop: () => Promise<void> }> {
  const { providerId, client, path = '', configuration } = settings
  const server = createServer()
  const issuer = `${await listen(server, 0)}${path}`
  const provider = withoutWarnings(
    () =>
      new Provider(issuer, {
        clients: [
          {
            client_id: client.id,
            client_secret: client.secret,
            redirect_uris: [`${appUrl}/api/auth/callback/${providerId}`],
            // Google calls this "session age claims".
            require_auth_time: true,
          },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        // Like Google: the requested claims are in the id token itself.
        conformIdTokenClaims: false,
        findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...profileOf(id) }) }),
        pkce: { required: () => true },
        // Explicit, because the provider logs a notice for each default.
        ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, IdToken: 300, Interaction: 600, Session: 3600 },
        cookies: { keys: [randomBytes(16).toString('hex')] },
        features: { devInteractions: { enabled: false } },
        interactions: { url: (_context, { uid }) => `${path}/interaction/${uid}` },
        // Grants every scope, so that no page has to ask for consent.
        loadExistingGrant: async ({ oidc }) => {
          const grant = new oidc.provider.Grant({
            accountId: oidc.account?.accountId,
            clientId: oidc.client?.clientId,
          })
          grant.addOIDCScope([...oidc.requestParamOIDCScopes].join(' '))
          await grant.save()
          return grant
        },
        ...configuration,
      }),
  )
  const handle = provider.callback()
  server.on('request', (request, response) => {
    // As a framework that mounts the provider at a path does.
    Object.assign(request, { originalUrl: request.url, url: request.url?.slice(path.length) })
    const { pathname } = new URL(request.url ?? '/', issuer)
    if (!interactionPath.test(pathname)) return void handle(request, response)
    serveInteraction(provider, settings, request, response).catch(() => {
      response.writeHead(400, { 'content-type': 'text/plain' }).end('This sign-in has expired. Start again in the app.')
    })
  })
  return { issuer, stop: () => close(server) }
}

/** The endpoints of GitHub that a sign-in uses. */
async function startGitHub(appUrl: string, client: Client) {
  const codes = new Map<string, string>()
  const tokens = new Map<string, string>()
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const idOf = (email: string) =>
    [...email].reduce((sum, character) => (sum * 31 + character.charCodeAt(0)) % 2 ** 31, 7)

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const email = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /login/oauth/authorize':
        return void sendPage(
          response,
          standInPage({ provider: 'GitHub', action: url.pathname, fields: [...url.searchParams] }),
        )
      case 'POST /login/oauth/authorize': {
        const form = await readForm(request)
        const target = new URL(form.get('redirect_uri') ?? `${appUrl}/api/auth/callback/github`)
        const isOurs = target.href === `${appUrl}/api/auth/callback/github` && form.get('client_id') === client.id
        if (!isOurs) return void json(response, { error: 'redirect_uri_mismatch' }, 400)
        const code = randomBytes(16).toString('hex')
        codes.set(code, form.get('email') ?? '')
        target.search = new URLSearchParams({ code, state: form.get('state') ?? '' }).toString()
        response.writeHead(302, { location: target.href }).end()
        return
      }
      case 'POST /login/oauth/access_token': {
        const code = (await readForm(request)).get('code') ?? ''
        const owner = codes.get(code)
        codes.delete(code)
        if (owner === undefined) return void json(response, { error: 'bad_verification_code' })
        const token = randomBytes(16).toString('hex')
        tokens.set(token, owner)
        return void json(response, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
      }
      case 'GET /api/v3/user':
        if (!email) return void json(response, { message: 'Bad credentials' }, 401)
        return void json(response, { id: idOf(email), login: email.split('@')[0], name: profileOf(email).name, email })
      case 'GET /api/v3/user/emails':
        if (!email) return void json(response, { message: 'Bad credentials' }, 401)
        return void json(response, [
          { email: `second-${email}`, primary: false, verified: true },
          { email, primary: true, verified: profileOf(email).email_verified },
        ])
      default:
        json(response, { message: 'Not Found' }, 404)
    }
  }
  const server = createServer((request, response) => {
    handle(request, response).catch(() => json(response, { message: 'Server Error' }, 500))
  })
  const url = await listen(server, 0)
  return { url, stop: () => close(server) }
}

/** Starts both servers. Returns the environment variables for the app. */
export async function startProviders(
  appUrl: string,
): Promise<{ env: Record<string, string>; stop: () => Promise<void> }> {
  const client = { id: `${appSlug}-development`, secret: randomBytes(24).toString('base64url') }
  const google = await startIssuer(appUrl, { name: 'Google', providerId: 'google', client })
  const github = await startGitHub(appUrl, client)
  return {
    env: {
      AUTH_GOOGLE_ID: client.id,
      AUTH_GOOGLE_SECRET: client.secret,
      AUTH_GOOGLE_ISSUER: google.issuer,
      AUTH_GITHUB_ID: client.id,
      AUTH_GITHUB_SECRET: client.secret,
      AUTH_GITHUB_URL: github.url,
    },
    stop: async () => {
      await Promise.all([google.stop(), github.stop()])
    },
  }
}
