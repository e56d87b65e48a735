// Real servers that stand in for Google and GitHub, for development and tests: a certified OpenID provider, and one that
// speaks GitHub's dialect. Whoever you say you are at their sign-in page, you are.
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import Provider from 'oidc-provider'

/** What the stand-ins say about somebody. "unverified" anywhere in the address: they have not checked it. */
const describe = (email: string) => ({
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

/** It warns that it keeps everything in memory and signs with known keys. That is what a stand-in is for. */
function quietly<T>(work: () => T): T {
  const { info, warn } = console
  Object.assign(console, { info: () => {}, warn: () => {} })
  try {
    return work()
  } finally {
    Object.assign(console, { info, warn })
  }
}

async function startGoogle(appUrl: string, client: { id: string; secret: string }) {
  const server = createServer()
  const issuer = await listen(server, 0)
  const provider = quietly(
    () =>
      new Provider(issuer, {
        clients: [
          { client_id: client.id, client_secret: client.secret, redirect_uris: [`${appUrl}/api/auth/callback/google`] },
        ],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        // As Google does: what was asked for stands in the id token itself.
        conformIdTokenClaims: false,
        findAccount: (_context, id) => ({ accountId: id, claims: async () => ({ sub: id, ...describe(id) }) }),
        pkce: { required: () => true },
        // Said aloud, or it writes a notice for each.
        ttl: { AccessToken: 300, AuthorizationCode: 60, Grant: 3600, IdToken: 300, Interaction: 600, Session: 3600 },
        cookies: { keys: [randomBytes(16).toString('hex')] },
        features: { devInteractions: { enabled: true } },
      }),
  )
  server.on('request', provider.callback())
  return { issuer, stop: () => close(server) }
}

/** The four addresses of GitHub that a sign-in uses. */
async function startGitHub(appUrl: string, client: { id: string; secret: string }) {
  const codes = new Map<string, string>()
  const tokens = new Map<string, string>()
  const json = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  const escaped = (value: string) => value.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`)
  const idOf = (email: string) => [...email].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 2 ** 31, 7)

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const email = tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '')
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /login/oauth/authorize': {
        const kept = [...url.searchParams].map(
          ([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`,
        )
        const form = `<form method="post" action="/login/oauth/authorize">${kept.join('')}<label>E-mail <input name="email" required></label><button>Authorize</button></form>`
        response
          .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
          .end(`<title>GitHub stand-in</title><h1>GitHub stand-in</h1>${form}`)
        return
      }
      case 'POST /login/oauth/authorize': {
        const form = new URLSearchParams(await text(request))
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
        const code = new URLSearchParams(await text(request)).get('code') ?? ''
        const owner = codes.get(code)
        codes.delete(code)
        if (owner === undefined) return void json(response, { error: 'bad_verification_code' })
        const token = randomBytes(16).toString('hex')
        tokens.set(token, owner)
        return void json(response, { access_token: token, token_type: 'bearer', scope: 'read:user,user:email' })
      }
      case 'GET /api/v3/user':
        if (!email) return void json(response, { message: 'Bad credentials' }, 401)
        return void json(response, { id: idOf(email), login: email.split('@')[0], name: describe(email).name, email })
      case 'GET /api/v3/user/emails':
        if (!email) return void json(response, { message: 'Bad credentials' }, 401)
        return void json(response, [
          { email: `second-${email}`, primary: false, verified: true },
          { email, primary: true, verified: describe(email).email_verified },
        ])
      default:
        json(response, { message: 'Not Found' }, 404)
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => json(response, { message: 'Server Error' }, 500))
  })
  const url = await listen(server, 0)
  return { url, stop: () => close(server) }
}

/** Starts both, and says what the app must be told about them. */
export async function startProviders(
  appUrl: string,
): Promise<{ env: Record<string, string>; stop: () => Promise<void> }> {
  const client = { id: 'plinth-development', secret: randomBytes(24).toString('base64url') }
  const google = await startGoogle(appUrl, client)
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
