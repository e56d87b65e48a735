import type { IncomingMessage, ServerResponse } from 'node:http'
import { AppError } from '../errors'
import { log } from '../log'
import { rejectEarly } from './reject-early'
import { onEveryRequest } from './server-hooks'

/** What Next buffers of one body for proxy.ts (`proxyClientMaxBodySize`). A handler that reads more sets its own limit. */
const maxBytesPerRequest = 192 * 1024
/** Of all requests of this node that have no response yet. */
const maxTotalBytes = 32 * 1024 * 1024

interface PendingBody {
  response: ServerResponse
  bytes: number
}

const pendingBodies = new Map<IncomingMessage, PendingBody>()
let totalBytes = 0

/** Called once, when the server starts. Limits the memory that bodies of pending requests use in total. */
export function limitBodies(): void {
  onEveryRequest(({ request, response }) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers
    if (length === undefined && encoding === undefined) return
    pendingBodies.set(request, { response, bytes: 0 })
    response.once('close', () => release(request))
    // Node's HTTP parser calls `push` for each chunk. A `data` listener would consume the body before Next reads it.
    const push = request.push
    request.push = (chunk, ...rest) => {
      if (chunk) countBytes(request, chunk.length)
      return push.call(request, chunk, ...rest)
    }
  })
}

function countBytes(request: IncomingMessage, length: number): void {
  const body = pendingBodies.get(request)
  if (!body) return
  const added = Math.min(length, maxBytesPerRequest - body.bytes)
  body.bytes += added
  totalBytes += added
  while (totalBytes > maxTotalBytes && rejectSlowest());
}

/** An honest body arrives quickly, so the oldest incomplete one is rejected. */
function rejectSlowest(): boolean {
  for (const [request, { response }] of pendingBodies) {
    if (request.complete) continue
    release(request)
    // No socket: an earlier pipelined request on this connection has no response yet, so nothing can be sent now.
    if (response.socket)
      rejectEarly(request, response, new AppError('unavailable', 'We’re busy right now. Try again in a moment.'))
    else request.socket.destroy()
    log.warn({ path: request.url?.split('?')[0] }, 'request bodies exceed the memory limit: slowest request rejected')
    return true
  }
  return false
}

function release(request: IncomingMessage): void {
  totalBytes -= pendingBodies.get(request)?.bytes ?? 0
  pendingBodies.delete(request)
}
