import 'server-only'
import { lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '@/core/db/client'
import { defineJob } from '@/core/jobs/job'
import { log } from '@/core/log'
import { requests } from './schema'

/** Keeps the table small. Expired requests are never accepted, whether they are deleted yet or not. */
export const prune = defineJob('email_code.prune', {
  data: z.object({}),
  cron: '37 * * * *',
  run: async () => {
    const { rowCount: oldRequests } = await db.delete(requests).where(lt(requests.expiresAt, sql`now()`))
    log.info({ oldRequests }, 'expired rows deleted')
  },
})
