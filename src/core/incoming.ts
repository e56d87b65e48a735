import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Called once, when the server starts. Mends what Node lets through and what those after it would read in two ways, and
 * forbids browsers to guess what an answer is, and everybody to keep one that is not only to be read: any answer, what Next
 * says by itself included.
 */
export function mendIncoming(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse }
    response.setHeader('X-Content-Type-Options', 'nosniff')
    if (request.method !== 'GET' && request.method !== 'HEAD') mendAnswer(response)
    // A request line may name a whole address, as for a proxy. Next would redirect to whatever host it names.
    const whole = /^https?:\/\/[^/?#]*(.*)$/i.exec(request.url ?? '')
    if (whole) request.url = whole[1]?.startsWith('/') ? whole[1] : `/${whole[1]}`
    // Of two of them Node shows only the first, while a proxy in front may have looked at the last. Nobody can tell which
    // was meant, so the caller is nobody.
    const isDouble = request.headers.authorization !== undefined && request.headersDistinct.authorization?.[1]
    if (isDouble) request.headers.authorization = ''
  })
}

/**
 * Next answers an action that leads to a static page with what that page says about caches, beside the caller's cookies. And
 * to an action that it does not know it says so in no charset.
 */
function mendAnswer(response: ServerResponse): void {
  const writeHead = response.writeHead
  response.writeHead = ((...given: Parameters<typeof writeHead>) => {
    response.setHeader('Cache-Control', 'private, no-store')
    if (response.getHeader('Content-Type') === 'text/plain')
      response.setHeader('Content-Type', 'text/plain; charset=utf-8')
    return writeHead.apply(response, given)
  }) as typeof writeHead
}
