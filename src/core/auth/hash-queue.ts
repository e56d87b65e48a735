import { availableParallelism } from 'node:os'
import { AppError } from '../errors'
import { hashesWaiting } from '../telemetry/metrics'

/** One core stays free for everything else: hashing on all of them stopped other requests almost entirely. */
const places = Math.max(1, availableParallelism() - 1)
const mostWaiting = 50
const longestWait = 2_000

let running = 0
const waiting = new Set<() => void>()

/** Runs the work when a place is free. A crowd is told to come back, instead of waiting for ever and slowing everybody. */
export async function inHashQueue<T>(work: () => Promise<T>): Promise<T> {
  if (running >= places) await waitForPlace()
  else running++
  try {
    return await work()
  } finally {
    const [next] = waiting
    // The place is handed on, not given up: nobody can slip in between.
    if (next) next()
    else running--
  }
}

function waitForPlace(): Promise<void> {
  if (waiting.size >= mostWaiting) throw new AppError('unavailable', 'Too many people are signing in right now')
  return new Promise((resolve, reject) => {
    const leave = () => {
      waiting.delete(proceed)
      hashesWaiting.add(-1)
    }
    const timer = setTimeout(() => {
      leave()
      reject(new AppError('unavailable', 'Too many people are signing in right now'))
    }, longestWait)
    const proceed = () => {
      clearTimeout(timer)
      leave()
      resolve()
    }
    waiting.add(proceed)
    hashesWaiting.add(1)
  })
}
