import 'server-only'
import { lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { db } from '@/core/db/client'
import { defineJob } from '@/core/jobs/job'
import { log } from '@/core/log'
import { apiTokens, emailChanges } from './schema'

/** Nothing that has run out is ever accepted, swept or not; this keeps the tables small. */
export const prune = defineJob('account.prune', {
  data: z.object({}),
  cron: '27 * * * *',
  run: async () => {
    const before = (days: number) => sql`now() - make_interval(days => ${days})`
    // People see for a while why a program of theirs came to a halt.
    const { rowCount: oldTokens } = await db.delete(apiTokens).where(lt(apiTokens.expiresAt, before(30)))
    // A link lives for a day from its mail, which may have been late by another.
    const { rowCount: oldEmailChanges } = await db.delete(emailChanges).where(lt(emailChanges.createdAt, before(3)))
    log.info({ oldTokens, oldEmailChanges }, 'swept what has run out')
  },
})
