import { z } from 'zod'
import { returnPath } from '@/core/auth/return-path'
import { signInWithPassword } from '@/core/auth/sign-in'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

const redirectTo = (path: string) => new Response(null, { status: 302, headers: { Location: path } })

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  /** For whoever opens the address: the page with the form. */
  GET: definePublicHandler({ run: () => redirectTo('/signin') }),

  POST: definePublicHandler({
    body: z.object({
      email: z.string(),
      password: z.string(),
      redirect: z.boolean().default(true),
      callbackUrl: z.unknown().optional(),
    }),
    run: async ({ body }) => {
      const url = returnPath(body.callbackUrl)
      try {
        const { session, challenge } = await signInWithPassword(body.email, body.password)
        if (challenge) {
          const page = `${challenge.page}?callbackUrl=${encodeURIComponent(url)}`
          return body.redirect ? redirectTo(page) : { challenge: challenge.kind, url: page }
        }
        return body.redirect ? redirectTo(url) : { user: session.user, expires: session.expires.toISOString(), url }
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'invalid_credentials'
        if (isRefused && body.redirect) return redirectTo('/signin?error=invalid_credentials')
        throw error
      }
    },
  }),
})
