import { subscribe } from 'node:diagnostics_channel'
import { Server } from 'node:http'
import type { Socket } from 'node:net'
import { env } from '../env'
import { onEveryRequest } from './server-hooks'

const openSockets = new Set<Socket>()
const servers = new Set<Server>()

/**
 * Called once, when the server starts. Sets a keep-alive timeout longer than that of the proxy: if this side closed an idle
 * connection first, it could do so just as the proxy sends a request on it.
 */
export function setKeepAlive(): void {
  const addServer = (server: unknown) => {
    if (servers.has(server as Server) || !(server instanceof Server)) return
    server.keepAliveTimeout = env.KEEP_ALIVE_TIMEOUT
    servers.add(server)
  }
  subscribe('net.server.socket', (message) => {
    const { socket } = message as { socket: Socket & { server?: unknown } }
    addServer(socket.server)
    openSockets.add(socket)
    socket.once('close', () => openSockets.delete(socket))
  })
  // For connections that were opened before this was called.
  onEveryRequest(({ server }) => addServer(server))
}

/** Closes idle connections: between two requests, or preconnected by a browser and never used. */
export function closeIdleConnections(): void {
  for (const server of servers) server.closeIdleConnections()
  // Node does not count a new connection without any bytes as idle.
  for (const socket of openSockets) if (socket.bytesRead === 0) socket.destroy()
}
