import { startWorker } from '@/core/jobs/worker'
import { loadJobs } from '@/jobs'

/** Starts a worker for the jobs of core and of every installed module. */
export async function startAppWorker(): Promise<{ stop: () => Promise<void> }> {
  return startWorker(await loadJobs())
}
