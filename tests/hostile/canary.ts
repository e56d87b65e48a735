// A door of our own that nobody has a reason to knock at: whoever does was sent there.
import { createServer } from 'node:net'

export interface Canary {
  port: number
  /** How many connections there were. */
  count: () => number
  stop: () => Promise<void>
}

/** Says these bytes to whoever comes. */
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
