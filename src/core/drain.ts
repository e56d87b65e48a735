import 'server-only'
import { subscribe } from 'node:diagnostics_channel'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { closeQuietConnections } from './connections'
import { env } from './env'
import { log } from './log'

const exitCodes = { SIGINT: 130, SIGTERM: 143 } as const
type Signal = keyof typeof exitCodes

/** What is still under way when no new connection is taken has so many milliseconds. */
const patience = 25_000

/** npm passes a signal on that a service manager has sent to both: so soon after the first it is the same one. */
const echo = 1_000

// Routes are bundled apart from what runs when the server starts.
const shared = globalThis as { plinthIsDraining?: boolean }

/** Whether this node was told to end, and only finishes what comes its way until the balancer has noticed. */
export const isDraining = () => shared.plinthIsDraining === true

/**
 * Called once, when the server starts and Next listens to signals already. Next alone would refuse connections at once,
 * while the balancer still sends requests here. So a signal first makes this node say that it is not ready; DRAIN_MS later,
 * Next may close the listener, finish what is under way and exit. A second signal ends everything on the spot.
 */
export function drainOnSignals(stopWork: () => Promise<void>, sendTraces: () => Promise<void>): void {
  let since: number | undefined
  for (const signal of Object.keys(exitCodes) as Signal[]) {
    const listeners = process.listeners(signal)
    process.removeAllListeners(signal)
    process.on(signal, () => {
      if (since === undefined) {
        since = performance.now()
        drain(stopWork, sendTraces, () => {
          for (const listener of listeners) listener(signal)
        })
      } else if (performance.now() - since > echo) {
        log.warn('told again to end: at once')
        process.exit(exitCodes[signal])
      }
    })
  }
}

async function drain(stopWork: () => Promise<void>, sendTraces: () => Promise<void>, close: () => void): Promise<void> {
  shared.plinthIsDraining = true
  log.info({ milliseconds: env.DRAIN_MS }, 'told to end: draining')
  setTimeout(() => {
    log.warn('something is still under way: ending all the same')
    process.exit(1)
  }, env.DRAIN_MS + patience)
  subscribe('http.server.request.start', (message) => {
    const { response } = message as { response: ServerResponse }
    response.setHeader('Connection', 'close')
  })
  const work = stopWork().catch((error) => log.warn({ error }, 'the worker did not stop well'))
  await Promise.all([sleep(env.DRAIN_MS), work])
  // Before Next is told: it ends the process when nothing is under way.
  await sendTraces()
  close()
  setInterval(closeQuietConnections, 100)
}
