import { z } from 'zod'
import { returnPath } from '@/core/auth/flows/return-path'
import { signInOptions } from '@/core/auth/session/api-schema'
import { signOut } from '@/core/auth/session/browser-session'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** The same response with and without a session, so that signing out twice is not an error. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'Sign out',
    // A form passes callbackUrl in the query; JSON may set `redirect: false`. No other body, even an invalid one, prevents
    // the sign-out.
    query: z.object({ callbackUrl: z.string().optional() }),
    body: z.object({ redirect: signInOptions.redirect }),
    isBodyOptional: true,
    bodyLimit: 1024,
    responses: { 200: z.object({ url: z.string() }), 302: { redirect: 'callbackUrl, or /' } },
    errors: ['unavailable'],
    dependsOnCaller: true,
    run: async ({ query, body }) => {
      const url = returnPath(query.callbackUrl)
      await signOut()
      const headers = { 'Clear-Site-Data': '"cache"' }
      return body.redirect
        ? new Response(null, { status: 302, headers: { ...headers, Location: url } })
        : Response.json({ url }, { headers })
    },
  }),
})
