import type { Instrumentation } from 'next'
import { toAppError } from './core/errors'
import { noteOutage } from './core/outages'

/** Next calls this once, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./instrumentation.node')
}

/** Errors while a page is made. Actions and route handlers log their own. The digest is what the visitor sees. */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const requestId = String(request.headers['x-request-id'])
  // At once: the answer begins as soon as this waits for something.
  if (toAppError(error).code === 'unavailable') noteOutage(requestId)
  const { log } = await import('@/core/log')
  log.error({ error, requestId, path: request.path.split('?')[0], route: context.routePath }, 'page failed')
}
