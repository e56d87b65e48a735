import { NextRequest } from 'next/server'
import { z } from 'zod'
import { handlers } from '@/core/auth/oauth/config'
import { configuredProviders, isProviderId } from '@/core/auth/oauth/providers'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const Params = z.object({ nextauth: z.array(z.string()) })

/** Auth.js answers these and nothing else; sessions, sign-in with a password and sign-out are ours. */
function refuseUnknown(
  [action, provider, ...rest]: string[],
  actionsWithProvider: string[],
  plainActions: string[],
): void {
  const isPlain = provider === undefined && plainActions.includes(action ?? '')
  const isOfProvider =
    rest.length === 0 &&
    actionsWithProvider.includes(action ?? '') &&
    isProviderId(provider) &&
    configuredProviders().includes(provider)
  if (!isPlain && !isOfProvider) throw new AppError('not_found')
}

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
    params: Params,
    run: ({ params, request }) => {
      refuseUnknown(params.nextauth, ['callback'], ['csrf', 'providers', 'error'])
      const answer = handlers.GET(asGet(request, params.nextauth))
      return thenConnect(orBackToSignIn(answer), params.nextauth[1])
    },
  }),
  POST: definePublicHandler({
    params: Params,
    run: ({ params, request }) => {
      refuseUnknown(params.nextauth, ['signin'], [])
      return orBackToSignIn(handlers.POST(request as NextRequest))
    },
  }),
})
