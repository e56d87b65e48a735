// A TCP proxy between the app and a server that can delay, cut or silently drop traffic.
import { connect, createServer, type Socket } from 'node:net'

export interface ChaosProxy {
  port: number
  /** Milliseconds that every response is delayed. */
  delay: number
  /** Drops everything in both directions without closing: half-open connections. New connections are accepted. */
  dropsTraffic: boolean
  /** Called with every chunk that the app sends. False drops the chunk and cuts the connection. */
  onSent: ((chunk: Buffer, connection: ProxiedConnection) => boolean) | undefined
  /** Cuts all connections. */
  cut(): void
  close(): Promise<void>
}

/** One proxied connection. */
export interface ProxiedConnection {
  cut(): void
  /** Drops the next response of the server, and cuts the connection. */
  dropNextResponse(): void
}

export async function startChaosProxy(target: number): Promise<ChaosProxy> {
  const connections = new Set<ProxiedConnection>()
  const server = createServer({ allowHalfOpen: false }, (client) => {
    const upstream = connect(target, '127.0.0.1')
    let dropsResponse = false
    const connection: ProxiedConnection = {
      cut: () => {
        connections.delete(connection)
        for (const socket of [client, upstream]) socket.destroy()
      },
      dropNextResponse: () => {
        dropsResponse = true
      },
    }
    connections.add(connection)
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true)
      socket.on('error', connection.cut)
      socket.on('close', connection.cut)
    }
    client.on('data', (chunk) => {
      if (proxy.dropsTraffic) return
      if (proxy.onSent?.(chunk, connection) === false) connection.cut()
      else upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (dropsResponse) connection.cut()
      else if (!proxy.dropsTraffic) pass(client, chunk, proxy.delay)
    })
  })
  const pass = (socket: Socket, chunk: Buffer, delay: number) => {
    if (delay === 0) socket.write(chunk)
    else setTimeout(() => socket.destroyed || socket.write(chunk), delay)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const proxy: ChaosProxy = {
    port: typeof address === 'object' && address ? address.port : 0,
    delay: 0,
    dropsTraffic: false,
    onSent: undefined,
    cut: () => {
      for (const connection of [...connections]) connection.cut()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const connection of [...connections]) connection.cut()
      }),
  }
  return proxy
}
