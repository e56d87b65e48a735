import { setImmediate } from 'node:timers/promises'

export type Pause = () => Promise<void>

/** To be awaited between the steps of a long computation: lets other requests run, if the last pause was some time ago. */
export function createPause(afterMs = 10): Pause {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < afterMs) return
    await setImmediate()
    since = performance.now()
  }
}
