// A real SMTP server for development and tests. It takes every mail, for whomever, and keeps it in a folder; /dev/inbox
// shows what is there.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** Mails that are kept; older ones go. */
const most = 200

/** Starts it, and says what the app must be told about it. */
export async function startInbox(
  folder: string,
  port = 0,
): Promise<{ env: Record<'SMTP_URL' | 'MAIL_FROM' | 'DEV_INBOX', string>; stop: () => Promise<void> }> {
  mkdirSync(folder, { recursive: true })
  let count = 0
  const keep = (mail: Buffer) => {
    // Named by time, so that the folder's order is theirs.
    writeFileSync(join(folder, `${Date.now()}-${String(count++).padStart(4, '0')}.eml`), mail)
    const names = readdirSync(folder).sort()
    for (const name of names.slice(0, Math.max(0, names.length - most))) rmSync(join(folder, name), { force: true })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      buffer(stream)
        .then(keep)
        .then(() => done(), done)
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.server.address()
  const used = typeof address === 'object' && address ? address.port : port
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${used}`, MAIL_FROM: 'plinth@example.com', DEV_INBOX: folder },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
