import { createServer } from 'node:net'

function tryPort(port: number, host: string): Promise<number | 'taken' | 'no such host'> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code === 'EADDRNOTAVAIL' || error.code === 'EAFNOSUPPORT' ? 'no such host' : 'taken')
    })
    server.listen(port, host, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 'taken'))
    })
  })
}

/** Checks both IPs of "localhost": a server on the other one would be opened instead. */
export async function isPortFree(port: number): Promise<boolean> {
  return (await tryPort(port, '127.0.0.1')) === port && (await tryPort(port, '::1')) !== 'taken'
}

/** The first free port at or above `from`; any free port if `from` is 0. */
export async function findFreePort(from = 0): Promise<number> {
  for (let port = from; port < from + 50; port++) {
    const candidate = from === 0 ? await tryPort(0, '127.0.0.1') : port
    if (typeof candidate === 'number' && (await isPortFree(candidate))) return candidate
  }
  throw new Error(`No free port at or above ${from}`)
}
