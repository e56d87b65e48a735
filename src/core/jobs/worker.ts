import 'server-only'
import { PgBoss } from 'pg-boss'
import { env } from '../env'
import { log } from '../log'
import { withRequest } from '../request'
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
    // Woken by PostgreSQL when a job arrives; without that (behind a transaction pooler) it looks every two seconds.
    useListenNotify: true,
    superviseIntervalSeconds: 15,
    monitorIntervalSeconds: 15,
  })
  boss.on('error', (error) => log.warn({ error }, 'the worker complains'))
  boss.on('warning', (warning) => log.warn({ warning }, 'the worker warns'))

  let isStopping = false
  const started = (async () => {
    for (let tries = 1; !isStopping; tries++) {
      try {
        await boss.start()
        await takeUp(boss, jobs)
        log.info({ jobs: jobs.length }, 'worker started')
        return
      } catch (error) {
        log.warn({ error }, 'the worker could not start; trying again')
        await new Promise((resolve) => setTimeout(resolve, Math.min(tries, 10) * 1_000))
      }
    }
  })()

  return {
    stop: async () => {
      isStopping = true
      await started
      await boss.stop({ graceful: true, timeout: 20_000 })
    },
  }
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
          try {
            await job.work(given.data ?? {}, { id: given.id })
          } catch (error) {
            log.warn({ error, job: job.name }, 'job failed; it is tried again')
            throw new Error('see the log of the worker') // what is thrown is stored with the job, and may hold anything
          }
        })
      },
    )
    if (job.cron) await boss.schedule(job.name, job.cron, {})
  }
}
