// A mail server that behaves as badly as a check wants.
import { createServer, type Socket } from 'node:net'
import { freePort } from '../../scripts/ports.ts'

export type Mood = 'good' | 'silent' | 'later' | 'never' | 'slow'

export class MoodyMail {
  readonly port: number
  /** What it has taken, as it came. */
  readonly mails: string[] = []
  private mood: Mood = 'good'
  private readonly sockets = new Set<Socket>()
  private readonly server = createServer((socket) => this.serve(socket))

  private constructor(port: number) {
    this.port = port
  }

  /** Does not listen yet. */
  static async create(): Promise<MoodyMail> {
    return new MoodyMail(await freePort())
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.server.listen(this.port, '127.0.0.1', resolve))
  }

  become(mood: Mood): void {
    this.mood = mood
    for (const socket of this.sockets) socket.destroy()
  }

  private serve(socket: Socket): void {
    this.sockets.add(socket)
    socket.on('close', () => this.sockets.delete(socket))
    socket.on('error', () => {})
    if (this.mood === 'silent') return
    const say = (line: string) =>
      setTimeout(() => socket.writable && socket.write(`${line}\r\n`), this.mood === 'slow' ? 700 : 0)
    let rest = ''
    let isMail = false
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      rest += chunk
      for (let end = rest.indexOf(isMail ? '\r\n.\r\n' : '\r\n'); end >= 0; ) {
        const text = rest.slice(0, end)
        rest = rest.slice(end + (isMail ? 5 : 2))
        if (isMail) this.mails.push(text)
        const command = isMail ? 'MAIL TAKEN' : text.toUpperCase()
        isMail = command === 'DATA'
        say(this.answer(command))
        end = rest.indexOf(isMail ? '\r\n.\r\n' : '\r\n')
      }
    })
    say('220 localhost')
  }

  private answer(command: string): string {
    if (command === 'DATA') return '354 go on'
    if (command === 'QUIT') return '221 bye'
    if (command.startsWith('RCPT') && this.mood === 'later') return '451 come again later'
    if (command.startsWith('RCPT') && this.mood === 'never') return '550 nobody here has that name'
    return '250 ok'
  }

  stop(): Promise<void> {
    this.become('good')
    return new Promise((resolve) => this.server.close(() => resolve()))
  }
}
