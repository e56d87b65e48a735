import 'server-only'
import { SpanKind } from '@opentelemetry/api'
import { sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import { pool, type Transaction } from '../db/client'
import { log } from '../log'
import { carryTrace, inSpan } from '../telemetry/span'
import type { JobFor } from './job'
import { queueSchema } from './migrate'

const hour = 60 * 60

/** Tried for about a day, first after seconds, then every hour. A worker that dies in the middle is replaced in a minute. */
export const queueOptions = {
  retryLimit: 34,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: hour,
  expireInSeconds: 60,
  retentionSeconds: 48 * hour,
  // What a job was about is nobody's business once it is done.
  deleteAfterSeconds: hour,
  notify: true,
}

const shared = globalThis as { plinthQueue?: Promise<PgBoss> | undefined; plinthQueues?: Set<string> }

async function open(): Promise<PgBoss> {
  const boss = new PgBoss({
    schema: queueSchema,
    db: { executeSql: (text, values) => pool.query(text, values as unknown[]) },
    migrate: false,
    supervise: false,
    schedule: false,
  })
  boss.on('error', (error) => log.warn({ error }, 'the queue complains'))
  return boss.start()
}

/** For putting jobs in. Opened at the first one; a database that is away then is asked again at the next. */
function queue(): Promise<PgBoss> {
  shared.plinthQueue ??= open().catch((error) => {
    shared.plinthQueue = undefined
    throw error
  })
  return shared.plinthQueue
}

/**
 * Puts a job into the queue as part of the transaction that causes it: it is there when the rest is, and never for
 * something that was rolled back.
 */
export async function enqueue<Data>(
  tx: Transaction,
  job: JobFor<Data>,
  data: Data,
  options: { startAfter?: Date } = {},
): Promise<void> {
  const boss = await queue()
  shared.plinthQueues ??= new Set()
  if (!shared.plinthQueues.has(job.name)) {
    await boss.createQueue(job.name, queueOptions)
    shared.plinthQueues.add(job.name)
  }
  await inSpan(`enqueue ${job.name}`, { kind: SpanKind.PRODUCER }, () =>
    boss.send(job.name, { ...data, ...carryTrace() }, { ...options, db: fromDrizzle(tx, sql) }),
  )
}
