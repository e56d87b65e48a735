import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { AppError } from '../errors'

interface RequestStart {
  request: IncomingMessage
  response: ServerResponse
  server: Server
}

type Listener = (event: RequestStart) => void

// On globalThis, because routes and instrumentation are separate bundles.
const shared = globalThis as { plinthRequestListeners?: Listener[]; plinthHasSeenRequest?: boolean }

/** Calls the listener for each HTTP request of this process, before any handler runs. */
export function onEveryRequest(listener: Listener): void {
  shared.plinthRequestListeners ??= subscribeOnce()
  shared.plinthRequestListeners.push(listener)
}

/** The only subscription of this process. Node marks the channel as experimental. */
function subscribeOnce(): Listener[] {
  const listeners: Listener[] = []
  subscribe('http.server.request.start', (message) => {
    shared.plinthHasSeenRequest = true
    for (const listener of listeners) listener(message as RequestStart)
  })
  return listeners
}

/**
 * Throws if a production server handles a request and no listener has ever run. Without the listeners, callers could
 * forge their IP, and those who do not would share one rate limit. `next build` has no server. 503, because a request
 * that arrives while the server starts may be too early for the listeners.
 */
export function requireServerHooks(): void {
  const isServer = process.env.NODE_ENV === 'production' && process.env.NEXT_PHASE !== 'phase-production-build'
  if (shared.plinthHasSeenRequest || !isServer) return
  const cause = new Error('Node did not publish http.server.request.start: see docs/decisions/0023-what-we-patch.md')
  throw new AppError('unavailable', undefined, { cause })
}
