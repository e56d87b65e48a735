import { availableParallelism } from 'node:os'
import { AppError } from '../../errors'
import { queuedHashes } from '../../telemetry/metrics'
import { timeoutMs } from '../../timeout'

/** Leaves one core free: hashing on all cores almost stopped other requests. */
const maxConcurrent = Math.max(1, availableParallelism() - 1)
const maxWaiting = 50
const maxWaitMs = timeoutMs(2_000)

let running = 0
const waiting = new Set<() => void>()

/** Runs the work when a slot is free. Throws `unavailable` if the queue is full or the wait is too long. */
export async function runInHashQueue<T>(work: () => Promise<T>): Promise<T> {
  if (running >= maxConcurrent) await waitForSlot()
  else running++
  try {
    return await work()
  } finally {
    const [next] = waiting
    // Hand the slot over without freeing it, so that no other call can take it in between.
    if (next) next()
    else running--
  }
}

function waitForSlot(): Promise<void> {
  if (waiting.size >= maxWaiting) throw new AppError('unavailable', 'We’re busy right now. Try again in a moment.')
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(proceed)
      queuedHashes.add(-1)
    }
    const timer = setTimeout(() => {
      leave()
      reject(new AppError('unavailable', 'We’re busy right now. Try again in a moment.'))
    }, maxWaitMs)
    const proceed = () => {
      clearTimeout(timer)
      leave()
      resolve()
    }
    waiting.add(proceed)
    queuedHashes.add(1)
  })
}
