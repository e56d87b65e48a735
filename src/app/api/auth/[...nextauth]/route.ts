import { NextRequest } from 'next/server'
import { z } from 'zod'
import { handlers } from '@/core/auth/oauth/config'
import { configuredProviders, isProviderId, type ProviderId, providerNames } from '@/core/auth/oauth/providers'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const Params = z.object({ nextauth: z.array(z.string()) })

const Provider = z.object({ provider: z.enum(Object.keys(providerNames) as ProviderId[]) })

const unreadable = { leadsTo: 'the page for signing in, when Auth.js cannot read its own cookies' }

// Auth.js answers these and nothing else; sessions, sign-in with a password and sign-out are ours.
const read = {
  csrf: {
    summary: 'Get a token for forms that Auth.js reads',
    answers: { 200: z.object({ csrfToken: z.string() }), 302: unreadable },
  },
  providers: {
    summary: 'List the providers that one can sign in with',
    answers: {
      200: z.record(
        z.string(),
        z.object({ id: z.string(), name: z.string(), type: z.string(), signinUrl: z.url(), callbackUrl: z.url() }),
      ),
      302: unreadable,
    },
  },
  error: {
    summary: 'Say at the page for signing in what went wrong',
    answers: { 302: { leadsTo: 'that page' } },
  },
  'callback/{provider}': {
    summary: 'Come back from a provider',
    params: Provider,
    answers: { 302: { leadsTo: 'where one wanted to go, or to the page for signing in' } },
    refuses: ['not_found'],
  },
} as const

const write = {
  'signin/{provider}': {
    summary: 'Begin to sign in with a provider',
    params: Provider,
    form: z.object({ csrfToken: z.string(), callbackUrl: z.string().optional() }),
    answers: { 302: { leadsTo: 'the provider, or to the page for signing in' } },
    refuses: ['not_found'],
  },
} as const

function refuseUnknown(given: string[], paths: object): void {
  const isKnown = Object.keys(paths).some((path) => {
    const parts = path.split('/')
    const fits = (part: string, index: number) =>
      part === '{provider}' ? isConfigured(given[index]) : part === given[index]
    return parts.length === given.length && parts.every(fits)
  })
  if (!isKnown) throw new AppError('not_found')
}

const isConfigured = (provider: string | undefined) =>
  isProviderId(provider) && configuredProviders().includes(provider)

/** What Auth.js cannot cope with (a cookie that somebody planted, a provider that is away) is no fault page. */
async function orBackToSignIn(answer: Promise<Response>): Promise<Response> {
  const response = await answer
  if (response.status < 500) return response
  return new Response(null, { status: 302, headers: { Location: '/signin?error=provider' } })
}

/** Whoever has to sign in another way first is brought back to connect this one. */
async function thenConnect(answer: Promise<Response>, provider: string | undefined): Promise<Response> {
  const response = await answer
  if (!response.headers.get('location')?.includes('error=OAuthAccountNotLinked')) return response
  const query = new URLSearchParams({ error: 'OAuthAccountNotLinked', callbackUrl: `/connect/${provider}` })
  const headers = new Headers(response.headers)
  headers.set('Location', `/signin?${query}`)
  return new Response(null, { status: 302, headers })
}

/** Auth.js knows no HEAD. Only for what may be asked twice: a callback is used up by the first who asks. */
function asGet(request: Request, [, provider]: string[]): NextRequest {
  const isHead = request.method === 'HEAD' && provider === undefined
  return isHead ? new NextRequest(request.url, { headers: request.headers }) : (request as NextRequest)
}

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'What Auth.js answers',
    answers: {},
    paths: read,
    params: Params,
    run: ({ params, request }) => {
      refuseUnknown(params.nextauth, read)
      const answer = handlers.GET(asGet(request, params.nextauth))
      return thenConnect(orBackToSignIn(answer), params.nextauth[1])
    },
  }),
  POST: definePublicHandler({
    summary: 'What Auth.js is asked to begin',
    answers: {},
    paths: write,
    params: Params,
    run: ({ params, request }) => {
      refuseUnknown(params.nextauth, write)
      return orBackToSignIn(handlers.POST(request as NextRequest))
    },
  }),
})
