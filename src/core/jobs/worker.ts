import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { metrics, SpanKind } from '@opentelemetry/api'
import { PgBoss } from 'pg-boss'
import { appSlug } from '@/brand'
import { env } from '../env'
import { withRequest } from '../http/request'
import { log } from '../log'
import { startTimer } from '../telemetry/duration'
import { jobDuration } from '../telemetry/metrics'
import { inSpan, traceLinks } from '../telemetry/span'
import { timeoutMs } from '../timeout'
import type { Job } from './job'
import { queueSchema } from './migrate'
import { queueOptions } from './queue'

/** Maximum number of jobs of one kind that one worker runs concurrently. */
const maxConcurrentJobs = 2

/** Poll interval in seconds for retries. New jobs do not wait for it: PostgreSQL notifies the worker. */
const pollIntervalSeconds = 10

/** Runs jobs until it is stopped. Any number of workers may share a database. At startup it waits for the database. */
export function startWorker(jobs: Job[]): { stop: () => Promise<void> } {
  const boss = new PgBoss({
    connectionString: env.DATABASE_URL,
    application_name: `${appSlug} worker`,
    schema: queueSchema,
    migrate: false,
    max: 4,
    connectionTimeoutMillis: timeoutMs(5_000),
    // LISTEN/NOTIFY wakes the worker when a job arrives. It does not work through a pooler; then the worker polls every
    // two seconds.
    useListenNotify: env.DATABASE_POOLER === undefined,
    superviseIntervalSeconds: 15,
    monitorIntervalSeconds: 15,
  })
  boss.on('error', (error) => log.warn({ error }, 'worker error'))
  boss.on('warning', (warning) => log.warn({ warning }, 'worker warning'))

  const stopping = new AbortController()
  const started = (async () => {
    for (let tries = 1; !stopping.signal.aborted; tries++) {
      try {
        await boss.start()
        await registerJobs(boss, jobs)
        observeQueue(boss)
        log.info({ jobs: jobs.length }, 'worker started')
        return
      } catch (error) {
        log.warn({ error }, 'worker could not start; retrying')
        await sleep(Math.min(tries, 10) * 1_000, undefined, { signal: stopping.signal }).catch(() => {})
      }
    }
  })()

  return {
    stop: async () => {
      stopping.abort()
      await started
      await boss.stop({ graceful: true, timeout: 20_000 })
    },
  }
}

/** Exports the queue length as a metric. pg-boss counts every 15 seconds; reading its counts is one small query. */
function observeQueue(boss: PgBoss): void {
  metrics
    .getMeter('plinth')
    .createObservableGauge('plinth.queue.jobs', { description: 'Waiting and active jobs, by name' })
    .addCallback(async (result) => {
      // Metrics must not wait for a hanging database: they are needed most at that moment.
      const queues = await Promise.race([boss.getQueues().catch(() => []), sleep(1_000, [])])
      for (const { name, queuedCount, deferredCount, activeCount } of queues) {
        result.observe(Math.max(0, queuedCount - deferredCount), { 'plinth.job': name, 'plinth.state': 'waiting' })
        result.observe(activeCount, { 'plinth.job': name, 'plinth.state': 'active' })
      }
    })
}

async function registerJobs(boss: PgBoss, jobs: Job[]): Promise<void> {
  for (const job of jobs) {
    await boss.createQueue(job.name, queueOptions)
    await boss.work(
      job.name,
      { localConcurrency: maxConcurrentJobs, notifyPollingIntervalSeconds: pollIntervalSeconds, includeMetadata: true },
      async ([received]) => {
        if (!received) return
        await withRequest({ id: received.id, headers: new Headers() }, async () => {
          const recordDuration = startTimer(jobDuration, { 'plinth.job': job.name })
          try {
            await inSpan(`job ${job.name}`, { kind: SpanKind.CONSUMER, links: traceLinks(received.data) }, () =>
              job.work(received.data ?? {}, { id: received.id, isRetry: received.retryCount > 0 }),
            )
            recordDuration({ 'plinth.outcome': 'ok' })
          } catch (error) {
            recordDuration({ 'plinth.outcome': 'failed' })
            log.warn({ error, job: job.name }, 'job failed; retrying')
            // pg-boss stores the error with the job, so do not throw the original, which may contain secrets.
            throw new Error('see the log of the worker')
          }
        })
      },
    )
    if (job.cron) await boss.schedule(job.name, job.cron, {})
  }
}
