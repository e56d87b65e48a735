import 'server-only'
import { lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { sessionLifetime } from '../auth/settings'
import { db } from '../db/client'
import { rateLimits, sessions, signups, tokens } from '../db/schema'
import { env } from '../env'
import { log } from '../log'
import { defineJob } from './job'

/** Nothing that has run out is ever accepted, swept or not; this keeps the tables small. */
export const prune = defineJob('core.prune', {
  data: z.object({}),
  cron: '17 * * * *',
  run: async () => {
    const before = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`
    const { rowCount: endedSessions } = await db
      .delete(sessions)
      .where(lt(sessions.createdAt, before(sessionLifetime.standard.absolute)))
    const { rowCount: oldTokens } = await db.delete(tokens).where(lt(tokens.expiresAt, sql`now()`))
    // A link lives for a day from its mail, which may have been late by another.
    const { rowCount: oldSignups } = await db.delete(signups).where(lt(signups.createdAt, before(3 * 24 * 60 * 60)))
    const { rowCount: oldLimits } = await db.delete(rateLimits).where(lt(rateLimits.expire, Date.now()))
    await db.execute(sql`select audit_prepare(3)`)
    const keep = env.AUDIT_RETENTION_MONTHS
    if (keep !== undefined) await db.execute(sql`select audit_forget(${keep})`)
    log.info({ endedSessions, oldTokens, oldSignups, oldLimits }, 'swept what has run out')
  },
})
