// A misbehaving OAuth provider: OpenID Connect like Google (signed with a real key), and GitHub's API.
import { createHmac, createSign, generateKeyPairSync, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

const clientId = 'bad-provider-client'
const clientSecret = randomBytes(24).toString('base64url')

/** How the next sign-in misbehaves; with nothing set it succeeds. */
export interface Behavior {
  claims?: Record<string, unknown>
  header?: Record<string, unknown>
  /** Signed with an unpublished key, not signed, or signed with the public key as an HMAC secret. */
  signature?: 'wrong key' | 'none' | 'public key as secret'
  /** Handles the token request itself. */
  token?: (request: IncomingMessage, response: ServerResponse) => void
  /** Claims of the userinfo endpoint that differ from those of the ID token. */
  userinfo?: Record<string, unknown>
  /** GitHub's user object, and the list of email addresses. */
  user?: Record<string, unknown>
  emails?: unknown
}

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

export async function startBadProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const unpublishedKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  let behavior: Behavior = {}
  /** The nonce for each authorization code. */
  const nonces = new Map<string, string>()
  const issuedTokens: string[] = []
  /** The subject of the last ID token. */
  let subject = ''
  let tokenRequests = 0
  let redirectsFollowed = 0

  const issuer = () => `http://localhost:${port}`
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

  function idToken(nonce: string): string {
    const now = Math.floor(Date.now() / 1000)
    subject = randomBytes(8).toString('hex')
    const claims = {
      iss: issuer(),
      aud: clientId,
      sub: subject,
      iat: now,
      exp: now + 300,
      nonce,
      ...behavior.claims,
    }
    const alg =
      behavior.signature === 'none' ? 'none' : behavior.signature === 'public key as secret' ? 'HS256' : 'RS256'
    const content = `${encode({ alg, kid: 'one', typ: 'JWT', ...behavior.header })}.${encode(claims)}`
    if (alg === 'none') return `${content}.`
    if (alg === 'HS256') {
      const secret = publicKey.export({ type: 'spki', format: 'pem' })
      return `${content}.${createHmac('sha256', secret).update(content).digest('base64url')}`
    }
    const key = behavior.signature === 'wrong key' ? unpublishedKey.privateKey : privateKey
    return `${content}.${createSign('RSA-SHA256').update(content).sign(key, 'base64url')}`
  }

  async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer())
    const redirectBack = (path: string) => {
      const back = new URL(url.searchParams.get('redirect_uri') ?? path)
      const code = randomBytes(16).toString('hex')
      nonces.set(code, url.searchParams.get('nonce') ?? '')
      back.search = new URLSearchParams({ code, state: url.searchParams.get('state') ?? '' }).toString()
      response.writeHead(302, { location: back.href }).end()
    }
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return void json(response, {
          issuer: issuer(),
          authorization_endpoint: `${issuer()}/auth`,
          token_endpoint: `${issuer()}/token`,
          userinfo_endpoint: `${issuer()}/userinfo`,
          jwks_uri: `${issuer()}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
        })
      case '/jwks':
        return void json(response, {
          keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }],
        })
      case '/auth':
      case '/login/oauth/authorize':
        return redirectBack('')
      case '/token':
      case '/login/oauth/access_token': {
        tokenRequests++
        if (behavior.token) return behavior.token(request, response)
        const code = new URLSearchParams(await text(request)).get('code') ?? ''
        const nonce = nonces.get(code)
        nonces.delete(code)
        if (nonce === undefined) return void json(response, { error: 'invalid_grant' }, 400)
        const accessToken = randomBytes(24).toString('base64url')
        issuedTokens.push(accessToken)
        const isGoogle = url.pathname === '/token'
        return void json(response, {
          access_token: accessToken,
          token_type: 'bearer',
          expires_in: 300,
          scope: 'openid',
          ...(isGoogle && { id_token: idToken(nonce), refresh_token: `refresh-${accessToken}` }),
        })
      }
      case '/userinfo':
        return void json(response, { sub: subject, ...behavior.claims, ...behavior.userinfo })
      case '/elsewhere':
        redirectsFollowed++
        return void json(response, {})
      case '/api/v3/user':
        return void json(response, behavior.user ?? {})
      case '/api/v3/user/emails':
        return void json(response, behavior.emails ?? [])
      default:
        json(response, {}, 404)
    }
  }

  const server = createServer((request, response) => {
    handleRequest(request, response).catch(() => response.writeHead(500).end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    env: {
      AUTH_GOOGLE_ID: clientId,
      AUTH_GOOGLE_SECRET: clientSecret,
      AUTH_GOOGLE_ISSUER: issuer(),
      AUTH_GITHUB_ID: clientId,
      AUTH_GITHUB_SECRET: clientSecret,
      AUTH_GITHUB_URL: issuer(),
      AUTH_OIDC_BAD_ISSUER: issuer(),
      AUTH_OIDC_BAD_CLIENT_ID: clientId,
      AUTH_OIDC_BAD_CLIENT_SECRET: clientSecret,
    },
    issuer: issuer(),
    secret: clientSecret,
    /** Every access token it has issued. */
    issued: issuedTokens,
    setBehavior: (how: Behavior) => {
      behavior = how
    },
    tokenRequests: () => tokenRequests,
    redirectsFollowed: () => redirectsFollowed,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
