// A TCP server that the app has no reason to connect to: any connection shows that a request made the app open one.
import { createServer } from 'node:net'

export interface Canary {
  port: number
  /** Number of connections so far. */
  count: () => number
  stop: () => Promise<void>
}

/** Sends these bytes on every connection. */
export async function startCanary(
  bytes = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok',
): Promise<Canary> {
  let count = 0
  const server = createServer((socket) => {
    count++
    socket.on('error', () => {})
    socket.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { port, count: () => count, stop: () => new Promise((resolve) => server.close(() => resolve())) }
}
