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

/** On both addresses that "localhost" may mean: something on the other one would be opened instead. */
export async function isFree(port: number): Promise<boolean> {
  return (await tryPort(port, '127.0.0.1')) === port && (await tryPort(port, '::1')) !== 'taken'
}

/** The first free port from there on; any free one when none is asked for. */
export async function freePort(from = 0): Promise<number> {
  for (let port = from; port < from + 50; port++) {
    const candidate = from === 0 ? await tryPort(0, '127.0.0.1') : port
    if (typeof candidate === 'number' && (await isFree(candidate))) return candidate
  }
  throw new Error(`There is no free port from ${from} on`)
}
