import { z } from 'zod'
import { stopImpersonation } from '@/core/auth/impersonation'
import { returnPath } from '@/core/auth/return-path'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** Ends acting for somebody else. Open to all: without a session that does so it is refused. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  POST: definePublicHandler({
    summary: 'Stop acting for somebody else',
    answers: { 303: { leadsTo: 'callbackUrl, or the dashboard, with a session of your own' } },
    refuses: ['unauthenticated', 'conflict', 'unavailable'],
    looksAtCaller: true,
    query: z.object({ callbackUrl: z.string().optional() }),
    run: async ({ query }) => {
      await stopImpersonation()
      return new Response(null, { status: 303, headers: { Location: returnPath(query.callbackUrl, '/dashboard') } })
    },
  }),
})
