import type { Instrumentation } from 'next'
import { toAppError } from './core/errors'
import { markUnavailable } from './core/http/unavailable'

/** Next calls this once, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./instrumentation.node')
}

/** Logs errors of page rendering. Actions and route handlers log their own. The error page shows only the digest. */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const requestId = String(request.headers['x-request-id'])
  // Before any await: the response begins as soon as this function yields.
  if (toAppError(error).code === 'unavailable') markUnavailable(requestId)
  const { log } = await import('@/core/log')
  log.error({ error, requestId, path: request.path.split('?')[0], route: context.routePath }, 'page failed')
}
