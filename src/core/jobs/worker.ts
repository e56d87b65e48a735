import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { metrics, SpanKind } from '@opentelemetry/api'
import { PgBoss } from 'pg-boss'
import { env } from '../env'
import { log } from '../log'
import { withRequest } from '../request'
import { takeTime } from '../telemetry/duration'
import { jobDuration } from '../telemetry/metrics'
import { inSpan, linksTo } from '../telemetry/span'
import type { Job } from './job'
import { queueSchema } from './migrate'
import { queueOptions } from './queue'

/** Jobs of one kind that one worker does at the same time. */
const atOnce = 2

/** New jobs announce themselves; this is how often those that wait for another try are looked for. */
const lookEvery = 10

/**
 * Works on the jobs until it is stopped. Any number of workers may share a database. A database that is away when it
 * starts is waited for.
 */
export function startWorker(jobs: Job[]): { stop: () => Promise<void> } {
  const boss = new PgBoss({
    connectionString: env.DATABASE_URL,
    application_name: 'plinth worker',
    schema: queueSchema,
    migrate: false,
    max: 4,
    connectionTimeoutMillis: 5_000,
    // Woken by PostgreSQL when a job arrives; a pooler does not pass that on, and it looks every two seconds.
    useListenNotify: env.DATABASE_POOLER === undefined,
    superviseIntervalSeconds: 15,
    monitorIntervalSeconds: 15,
  })
  boss.on('error', (error) => log.warn({ error }, 'the worker complains'))
  boss.on('warning', (warning) => log.warn({ warning }, 'the worker warns'))

  const stopping = new AbortController()
  const started = (async () => {
    for (let tries = 1; !stopping.signal.aborted; tries++) {
      try {
        await boss.start()
        await takeUp(boss, jobs)
        observeQueue(boss)
        log.info({ jobs: jobs.length }, 'worker started')
        return
      } catch (error) {
        log.warn({ error }, 'the worker could not start; trying again')
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

/** The queue counts itself every fifteen seconds; reading that is one small query. */
function observeQueue(boss: PgBoss): void {
  metrics
    .getMeter('plinth')
    .createObservableGauge('plinth.queue.jobs', { description: 'Jobs that wait, and jobs that are worked on, by name' })
    .addCallback(async (result) => {
      // Figures must not wait for a database that hangs: that is when they are looked at.
      const queues = await Promise.race([boss.getQueues().catch(() => []), sleep(1_000, [])])
      for (const { name, queuedCount, deferredCount, activeCount } of queues) {
        result.observe(Math.max(0, queuedCount - deferredCount), { 'plinth.job': name, 'plinth.state': 'waiting' })
        result.observe(activeCount, { 'plinth.job': name, 'plinth.state': 'active' })
      }
    })
}

async function takeUp(boss: PgBoss, jobs: Job[]): Promise<void> {
  for (const job of jobs) {
    await boss.createQueue(job.name, queueOptions)
    await boss.work(
      job.name,
      { localConcurrency: atOnce, notifyPollingIntervalSeconds: lookEvery },
      async ([given]) => {
        if (!given) return
        await withRequest({ id: given.id, headers: new Headers() }, async () => {
          const note = takeTime(jobDuration, { 'plinth.job': job.name })
          try {
            await inSpan(`job ${job.name}`, { kind: SpanKind.CONSUMER, links: linksTo(given.data) }, () =>
              job.work(given.data ?? {}, { id: given.id }),
            )
            note({ 'plinth.outcome': 'ok' })
          } catch (error) {
            note({ 'plinth.outcome': 'failed' })
            log.warn({ error, job: job.name }, 'job failed; it is tried again')
            throw new Error('see the log of the worker') // what is thrown is stored with the job, and may hold anything
          }
        })
      },
    )
    if (job.cron) await boss.schedule(job.name, job.cron, {})
  }
}
