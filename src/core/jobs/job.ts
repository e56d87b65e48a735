import type { z } from 'zod'

/** Work that is done apart from the request that caused it, again and again until it succeeds. */
export interface Job {
  /** Unique in the app: a module's jobs begin with its name, `content.publish`. */
  name: string
  /** When to run it by itself, in cron's notation and UTC; it is then given `{}`. */
  cron?: string | undefined
  work(given: unknown, context: { id: string }): Promise<void>
}

/** A job, and what it must be given. */
export interface JobFor<Data> extends Job {
  data: z.ZodType<Data>
}

/** Describes a job. List it in `jobs` of `module.ts`, put it to work with `enqueue`. `run` must bear being run twice. */
export function defineJob<Data>(
  name: string,
  {
    data,
    cron,
    run,
  }: {
    data: z.ZodType<Data>
    cron?: string
    run(data: Data, context: { id: string }): Promise<void>
  },
): JobFor<Data> {
  return { name, cron, data, work: (given, context) => run(data.parse(given), context) }
}
