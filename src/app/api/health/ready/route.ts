import { z } from 'zod'
import { pool } from '@/core/db/client'
import { findPendingMigrations } from '@/core/db/pending-migrations'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { isDraining } from '@/core/process/drain'

/**
 * Readiness: the database is reachable and has all migrations, and this node is not draining. Load balancers only send traffic while
 * this is 200.
 */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Readiness check',
    responses: {
      200: z.object({ status: z.literal('ok'), checks: z.object({ database: z.literal('ok') }) }),
      503: z.object({
        status: z.literal('unavailable'),
        checks: z.object({ database: z.enum(['ok', 'fail']), pendingMigrations: z.array(z.string()).optional() }),
      }),
    },
    run: async () => {
      const database = await pool.query('select 1').then(
        () => 'ok' as const,
        () => 'fail' as const,
      )
      const pendingMigrations = database === 'ok' ? await findPendingMigrations() : []
      const isReady = database === 'ok' && pendingMigrations.length === 0 && !isDraining()
      return Response.json(
        {
          status: isReady ? 'ok' : 'unavailable',
          checks: { database, ...(pendingMigrations.length > 0 && { pendingMigrations }) },
        },
        {
          status: isReady ? 200 : 503,
          headers: { 'Cache-Control': 'no-store', ...(!isReady && { 'Retry-After': '5' }) },
        },
      )
    },
  }),
})
