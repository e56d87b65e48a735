import { z } from 'zod'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** Liveness: this process responds. Checks nothing else, so that a slow database does not get the process restarted. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Liveness check',
    responses: { 200: z.object({ status: z.literal('ok') }) },
    cache: 'no-store',
    run: () => ({ status: 'ok' as const }),
  }),
})
