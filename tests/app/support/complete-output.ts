import { setTimeout as wait } from 'node:timers/promises'
import type { RunningServer } from './server.ts'

/** The output of a node once all that it has written by now has arrived: it comes through a pipe, after the responses. */
export async function completeOutput({ url, output }: Pick<RunningServer, 'url' | 'output'>): Promise<string> {
  const id = crypto.randomUUID()
  const headers = { 'content-type': 'application/json', 'x-request-id': id }
  // Rejected requests are logged, with their id.
  await fetch(`${url}/api/auth/signin`, { method: 'POST', headers, body: '{}' })
  for (const end = Date.now() + 60_000; !output().includes(id); await wait(10))
    if (Date.now() > end) throw new Error(`request ${id} is not in the output`)
  return output()
}
