import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../errors'
import { socketIpHeader } from './client-ip'
import { type ErrorPage, prepareDocument } from './error-pages/replace-document'
import { renderRetryPage, retryPagePolicy } from './error-pages/retry-page'
import { forgetAction, takeFailure } from './failed-pages'
import { defaultPolicy, pageHeaders, strictTransportSecurity } from './headers'
import { onEveryRequest } from './server-hooks'

const isDevelopment = process.env.NODE_ENV === 'development'

/**
 * Called once, when the server starts. Normalizes the request URL and headers, and sets `nosniff`, HSTS, a default CSP, and
 * `no-store` on every response to a write, including the responses that Next generates itself. `notFoundPage` replaces the
 * empty 404 document of pages rendered per request, and a page that tries again the empty document of an outage.
 */
export function hardenHttp(notFoundPage: ErrorPage | null = null): void {
  onEveryRequest(({ request, response }) => {
    response.setHeader('X-Content-Type-Options', 'nosniff')
    if (!isDevelopment) response.setHeader('Strict-Transport-Security', strictTransportSecurity)
    hardenResponse(request, response, notFoundPage)
    request.url = hideErrorPage(limitQuery(decodeUnreserved(withoutHost(request.url ?? '/'))))
    dropInternalHeaders(request)
    // With two Authorization headers Node reads only the first, while a proxy in front may have checked the last. The
    // request is ambiguous, so the caller counts as unauthenticated.
    if (request.headers.authorization !== undefined && hasTwoAuthorizations(request)) request.headers.authorization = ''
  })
}

// What follows runs for every request. Each function looks for one character first, and does the rest only if it is there.

/** A request line may hold an absolute URL, as for a proxy. Next would redirect to the host in it. */
function withoutHost(url: string): string {
  if (url.startsWith('/')) return url
  const absoluteUrl = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)
  if (!absoluteUrl) return url
  return absoluteUrl[1]?.startsWith('/') ? absoluteUrl[1] : `/${absoluteUrl[1]}`
}

/** Not `headersDistinct`, which copies every header. */
function hasTwoAuthorizations({ rawHeaders }: IncomingMessage): boolean {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string
    if (name.length === 'authorization'.length && name.toLowerCase() === 'authorization') count++
  }
  return count > 1
}

// "secret" in the name makes the log redact it.
const processHeader = 'x-plinth-process-secret'
const processSecret = randomBytes(32).toString('base64url')

/** Headers that Next trusts as its own: a middleware result, a revalidation, a forwarded action. */
const internalHeader = /^(x-middleware-|x-invoke-|x-prerender-|x-next-revalidat|x-action-forwarded$)/

/**
 * Drops the headers that only Next itself may send, and records the IP of the socket. Next forwards some actions, and loads
 * the page an action redirects to, over http from this same process, with the headers of the original request. The secret
 * identifies those requests, so that the IP stays that of the original caller.
 */
function dropInternalHeaders({ headers, socket }: IncomingMessage): void {
  if (headers[processHeader] === processSecret) return
  for (const name in headers) if (name.startsWith('x-') && internalHeader.test(name)) delete headers[name]
  headers[socketIpHeader] = socket.remoteAddress ?? ''
  headers[processHeader] = processSecret
}

/** Next serves its error page, with status 500, to any caller that requests this path. Make it 404. */
const hideErrorPage = (url: string) =>
  url.startsWith('/_g') ? url.replace(/^\/_global-error(?=$|[/?.])/, '/_not-found') : url

const maxQueryParameters = 200

/**
 * Next's handling of query parameters is quadratic: some thousand of them, in one request, would block the event loop for
 * seconds. Parameters beyond the limit are ignored, as in Node's own parser.
 */
function limitQuery(url: string): string {
  const start = url.indexOf('?') + 1
  if (start === 0) return url
  return url.slice(0, start) + url.slice(start).split('&', maxQueryParameters).join('&')
}

/**
 * Decodes percent-encoded unreserved characters. Next matches proxy.ts against the encoded path and the page against the
 * decoded one: `/%64ashboard` would skip the proxy and still reach `/dashboard`.
 */
function decodeUnreserved(url: string): string {
  if (!url.includes('%')) return url
  const [path = '', query] = url.split(/\?(.*)/s)
  const decoded = path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const character = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[\w~-]/.test(character) ? character : code
  })
  return query === undefined ? decoded : `${decoded}?${query}`
}

const singleHeaders = ['content-security-policy', ...Object.keys(pageHeaders)]

/**
 * A path that matches proxy.ts but no page gets the headers of proxy.ts and of the static 404 page, and the browser would
 * enforce both policies. Keeps the one of the static page, which has no nonce.
 */
function dropDuplicateHeaders(response: ServerResponse): void {
  for (const name of singleHeaders) {
    const value = response.getHeader(name)
    if (Array.isArray(value))
      response.setHeader(name, value.find((text) => !text.includes("'nonce-")) ?? value[0] ?? '')
  }
}

/** proxy.ts can match a publicly cacheable file, such as a feed. Its policy must have no nonce, which a cache would reuse. */
function dropCachedNonce(response: ServerResponse): void {
  const isCacheable = String(response.getHeader('Cache-Control')).startsWith('public')
  if (isCacheable && String(response.getHeader('Content-Security-Policy')).includes("'nonce-"))
    response.removeHeader('Content-Security-Policy')
}

/** Before another policy replaces that of the request. */
function forgetActionAfter(response: ServerResponse): void {
  const policy = String(response.getHeader('Content-Security-Policy'))
  response.once('close', () => forgetAction(policy))
}

/** Whether `If-None-Match` has the ETag that scripts/postbuild.ts set at build time. A proxy that compressed the page adds `W/`. */
function isNotModified({ headers }: IncomingMessage, response: ServerResponse): boolean {
  const known = headers['if-none-match']
  if (!known) return false
  const etag = response.getHeader('ETag')
  return known.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === etag)
}

/** Paths that never respond with a page. */
const isNoPage = (url: string) => url.startsWith('/api/') || url.startsWith('/_next/')

/** The status to send: Next responds 500 to every page that failed, whatever the reason. */
function correctStatus(response: ServerResponse): number {
  const status = response.statusCode === 500 ? takeFailure(String(response.getHeader('X-Request-Id'))) : undefined
  if (status) response.statusCode = status
  if (status === 503) response.setHeader('Retry-After', '5')
  return response.statusCode
}

/** The page to send in place of Next's document, which is empty until its scripts have run. */
function findErrorPage(
  { method = 'GET' }: IncomingMessage,
  response: ServerResponse,
  notFoundPage: ErrorPage | null,
): ErrorPage | null {
  const status = correctStatus(response)
  if (status === 404) return notFoundPage
  if (status !== 503) return null
  const requestId = String(response.getHeader('X-Request-Id'))
  const html = renderRetryPage(new AppError('unavailable'), { method, requestId })
  return { html: Buffer.from(html), policy: retryPagePolicy }
}

/**
 * Corrects four things in Next's responses. An action that redirects to a static page gets the `Cache-Control` of that page,
 * together with the caller's cookies. The response to an unknown action has no charset. Every failed page is 500, even when
 * the database is only down for a moment (503), or the request is the reason (400). The 404 or 503 of a page rendered per request
 * is an empty document.
 */
function hardenResponse(request: IncomingMessage, response: ServerResponse, notFoundPage: ErrorPage | null): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  // An RSC response at the URL of a page is not that page. Read now: Next deletes the header later.
  const isRsc = request.headers.rsc !== undefined
  const isDocument = !isRsc && !isNoPage(request.url ?? '')
  // The development server shows its own overlay in that document.
  const replaceDocument =
    isDocument && !isDevelopment
      ? prepareDocument(response, () => findErrorPage(request, response, notFoundPage))
      : null
  const writeHead = response.writeHead
  response.writeHead = ((...args: Parameters<typeof writeHead>) => {
    // A response before the whole body was read leaves the rest on the connection. Next may have stopped reading for good,
    // and the next request that a proxy sends on this connection would hang.
    if (!request.complete) response.setHeader('Connection', 'close')
    response.statusCode = args[0]
    args[0] = correctStatus(response)
    if (!isRead) forgetActionAfter(response)
    dropDuplicateHeaders(response)
    dropCachedNonce(response)
    replaceDocument?.()
    // Only now: pages and handlers have set their own policy by this time.
    if (!isDevelopment && !response.hasHeader('Content-Security-Policy'))
      response.setHeader('Content-Security-Policy', defaultPolicy)
    if (isRead) {
      if (isRsc) {
        response.removeHeader('ETag')
        // Next redirects an RSC request without the `_rsc` hash to the URL with it, without any cache headers.
        if (args[0] === 307 && !response.hasHeader('Vary')) {
          response.setHeader('Vary', 'RSC, Next-Router-State-Tree, Next-Router-Prefetch, Next-Router-Segment-Prefetch')
          response.setHeader('Cache-Control', 'private, no-store')
        }
      }
      if (args[0] === 200 && isNotModified(request, response)) {
        args[0] = 304
        response.removeHeader('Content-Length')
      }
      return writeHead.apply(response, args)
    }
    response.setHeader('Cache-Control', 'private, no-store')
    if (response.getHeader('Content-Type') === 'text/plain')
      response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    return writeHead.apply(response, args)
  }) as typeof writeHead
}
