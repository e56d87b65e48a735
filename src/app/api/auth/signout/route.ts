import { z } from 'zod'
import { signOut } from '@/core/auth/browser-session'
import { returnPath } from '@/core/auth/return-path'
import { signInChoices } from '@/core/auth/session-answer'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** The same answer with and without a session, so that signing out twice is no error. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'End the session',
    // A bare call has nothing to say, JSON may ask for JSON, and a form says in its address where to go.
    query: z.object({ callbackUrl: z.string().optional() }),
    body: z.object({ redirect: signInChoices.redirect }),
    isBodyOptional: true,
    bodyLimit: 1024,
    answers: { 200: z.object({ url: z.string() }), 302: { leadsTo: 'callbackUrl, or /' } },
    refuses: ['unavailable'],
    looksAtCaller: true,
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
