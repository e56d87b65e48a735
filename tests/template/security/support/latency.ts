// Measures how long other requests wait while the app is busy with an attack.
import { setTimeout as pause } from 'node:timers/promises'
import { call } from '../../../app/support/http-client.ts'

/** Response times in milliseconds of sequential requests to /api/health while the work runs. */
export async function measureLatencies(url: string, work: () => Promise<unknown>): Promise<number[]> {
  const latencies: number[] = []
  let isDone = false
  const watch = async () => {
    while (!isDone) {
      latencies.push((await call(url, '/api/health')).milliseconds)
      await pause(2)
    }
  }
  const watching = watch()
  // A request still running when the work ends belongs to the measurement.
  await work().finally(() => (isDone = true))
  await watching
  return latencies
}

/**
 * The longest wait that the work adds over the longest wait of a quiet period right before. Returns the minimum of five
 * tries, because a busy machine only adds time, and an app that blocks does so every time.
 */
export async function measureAddedLatency(url: string, work: () => Promise<unknown>): Promise<number> {
  let minimum = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5 && minimum > 50; round++) {
    const quiet = Math.max(...(await measureLatencies(url, () => pause(150))))
    const busy = Math.max(...(await measureLatencies(url, work)))
    minimum = Math.min(minimum, Math.max(0, busy - quiet))
  }
  return minimum
}
