// How long others wait while somebody misbehaves, seen from outside.
import { call } from './client.ts'

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

/** Milliseconds of one request after the other, for as long as the work lasts. */
export async function waitsDuring(url: string, work: () => Promise<unknown>): Promise<number[]> {
  const waits: number[] = []
  let isOver = false
  const watch = async () => {
    while (!isOver) {
      waits.push((await call(url, '/api/health')).milliseconds)
      await pause(2)
    }
  }
  const watching = watch()
  // One that is on its way when the work ends belongs to it.
  await work().finally(() => (isOver = true))
  await watching
  return waits
}

/**
 * The longest wait that the work adds to that of a quiet time just before. The least of five tries: a busy machine only ever
 * adds, and an app that holds everybody up does so each time.
 */
export async function addedWait(url: string, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < 5 && least > 50; round++) {
    const quiet = Math.max(...(await waitsDuring(url, () => pause(150))))
    const busy = Math.max(...(await waitsDuring(url, work)))
    least = Math.min(least, Math.max(0, busy - quiet))
  }
  return least
}
