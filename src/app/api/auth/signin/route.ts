import { z } from 'zod'
import { returnPath } from '@/core/auth/flows/return-path'
import { secondFactorPath } from '@/core/auth/flows/second-factor'
import { signInWithPassword } from '@/core/auth/flows/sign-in'
import { SignedInResponse, signInOptions, TokenResponse } from '@/core/auth/session/api-schema'
import { withoutCookies } from '@/core/auth/session/cookies'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** The password was correct, and a second factor is required: on the page at `url`, or sent to the route for `challenge`. */
const SecondFactorResponse = z
  .object({
    challenge: z.string(),
    url: z.string(),
    pendingSignIn: z
      .string()
      .optional()
      .meta({ description: 'With token: true, send this with the 2FA code instead of the cookie' }),
  })
  .meta({ id: 'Challenge' })

const redirectTo = (path: string) => new Response(null, { status: 302, headers: { Location: path } })

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  /** Opened in a browser, it redirects to the page with the form. */
  GET: definePublicHandler({
    summary: 'Redirect to the sign-in page',
    responses: { 302: { redirect: 'the sign-in page' } },
    run: () => redirectTo('/signin'),
  }),

  POST: definePublicHandler({
    summary: 'Sign in with email and password',
    body: z.object({
      email: z.string().meta({ examples: ['ada@example.com'] }),
      password: z.string().meta({ examples: ['…'] }),
      ...signInOptions,
    }),
    responses: {
      200: z.union([SignedInResponse, TokenResponse, SecondFactorResponse]),
      302: { redirect: 'callbackUrl, the two-factor page, or the sign-in page if the email or password is incorrect' },
    },
    errors: ['invalid_credentials', 'rate_limited', 'unavailable'],
    run: async ({ body }) => {
      const url = returnPath(body.callbackUrl)
      const isRedirect = body.redirect && !body.token
      const signIn = () => signInWithPassword(body.email, body.password)
      try {
        const { result, values } = body.token ? await withoutCookies({}, signIn) : { result: await signIn() }
        const { session, secondFactor } = result
        if (secondFactor) {
          const page = secondFactorPath(secondFactor, url)
          if (isRedirect) return redirectTo(page)
          const pendingSignIn = values?.get('ticket.challenge')
          return { challenge: secondFactor.kind, url: page, ...(pendingSignIn && { pendingSignIn }) }
        }
        if (isRedirect) return redirectTo(url)
        const sessionData = { user: session.user, expires: session.expires.toISOString() }
        return values ? { ...sessionData, token: values.get('session') ?? '' } : { ...sessionData, url }
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'invalid_credentials'
        if (isRefused && isRedirect) return redirectTo('/signin?error=invalid_credentials')
        throw error
      }
    },
  }),
})
