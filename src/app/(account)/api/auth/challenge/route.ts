import { z } from 'zod'
import { returnPath } from '@/core/auth/return-path'
import { SignedInAnswer, signInChoices } from '@/core/auth/session-answer'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { signInWithCode } from '../../../sign-in'

/** The second step of `POST /api/auth/signin`, for programs: it answers like the first. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'Finish signing in with a code',
    body: z.object({ code: z.string().meta({ examples: ['123456'] }), ...signInChoices }),
    answers: { 200: SignedInAnswer, 302: { leadsTo: 'callbackUrl, or /' } },
    refuses: ['unauthenticated', 'invalid_credentials', 'rate_limited', 'unavailable'],
    run: async ({ body }) => {
      const url = returnPath(body.callbackUrl)
      const { user, expires } = await signInWithCode(body.code)
      if (body.redirect) return new Response(null, { status: 302, headers: { Location: url } })
      return { user, expires: expires.toISOString(), url }
    },
  }),
})
