// A wire between the app and a server that can be slow, cut, or dead without saying so.
import { connect, createServer, type Socket } from 'node:net'

export interface ChaosProxy {
  port: number
  /** Milliseconds that every answer is held back. */
  delay: number
  /** Takes what is sent and passes nothing on, in both directions: half-open connections. New ones are accepted. */
  isSwallowing: boolean
  /** Sees every chunk that the app sends. False: it does not arrive, and the wire is cut. */
  onSent: ((chunk: Buffer, wire: Wire) => boolean) | undefined
  /** Cuts all wires. */
  cut(): void
  close(): Promise<void>
}

/** One connection from end to end. */
export interface Wire {
  cut(): void
  /** What the server says next is lost, and the wire with it. */
  deafen(): void
}

export async function startChaosProxy(target: number): Promise<ChaosProxy> {
  const wires = new Set<Wire>()
  const server = createServer({ allowHalfOpen: false }, (near) => {
    const far = connect(target, '127.0.0.1')
    let isDeaf = false
    const wire: Wire = {
      cut: () => {
        wires.delete(wire)
        for (const socket of [near, far]) socket.destroy()
      },
      deafen: () => {
        isDeaf = true
      },
    }
    wires.add(wire)
    for (const socket of [near, far]) {
      socket.setNoDelay(true)
      socket.on('error', wire.cut)
      socket.on('close', wire.cut)
    }
    near.on('data', (chunk) => {
      if (proxy.isSwallowing) return
      if (proxy.onSent?.(chunk, wire) === false) wire.cut()
      else far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (isDeaf) wire.cut()
      else if (!proxy.isSwallowing) pass(near, chunk, proxy.delay)
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
    isSwallowing: false,
    onSent: undefined,
    cut: () => {
      for (const wire of [...wires]) wire.cut()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const wire of [...wires]) wire.cut()
      }),
  }
  return proxy
}
