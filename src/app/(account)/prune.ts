import 'server-only'
import { lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '@/core/db/client'
import { defineJob } from '@/core/jobs/job'
import { log } from '@/core/log'
import { apiTokens, emailChanges } from './schema'

/** Keeps the tables small. Expired rows are never accepted, whether they are deleted yet or not. */
export const prune = defineJob('account.prune', {
  data: z.object({}),
  cron: '27 * * * *',
  run: async () => {
    const daysAgo = (days: number) => sql`now() - make_interval(days => ${days})`
    // Expired tokens stay listed for 30 days, so that users see why a client stopped working.
    const { rowCount: oldTokens } = await db.delete(apiTokens).where(lt(apiTokens.expiresAt, daysAgo(30)))
    // A token is valid for a day from when its email is sent, and the email may be late by another day.
    const { rowCount: oldEmailChanges } = await db.delete(emailChanges).where(lt(emailChanges.createdAt, daysAgo(3)))
    log.info({ oldTokens, oldEmailChanges }, 'expired rows deleted')
  },
})
