import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import { type AppError, toProblem } from '../errors'
import { defaultPolicy } from './headers'

/**
 * Rejects a request before Next handles it, and closes the connection. Writes to the socket directly, so that Next only
 * sees an aborted request: it would crash on a response that was already sent.
 */
export function rejectEarly(request: IncomingMessage, response: ServerResponse, error: AppError): void {
  const { socket } = request
  if (!response.headersSent) {
    const requestId = crypto.randomUUID()
    const body = JSON.stringify(toProblem(error, requestId))
    const head = [
      `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: private, no-store',
      'X-Content-Type-Options: nosniff',
      `Content-Security-Policy: ${defaultPolicy}`,
      `X-Request-Id: ${requestId}`,
      ...(error.retryAfter ? [`Retry-After: ${error.retryAfter}`] : []),
      'Connection: close',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
  socket.destroySoon()
}
