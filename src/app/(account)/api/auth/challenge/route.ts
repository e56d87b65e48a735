import { z } from 'zod'
import { returnPath } from '@/core/auth/return-path'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { signInWithCode } from '../../../sign-in'

/** The second step of `POST /api/auth/signin`, for programs: it answers like the first. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    body: z.object({ code: z.string(), redirect: z.boolean().default(true), callbackUrl: z.unknown().optional() }),
    run: async ({ body }) => {
      const url = returnPath(body.callbackUrl)
      const { user, expires } = await signInWithCode(body.code)
      if (body.redirect) return new Response(null, { status: 302, headers: { Location: url } })
      return { user, expires: expires.toISOString(), url }
    },
  }),
})
