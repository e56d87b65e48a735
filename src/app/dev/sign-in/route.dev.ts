import { z } from 'zod'
import { returnPath } from '@/core/auth/flows/return-path'
import { secondFactorPath } from '@/core/auth/flows/second-factor'
import { signInWithPassword } from '@/core/auth/flows/sign-in'
import { seedUsers } from '@/core/db/seed-users'
import { AppError } from '@/core/errors'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { readBytes } from '@/core/http/request'
import { parse } from '@/core/parse'

const Form = z.object({
  email: z.enum(seedUsers.map(({ email }) => email)),
  callbackUrl: z.string().optional(),
})

/** Pages that look the same for every user: after sign-in from there, go to the dashboard. */
const publicPages = ['/', '/welcome', '/signin', '/signed-out']

/** The page that the form was on, to show it as the other user. */
function pageBefore(request: Request): string {
  const referer = request.headers.get('referer') ?? ''
  if (!URL.canParse(referer)) return '/dashboard'
  const { pathname, search } = new URL(referer)
  return publicPages.includes(pathname) ? '/dashboard' : returnPath(pathname + search, '/dashboard')
}

const redirectTo = (path: string) => new Response(null, { status: 303, headers: { Location: path } })

export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  /** In development only: signs in as a seeded user with one click. It is the usual sign-in, with the password of .env. */
  POST: definePublicHandler({
    summary: 'Sign in as a seeded user',
    responses: { 303: { redirect: 'callbackUrl, or the page that the form was on' } },
    errors: ['rate_limited', 'unavailable'],
    run: async ({ request }) => {
      const fields = new URLSearchParams((await readBytes(request, 4_096)).toString())
      const { email, callbackUrl } = parse(Form, Object.fromEntries(fields))
      const next = callbackUrl === undefined ? pageBefore(request) : returnPath(callbackUrl, '/dashboard')
      try {
        const { secondFactor } = await signInWithPassword(email, process.env.DEV_PASSWORD ?? '')
        return redirectTo(secondFactor ? secondFactorPath(secondFactor, next) : next)
      } catch (error) {
        const isRefused = error instanceof AppError && error.code === 'invalid_credentials'
        // The user has another password since, or was suspended.
        if (isRefused) return redirectTo('/signin?error=invalid_credentials')
        throw error
      }
    },
  }),
})
