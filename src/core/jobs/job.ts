import type { z } from 'zod'

/** Background work, run by the worker and retried until it succeeds. */
export interface Job {
  /** Unique in the app. The jobs of a module start with its name: `content.publish`. */
  name: string
  /** Schedule in cron syntax, in UTC. A scheduled run gets `{}` as data. */
  cron?: string | undefined
  isRetriedForYear?: boolean | undefined
  work(input: unknown, context: JobContext): Promise<void>
}

interface JobContext {
  id: string
  /** An earlier attempt has failed. */
  isRetry?: boolean
}

/** A job with the schema of its data. */
export interface JobFor<Data> extends Job {
  data: z.ZodType<Data>
}

/** Defines a job. List it under `jobs` in `module.ts` and start it with `enqueue`. `run` must be idempotent. */
export function defineJob<Data>(
  name: string,
  {
    data,
    cron,
    isRetriedForYear,
    run,
  }: {
    data: z.ZodType<Data>
    cron?: string
    /** For work that nothing else would ever do, such as deleting a file: when it is enqueued, retried for a year, not a day. */
    isRetriedForYear?: boolean
    run(data: Data, context: JobContext): Promise<void>
  },
): JobFor<Data> {
  return { name, cron, isRetriedForYear, data, work: (input, context) => run(data.parse(input), context) }
}
