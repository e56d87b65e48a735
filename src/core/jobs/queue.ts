import 'server-only'
import { SpanKind } from '@opentelemetry/api'
import { sql } from 'drizzle-orm'
import { fromDrizzle, PgBoss } from 'pg-boss'
import { type Database, pool } from '../db/client'
import { log } from '../log'
import { inSpan, serializeTrace } from '../telemetry/span'
import type { Job, JobFor } from './job'
import { queueSchema } from './migrate'

const hour = 60 * 60

/**
 * Retries for about a day, with delays from seconds up to an hour. The job of a crashed worker is retried after a
 * minute.
 */
export const queueOptions = {
  retryLimit: 34,
  retryDelay: 2,
  retryBackoff: true,
  retryDelayMax: hour,
  expireInSeconds: 60,
  retentionSeconds: 48 * hour,
  // Do not keep the data of finished jobs.
  deleteAfterSeconds: hour,
  notify: true,
}

/** With delays of up to a day. Without the longer retention, the queue would drop a job that still waits for its next try. */
const yearOptions = {
  retryLimit: 400,
  retryBackoff: true,
  retryDelayMax: 24 * hour,
  retentionSeconds: 365 * 24 * hour,
}

const shared = globalThis as {
  plinthQueue?: Promise<PgBoss> | undefined
  plinthQueues?: Set<string>
  plinthListedJobs?: Set<string>
}

/** From now on, `enqueue` rejects every other job: no worker would run it. */
export function acceptOnly(jobs: Job[]): void {
  shared.plinthListedJobs = new Set(jobs.map(({ name }) => name))
}

async function openQueue(): Promise<PgBoss> {
  const boss = new PgBoss({
    schema: queueSchema,
    db: { executeSql: (text, values) => pool.query(text, values as unknown[]) },
    migrate: false,
    supervise: false,
    schedule: false,
  })
  boss.on('error', (error) => log.warn({ error }, 'queue error'))
  return boss.start()
}

/** The queue client for enqueuing, opened by the first call. If opening fails, the next call tries again. */
function queue(): Promise<PgBoss> {
  shared.plinthQueue ??= openQueue().catch((error) => {
    shared.plinthQueue = undefined
    throw error
  })
  return shared.plinthQueue
}

/**
 * Enqueues a job in the transaction that causes it; with `db` if nothing else is written. The job exists only if the
 * transaction is committed. It starts at once, at a time, or some seconds from now by the clock of the database.
 */
export async function enqueue<Data>(
  tx: Pick<Database, 'execute'>,
  job: JobFor<Data>,
  data: Data,
  options: { startAfter?: Date | number } = {},
): Promise<void> {
  if (shared.plinthListedJobs?.has(job.name) === false)
    throw new Error(`${job.name} is not in the list of jobs: add it to "jobs" in module.ts and restart the app`)
  const boss = await queue()
  shared.plinthQueues ??= new Set()
  if (!shared.plinthQueues.has(job.name)) {
    await boss.createQueue(job.name, queueOptions)
    shared.plinthQueues.add(job.name)
  }
  const sendOptions = { ...options, ...(job.isRetriedForYear && yearOptions), db: fromDrizzle(tx, sql) }
  await inSpan(`enqueue ${job.name}`, { kind: SpanKind.PRODUCER }, () =>
    boss.send(job.name, { ...data, ...serializeTrace() }, sendOptions),
  )
}
