import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pageHeaders, plainPolicy, transportSecurity } from './headers'
import { takeOutage } from './outages'

const isDevelopment = process.env.NODE_ENV === 'development'

/**
 * Called once, when the server starts. Mends what Node lets through and what those after it would read in two ways, and
 * forbids browsers to guess what an answer is, to come back without https and to make a page of what is none, and everybody
 * to keep one that is not only to be read: any answer, what Next says by itself included.
 */
export function mendIncoming(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    response.setHeader('X-Content-Type-Options', 'nosniff')
    if (!isDevelopment) response.setHeader('Strict-Transport-Security', transportSecurity)
    mendAnswer(request, response)
    // A request line may name a whole address, as for a proxy. Next would redirect to whatever host it names.
    const whole = /^https?:\/\/[^/?#]*(.*)$/i.exec(request.url ?? '')
    if (whole) request.url = whole[1]?.startsWith('/') ? whole[1] : `/${whole[1]}`
    request.url = cutQuery(inOneSpelling(request.url ?? '/'))
    // Of two of them Node shows only the first, while a proxy in front may have looked at the last. Nobody can tell which
    // was meant, so the caller is nobody.
    const isDouble = request.headers.authorization !== undefined && request.headersDistinct.authorization?.[1]
    if (isDouble) request.headers.authorization = ''
  })
}

const mostInQuery = 200

/**
 * Next looks for each part of a query among all others: some thousand of them fit into one request, and would hold up everybody
 * for seconds. What is beyond the first few counts as not sent, as with Node's own parser.
 */
function cutQuery(url: string): string {
  const start = url.indexOf('?') + 1
  if (start === 0) return url
  return url.slice(0, start) + url.slice(start).split('&', mostInQuery).join('&')
}

/**
 * A letter that is written as its number is that letter. Next chooses what comes before a page by the one spelling and the
 * page by the other: such an address would pass the one and miss the other.
 */
function inOneSpelling(url: string): string {
  const [path = '', query] = url.split(/\?(.*)/s)
  const plain = path.replace(/%[0-9a-f]{2}/gi, (code) => {
    const letter = String.fromCharCode(Number.parseInt(code.slice(1), 16))
    return /[\w~-]/.test(letter) ? letter : code
  })
  return query === undefined ? plain : `${plain}?${query}`
}

/**
 * An address that proxy.ts takes for a page and Next for none gets the headers of both, and a browser would hold the page that
 * says so to two policies. That page is static: its own policy names no nonce.
 */
function sendOnce(response: ServerResponse): void {
  for (const name of ['content-security-policy', ...Object.keys(pageHeaders)]) {
    const value = response.getHeader(name)
    if (Array.isArray(value))
      response.setHeader(name, value.find((text) => !text.includes("'nonce-")) ?? value[0] ?? '')
  }
}

/** An action that another site, or what no browser would call one, had sent: Next refuses those by itself. */
function isFromElsewhere({ method, url = '', headers }: IncomingMessage): boolean {
  const { origin, host } = headers
  if (method !== 'POST' || url.startsWith('/api/') || origin === undefined) return false
  // As Next reads it: the first of several.
  const [named = ''] = String(headers['x-forwarded-host'] ?? '').split(',')
  return !URL.canParse(origin) || new URL(origin).host !== (named.trim() || host)
}

/** Whether the caller has what was made at build time (scripts/seal.ts) as it is now. A proxy that compressed it says `W/`. */
function isKept({ headers }: IncomingMessage, response: ServerResponse): boolean {
  const mark = response.getHeader('ETag')
  return (headers['if-none-match'] ?? '').split(',').some((kept) => kept.trim().replace(/^W\//, '') === mark)
}

/**
 * Next answers an action that leads to a static page with what that page says about caches, beside the caller's cookies. To
 * an action that it does not know it says so in no charset. And every page that fails is 500 to it, one that can be tried
 * again soon and one that it refused to another site included.
 */
function mendAnswer(request: IncomingMessage, response: ServerResponse): void {
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  // What Next's own scripts get at the address of a page is not that page. Asked for now: Next takes the header away.
  const isForScript = request.headers.rsc !== undefined
  const writeHead = response.writeHead
  response.writeHead = ((...given: Parameters<typeof writeHead>) => {
    // Whoever is refused before all was read leaves the rest on the connection. Next may have stopped reading for good, and
    // whatever a proxy sends there after it, for anybody, would wait without end.
    if (!request.complete) response.setHeader('Connection', 'close')
    if (given[0] === 500 && takeOutage(String(response.getHeader('X-Request-Id')))) {
      given[0] = 503
      response.setHeader('Retry-After', '5')
    }
    if (given[0] === 500 && isFromElsewhere(request)) given[0] = 403
    sendOnce(response)
    // Only now: pages, and what handlers answer, have brought their own.
    if (!isDevelopment && !response.hasHeader('Content-Security-Policy'))
      response.setHeader('Content-Security-Policy', plainPolicy)
    if (isRead) {
      if (isForScript) response.removeHeader('ETag')
      if (given[0] === 200 && isKept(request, response)) {
        given[0] = 304
        response.removeHeader('Content-Length')
      }
      return writeHead.apply(response, given)
    }
    response.setHeader('Cache-Control', 'private, no-store')
    if (response.getHeader('Content-Type') === 'text/plain')
      response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    return writeHead.apply(response, given)
  }) as typeof writeHead
}
