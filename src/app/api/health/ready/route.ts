import { z } from 'zod'
import { pool } from '@/core/db/client'
import { isDraining } from '@/core/drain'
import { definePublicHandler, defineRoute } from '@/core/handler'

/** Readiness: this node can do its work, and is not about to end. A balancer sends traffic only where this is 200. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Say whether this node can do its work',
    answers: {
      200: z.object({ status: z.literal('ok'), checks: z.object({ database: z.literal('ok') }) }),
      503: z.object({ status: z.literal('unavailable'), checks: z.object({ database: z.enum(['ok', 'fail']) }) }),
    },
    run: async () => {
      const database = await pool.query('select 1').then(
        () => 'ok' as const,
        () => 'fail' as const,
      )
      const isReady = database === 'ok' && !isDraining()
      return Response.json(
        { status: isReady ? 'ok' : 'unavailable', checks: { database } },
        {
          status: isReady ? 200 : 503,
          headers: { 'Cache-Control': 'no-store', ...(!isReady && { 'Retry-After': '5' }) },
        },
      )
    },
  }),
})
