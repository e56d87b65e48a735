import { z } from 'zod'
import { returnPath } from '@/core/auth/return-path'
import { SignedInAnswer, signInChoices } from '@/core/auth/session-answer'
import { signInWithPassword } from '@/core/auth/sign-in'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** The password was right, and something else must be shown at that page, or sent to where `challenge` is answered. */
const ChallengeAnswer = z.object({ challenge: z.string(), url: z.string() }).meta({ id: 'Challenge' })

const redirectTo = (path: string) => new Response(null, { status: 302, headers: { Location: path } })

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  /** For whoever opens the address: the page with the form. */
  GET: definePublicHandler({
    summary: 'Go to the page for signing in',
    answers: { 302: { leadsTo: 'the page with the form' } },
    run: () => redirectTo('/signin'),
  }),

  POST: definePublicHandler({
    summary: 'Sign in with e-mail and password',
    body: z.object({
      email: z.string().meta({ examples: ['ada@example.com'] }),
      password: z.string().meta({ examples: ['…'] }),
      ...signInChoices,
    }),
    answers: {
      200: z.union([SignedInAnswer, ChallengeAnswer]),
      302: { leadsTo: 'callbackUrl, the second step, or the page with the form when it was refused' },
    },
    refuses: ['invalid_credentials', 'rate_limited', 'unavailable'],
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
