// An SMTP server that misbehaves as a check wants.
import { createServer, type Socket } from 'node:net'
import { findFreePort } from '../../../scripts/ports.ts'

export type SmtpBehavior = 'good' | 'silent' | 'later' | 'never' | 'slow'

export class FaultySmtpServer {
  readonly port: number
  /** The accepted messages, raw. */
  readonly messages: string[] = []
  private behavior: SmtpBehavior = 'good'
  private readonly sockets = new Set<Socket>()
  private readonly server = createServer((socket) => this.serve(socket))

  private constructor(port: number) {
    this.port = port
  }

  /** Does not listen yet. */
  static async create(): Promise<FaultySmtpServer> {
    return new FaultySmtpServer(await findFreePort())
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(this.port, '127.0.0.1', resolve))
  }

  setBehavior(behavior: SmtpBehavior): void {
    this.behavior = behavior
    for (const socket of this.sockets) socket.destroy()
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket)
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('error', () => {})
    if (this.behavior === 'silent') return
    const reply = (line: string) =>
      setTimeout(() => socket.writable && socket.write(`${line}\r\n`), this.behavior === 'slow' ? 700 : 0)
    let rest = ''
    let isMessageData = false
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      rest += chunk
      for (let end = rest.indexOf(isMessageData ? '\r\n.\r\n' : '\r\n'); end >= 0; ) {
        const text = rest.slice(0, end)
        rest = rest.slice(end + (isMessageData ? 5 : 2))
        if (isMessageData) this.messages.push(text)
        const command = isMessageData ? 'MAIL TAKEN' : text.toUpperCase()
        isMessageData = command === 'DATA'
        reply(this.replyTo(command))
        end = rest.indexOf(isMessageData ? '\r\n.\r\n' : '\r\n')
      }
    })
    reply('220 localhost')
  }

  private replyTo(command: string): string {
    if (command === 'DATA') return '354 go on'
    if (command === 'QUIT') return '221 bye'
    if (command.startsWith('RCPT') && this.behavior === 'later') return '451 try again later'
    if (command.startsWith('RCPT') && this.behavior === 'never') return '550 no such user here'
    return '250 ok'
  }

  stop(): Promise<void> {
    this.setBehavior('good')
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}
