import { subscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import type { Socket } from 'node:net'
import { env } from './env'

const open = new Set<Socket>()
const servers = new Set<Server>()

/**
 * Called once, when the server starts. A connection is kept for the next request for longer than a proxy keeps it: if this
 * side closed first, it might do so at the very moment at which the proxy sends something.
 */
export function keepConnections(): void {
  const meet = (server: unknown) => {
    if (!(server instanceof Server)) return
    server.keepAliveTimeout = env.KEEP_ALIVE_TIMEOUT
    servers.add(server)
  }
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: Socket & { server?: unknown } }
    meet(socket.server)
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  // For a connection that was opened before this was called.
  subscribe('http.server.request.start', (message) => meet((message as { server: unknown }).server))
}

/** Those on which nobody waits: between two requests, or opened by a browser ahead of time and never used. */
export function closeQuietConnections(): void {
  for (const server of servers) server.closeIdleConnections()
  // Node takes a connection that is new for one on which a request is arriving.
  for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
}
