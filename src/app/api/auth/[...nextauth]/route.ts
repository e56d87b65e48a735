import { NextRequest } from 'next/server'
import { z } from 'zod'
import { handlers } from '@/core/auth/oauth/config'
import { listProviders } from '@/core/auth/oauth/provider-files'
import { limitFailedCallbacks, limitStarts } from '@/core/auth/oauth/provider-limits'
import { findConfiguredProvider } from '@/core/auth/oauth/providers'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const Params = z.object({ nextauth: z.array(z.string()) })

const Provider = z.object({ provider: z.enum(listProviders().map(({ id }) => id)) })

const unreadableCookies = { redirect: 'the sign-in page, when Auth.js cannot read its own cookies' }

// Auth.js serves only these paths. Sessions, sign-in with a password and sign-out are our own routes.
const readPaths = {
  csrf: {
    summary: 'Get a CSRF token',
    responses: { 200: z.object({ csrfToken: z.string() }), 302: unreadableCookies },
  },
  providers: {
    summary: 'List sign-in providers',
    responses: {
      200: z.record(
        z.string(),
        z.object({ id: z.string(), name: z.string(), type: z.string(), signinUrl: z.url(), callbackUrl: z.url() }),
      ),
      302: unreadableCookies,
    },
  },
  error: {
    summary: 'Redirect an error to the sign-in page',
    responses: { 302: { redirect: 'the sign-in page' } },
  },
  'callback/{provider}': {
    summary: 'OAuth callback',
    params: Provider,
    responses: { 302: { redirect: 'callbackUrl, or the sign-in page' } },
    errors: ['not_found', 'rate_limited'],
  },
} as const

const writePaths = {
  'signin/{provider}': {
    summary: 'Start OAuth sign-in',
    params: Provider,
    form: z.object({ csrfToken: z.string(), callbackUrl: z.string().optional() }),
    responses: { 302: { redirect: 'the provider, or the sign-in page' } },
    errors: ['not_found', 'rate_limited'],
  },
} as const

function rejectUnknown(segments: string[], paths: object): void {
  const isKnown = Object.keys(paths).some((path) => {
    const parts = path.split('/')
    const matches = (part: string, index: number) =>
      part === '{provider}' ? findConfiguredProvider(segments[index]) !== undefined : part === segments[index]
    return parts.length === segments.length && parts.every(matches)
  })
  if (!isKnown) throw new AppError('not_found')
}

/** When Auth.js fails (a forged cookie, a provider outage), redirects to the sign-in page instead of showing an error page. */
async function orRedirectToSignIn(pending: Promise<Response>): Promise<Response> {
  const response = await pending
  if (response.status < 500) return response
  return new Response(null, { status: 302, headers: { Location: '/signin?error=provider' } })
}

/** A user who must first sign in with another method is then sent to the page that connects this provider. */
async function offerToConnect(pending: Promise<Response>, provider: string | undefined): Promise<Response> {
  const response = await pending
  if (!response.headers.get('location')?.includes('error=OAuthAccountNotLinked')) return response
  const query = new URLSearchParams({ error: 'OAuthAccountNotLinked', callbackUrl: `/connect/${provider}` })
  const headers = new Headers(response.headers)
  headers.set('Location', `/signin?${query}`)
  return new Response(null, { status: 302, headers })
}

/** Auth.js does not support HEAD. */
const asGet = (request: Request) =>
  request.method === 'HEAD' ? new NextRequest(request.url, { headers: request.headers }) : (request as NextRequest)

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Read routes of Auth.js',
    responses: {},
    paths: readPaths,
    params: Params,
    run: ({ params, request }) => {
      rejectUnknown(params.nextauth, readPaths)
      const [, provider] = params.nextauth
      // GET consumes the provider's code and signs in. HEAD must not change anything, so it only reports a redirect.
      if (provider && request.method === 'HEAD')
        return new Response(null, { status: 302, headers: { Location: '/signin' } })
      const handle = () => offerToConnect(orRedirectToSignIn(handlers.GET(asGet(request))), provider)
      return provider ? limitFailedCallbacks(provider, handle) : handle()
    },
  }),
  POST: definePublicHandler({
    summary: 'Write routes of Auth.js',
    responses: {},
    paths: writePaths,
    params: Params,
    run: async ({ params, request }) => {
      rejectUnknown(params.nextauth, writePaths)
      await limitStarts()
      return orRedirectToSignIn(handlers.POST(request as NextRequest))
    },
  }),
})
