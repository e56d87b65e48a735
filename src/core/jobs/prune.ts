import 'server-only'
import { lt, sql } from 'drizzle-orm'
import { z } from 'zod'
import { maxSessionSeconds } from '../auth/session/settings'
import { db } from '../db/client'
import { rateLimits, sessions, signups, tokens } from '../db/schema'
import { env } from '../env'
import { log } from '../log'
import { defineJob } from './job'

/** Deletes expired rows to keep the tables small. Expired rows are never accepted, deleted or not. */
export const prune = defineJob('core.prune', {
  data: z.object({}),
  cron: '17 * * * *',
  run: async () => {
    const before = (seconds: number) => sql`now() - make_interval(secs => ${seconds})`
    const { rowCount: endedSessions } = await db
      .delete(sessions)
      .where(lt(sessions.createdAt, before(maxSessionSeconds)))
    const { rowCount: oldTokens } = await db.delete(tokens).where(lt(tokens.expiresAt, sql`now()`))
    // A sign-up link is valid for a day from when its email is sent, which may be up to a day late.
    const { rowCount: oldSignups } = await db.delete(signups).where(lt(signups.createdAt, before(3 * 24 * 60 * 60)))
    const { rowCount: oldLimits } = await db.delete(rateLimits).where(lt(rateLimits.expire, Date.now()))
    await db.execute(sql`select audit_prepare(3)`)
    const retentionMonths = env.AUDIT_RETENTION_MONTHS
    if (retentionMonths !== undefined) await db.execute(sql`select audit_forget(${retentionMonths})`)
    log.info({ endedSessions, oldTokens, oldSignups, oldLimits }, 'expired rows deleted')
  },
})
