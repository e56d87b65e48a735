import { subscribe } from 'node:diagnostics_channel'
import type { IncomingMessage } from 'node:http'

/** Called once, when the server starts. Mends what Node lets through and what those after it would read in two ways. */
export function mendIncoming(): void {
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { request: IncomingMessage }
    // A request line may name a whole address, as for a proxy. Next would redirect to whatever host it names.
    const whole = /^https?:\/\/[^/?#]*(.*)$/i.exec(request.url ?? '')
    if (whole) request.url = whole[1]?.startsWith('/') ? whole[1] : `/${whole[1]}`
    // Of two of them Node shows only the first, while a proxy in front may have looked at the last. Nobody can tell which
    // was meant, so the caller is nobody.
    const isDouble = request.headers.authorization !== undefined && request.headersDistinct.authorization?.[1]
    if (isDouble) request.headers.authorization = ''
  })
}
