import {
  deletedMail,
  firstAdminMail,
  passwordChangedMail,
  passwordLockedMail,
  providerConnectedMail,
  resetMail,
  signUpMail,
} from '@/core/auth/mails'
import type { Job } from '@/core/jobs/job'
import { prune } from '@/core/jobs/prune'
import { startWorker } from '@/core/jobs/worker'
import { modules } from '@/modules'

const coreJobs: Job[] = [
  prune,
  signUpMail,
  resetMail,
  firstAdminMail,
  passwordChangedMail,
  passwordLockedMail,
  providerConnectedMail,
  deletedMail,
]

/** Works on the jobs of core and of every installed module. */
export async function startAppWorker(): Promise<{ stop: () => Promise<void> }> {
  const ofModules = await Promise.all(modules.map((module) => module.jobs?.() ?? []))
  return startWorker([...coreJobs, ...ofModules.flat()])
}
