import { emails } from '@/core/auth/emails'
import type { Job } from '@/core/jobs/job'
import { prune } from '@/core/jobs/prune'
import { modules } from '@/modules'

/** The jobs of core and of every installed module, including their emails. */
export async function loadJobs(): Promise<Job[]> {
  const moduleJobs = await Promise.all(modules.map((module) => module.jobs?.() ?? []))
  return [prune, ...emails, ...moduleJobs.flat()]
}
