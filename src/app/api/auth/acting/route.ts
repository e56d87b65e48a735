import { z } from 'zod'
import { returnPath } from '@/core/auth/flows/return-path'
import { stopImpersonation } from '@/core/auth/session/impersonation'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** Stops an impersonation. Public; without an impersonating session it returns an error. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'Stop impersonating',
    responses: { 303: { redirect: 'callbackUrl, or the dashboard, with your own session' } },
    errors: ['unauthenticated', 'conflict', 'unavailable'],
    dependsOnCaller: true,
    query: z.object({ callbackUrl: z.string().optional() }),
    run: async ({ query }) => {
      await stopImpersonation()
      return new Response(null, { status: 303, headers: { Location: returnPath(query.callbackUrl, '/dashboard') } })
    },
  }),
})
