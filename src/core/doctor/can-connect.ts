import { connect } from 'node:net'

/** Whether a server accepts connections there. `closingMessage` is what it expects before the connection ends. */
export function canConnect(host: string, port: number, closingMessage = ''): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 })
    const fail = () => {
      socket.destroy()
      resolve(false)
    }
    socket.on('error', fail).on('timeout', fail)
    socket.on('connect', () => {
      // Ends the connection properly: a server may treat a reset as an error.
      socket.resume().end(closingMessage)
      resolve(true)
    })
  })
}
