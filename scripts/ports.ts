import { createServer } from 'node:net'

const tryPort = (port: number) =>
  new Promise<number | undefined>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined))
    })
  })

/** The first free port from there on; any free one when none is asked for. */
export async function freePort(from = 0): Promise<number> {
  for (let port = from; port < from + 50; port++) {
    const free = await tryPort(from === 0 ? 0 : port)
    if (free) return free
  }
  throw new Error(`There is no free port from ${from} on`)
}
