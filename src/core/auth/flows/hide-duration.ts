import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than the work takes, and than the worker needs to send the email, which may run in the same process. */
const milliseconds = 300

/** Takes equally long for every email, so that the time does not reveal whether it has an account. Errors are thrown at once. */
export async function hideDuration(work: () => Promise<void>): Promise<void> {
  await Promise.all([work(), sleep(milliseconds)])
}
