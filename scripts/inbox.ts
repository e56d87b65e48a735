// An SMTP server for development and tests. It accepts every email, for any recipient, and stores it in a folder;
// /dev/inbox shows them.

import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'
import { appSlug } from '../src/brand.ts'

/** Starts the server. Stores that many emails; older ones are deleted. Returns the environment variables for the app. */
export async function startInbox(
  folder: string,
  port = 0,
  maxEmails = 200,
): Promise<{ env: Record<'SMTP_URL' | 'MAIL_FROM' | 'DEV_INBOX', string>; stop: () => Promise<void> }> {
  mkdirSync(folder, { recursive: true })
  let count = 0
  const storeEmail = (email: Buffer) => {
    // Named by time, so that file names sort chronologically.
    writeFileSync(join(folder, `${Date.now()}-${String(count++).padStart(4, '0')}.eml`), email)
    const names = readdirSync(folder).sort()
    for (const name of names.slice(0, Math.max(0, names.length - maxEmails)))
      rmSync(join(folder, name), { force: true })
  }
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      buffer(stream)
        .then(storeEmail)
        .then(() => done(), done)
    },
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  const address = server.server.address()
  const actualPort = typeof address === 'object' && address ? address.port : port
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${actualPort}`, MAIL_FROM: `${appSlug}@example.com`, DEV_INBOX: folder },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
