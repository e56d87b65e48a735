import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { env } from './env'

const open = new Set<Socket>()
const servers = new Set<Server>()

/**
 * Called once, when the server starts. A connection is kept for the next request for longer than a proxy keeps it: if this
 * side closed first, it might do so at the very moment at which the proxy sends something.
 */
export function keepConnections(): void {
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: Socket }
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  subscribe('http.server.request.start', (message) => {
    const { server } = message as { server: Server }
    server.keepAliveTimeout = env.KEEP_ALIVE_TIMEOUT
    servers.add(server)
  })
}

/** Those on which nobody waits: between two requests, or opened by a browser ahead of time and never used. */
export function closeQuietConnections(): void {
  for (const server of servers) server.closeIdleConnections()
  // Node takes a connection that is new for one on which a request is arriving.
  for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
}
