import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { env } from '../env'
import { closeIdleConnections } from '../http/keep-alive'
import { onEveryRequest } from '../http/server-hooks'
import { log } from '../log'

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof exitCodes

/** Milliseconds for requests in flight to finish after the listener is closed. */
const inFlightTimeoutMs = 25_000

/** npm forwards a signal that a service manager has sent to the whole group: a second one within this time is a duplicate. */
const duplicateSignalMs = 1_000

// On globalThis, because routes and instrumentation are separate bundles.
const shared = globalThis as { plinthIsDraining?: boolean }

/** Whether this node has received a signal and only serves requests until the load balancer has noticed. */
export const isDraining = () => shared.plinthIsDraining === true

/**
 * Called once, when the server starts, after Next has installed its signal listeners. Next alone would close the listener
 * at once, while the load balancer still sends requests. So on a signal this node first reports "not ready"; DRAIN_MS later,
 * Next closes the listener, finishes requests in flight and exits. A second signal exits immediately.
 */
export function drainOnSignals(stopWorker: () => Promise<void>, flushTraces: () => Promise<void>): void {
  let signaledAt: number | undefined
  for (const signal of Object.keys(exitCodes) as Signal[]) {
    const listeners = process.listeners(signal)
    // A later version of Next may install them later or elsewhere: this node would then drain twice, or never close.
    if (listeners.length === 0) log.error({ signal }, 'no signal listener of Next found; this node cannot drain')
    process.removeAllListeners(signal)
    process.on(signal, () => {
      if (signaledAt === undefined) {
        signaledAt = performance.now()
        drain(signal, stopWorker, flushTraces, () => {
          for (const listener of listeners) listener(signal)
        })
      } else if (performance.now() - signaledAt > duplicateSignalMs) {
        log.warn('second signal received, exiting now')
        process.exit(exitCodes[signal])
      }
    })
  }
}

async function drain(
  signal: NodeJS.Signals,
  stopWorker: () => Promise<void>,
  flushTraces: () => Promise<void>,
  close: () => void,
): Promise<void> {
  shared.plinthIsDraining = true
  log.info({ milliseconds: env.DRAIN_MS }, `${signal} received, draining`)
  setTimeout(() => {
    log.warn('requests still in flight after the drain timeout, exiting')
    process.exit(1)
  }, env.DRAIN_MS + inFlightTimeoutMs)
  onEveryRequest(({ response }) => response.setHeader('Connection', 'close'))
  const workerStopped = stopWorker().catch((error) => log.warn({ error }, 'worker did not stop cleanly'))
  await Promise.all([sleep(env.DRAIN_MS), workerStopped])
  // Before Next's listeners run: Next exits the process once no request is in flight.
  await flushTraces()
  close()
  setInterval(closeIdleConnections, 100)
}
