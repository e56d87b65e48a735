import type { Instrumentation } from 'next'
import { toAppError } from './core/errors'
import { isUnreadAction, markFailure } from './core/http/failed-pages'

/** Next calls this once, before the first request. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') await import('./instrumentation.node')
}

/** Logs errors of page rendering. Actions and route handlers log their own. The error page shows only the digest. */
export const onRequestError: Instrumentation.onRequestError = async (error, request, context) => {
  if (process.env.NEXT_RUNTIME !== 'nodejs') return
  const requestId = String(request.headers['x-request-id'])
  const isOutage = toAppError(error).code === 'unavailable'
  const policy = request.headers['content-security-policy']?.toString()
  const isUnread = !isOutage && isUnreadAction(request.method, policy)
  // Before any await: the response begins as soon as this function yields.
  if (isOutage || isUnread) markFailure(requestId, isOutage ? 503 : 400)
  const { log } = await import('@/core/log')
  const details = { error, requestId, path: request.path.split('?')[0], route: context.routePath }
  // Any caller can cause this, so it is no error of the app.
  if (isUnread) log.warn(details, 'action failed before it began')
  else log.error(details, 'page failed')
}
