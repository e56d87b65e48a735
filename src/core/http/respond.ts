import 'server-only'
import { type AppError, toProblem } from '../errors'
import { log } from '../log'
import { corsHeaders, preflightHeaders } from './cors'
import { renderRetryPage, retryPagePolicy } from './error-pages/retry-page'
import { pageHeaders } from './headers'

const apiHeaders = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'strict-origin-when-cross-origin',
}

/** The response to OPTIONS, with the CORS headers of a preflight. */
export function optionsResponse(request: Request, allow: string[]): Response {
  const headers = {
    ...apiHeaders,
    ...corsHeaders(request),
    ...preflightHeaders(request, allow),
    'Cache-Control': 'private, no-store',
    Allow: allow.join(', '),
  }
  return new Response(null, { status: 204, headers })
}

export function withHeaders(response: Response, headers: Record<string, string>): Response {
  for (const name in headers) response.headers.set(name, headers[name] ?? '')
  return response
}

/** What `run` returned, as a response: data becomes JSON. */
export function toResponse(result: unknown, cache = 'private, no-store'): Response {
  if (!(result instanceof Response)) {
    return new Response(JSON.stringify(result ?? null), {
      headers: { ...apiHeaders, 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': cache },
    })
  }
  // A copy: the headers of `Response.redirect()` and of fetched responses are immutable.
  const { status, statusText, body } = result
  const headers = new Headers({ ...apiHeaders, 'Cache-Control': status < 400 ? cache : 'private, no-store' })
  for (const [name, value] of result.headers) {
    if (name === 'set-cookie') headers.append(name, value)
    else headers.set(name, value)
  }
  // `Response.json()` sends no charset.
  if (headers.get('content-type') === 'application/json') headers.set('Content-Type', 'application/json; charset=utf-8')
  return new Response(body, { status, statusText, headers })
}

/** Whether a browser shows the response as a page. A page cannot forge these headers. */
const isNavigation = ({ headers }: Request) =>
  headers.get('sec-fetch-mode') === 'navigate' && headers.get('sec-fetch-dest') === 'document'

/**
 * The response to an error: problem+json, or for an error that passes (429, 503), opened in a browser, a page that tries again.
 * Logs errors of the server (5xx).
 */
export function errorResponse(error: AppError, request: Request, requestId: string): Response {
  if (error.status >= 500) log.error({ error: error.cause ?? error }, 'request failed')
  if (!error.retryAfter || !isNavigation(request)) return problemResponse(error, requestId)
  return new Response(renderRetryPage(error, { method: request.method, requestId }), {
    status: error.status,
    headers: {
      ...pageHeaders,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': retryPagePolicy,
      'Cache-Control': 'private, no-store',
      'X-Request-Id': requestId,
      'Retry-After': String(error.retryAfter),
    },
  })
}

function problemResponse(error: AppError, requestId: string): Response {
  return new Response(JSON.stringify(toProblem(error, requestId)), {
    status: error.status,
    headers: {
      ...apiHeaders,
      'Content-Type': 'application/problem+json; charset=utf-8',
      'Cache-Control': 'private, no-store',
      'X-Request-Id': requestId,
      ...(error.allow && { Allow: error.allow.join(', ') }),
      ...(error.retryAfter && { 'Retry-After': String(error.retryAfter) }),
      ...(error.status === 401 && { 'WWW-Authenticate': 'Bearer' }),
    },
  })
}
