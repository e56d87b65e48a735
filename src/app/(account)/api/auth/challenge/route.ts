import { z } from 'zod'
import { returnPath } from '@/core/auth/flows/return-path'
import { SignedInResponse, signInOptions, TokenResponse } from '@/core/auth/session/api-schema'
import { readCookie, withoutCookies } from '@/core/auth/session/cookies'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { signInWithCode } from '../../../sign-in-with-code'

/** Completes `POST /api/auth/signin` with a second factor, for API clients. Same response as that endpoint. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'Complete sign-in with a 2FA code',
    body: z.object({
      code: z.string().meta({ examples: ['123456'] }),
      pendingSignIn: z
        .string()
        .optional()
        .meta({ description: 'With token: true, the value from the sign-in response. Defaults to the cookie' }),
      ...signInOptions,
    }),
    responses: { 200: z.union([SignedInResponse, TokenResponse]), 302: { redirect: 'callbackUrl, or /' } },
    errors: ['unauthenticated', 'invalid_credentials', 'rate_limited', 'unavailable'],
    run: async ({ body }) => {
      const url = returnPath(body.callbackUrl)
      const signIn = () => signInWithCode(body.code)
      if (body.token) {
        const pendingSignIn = body.pendingSignIn ?? (await readCookie('ticket.challenge'))
        const { result, values } = await withoutCookies({ 'ticket.challenge': pendingSignIn ?? '' }, signIn)
        return { user: result.user, expires: result.expires.toISOString(), token: values.get('session') ?? '' }
      }
      const { user, expires } = await signIn()
      if (body.redirect) return new Response(null, { status: 302, headers: { Location: url } })
      return { user, expires: expires.toISOString(), url }
    },
  }),
})
