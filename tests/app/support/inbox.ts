import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { expect } from './e2e-test.ts'
import { query } from './query.ts'

const defaultInboxFolder = () => process.env.DEV_INBOX ?? ''

export interface ReceivedEmail {
  id: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/** All emails received so far for that recipient, oldest first. */
export async function emailsTo(email: string, inboxFolder = defaultInboxFolder()): Promise<ReceivedEmail[]> {
  const found: ReceivedEmail[] = []
  for (const name of readdirSync(inboxFolder).sort()) {
    const source = readSource(join(inboxFolder, name))
    // Parsing every email of every test would take most of the time.
    if (!source?.includes(email)) continue
    const { to, headers, subject = '', text = '', html = '' } = await PostalMime.parse(source)
    if (!to?.some(({ address }) => address === email)) continue
    const values = Object.fromEntries(headers.map(({ key, value }) => [key, value]))
    found.push({ id: name.replace('.eml', ''), subject, text, html, headers: values })
  }
  return found
}

/** Undefined for an email that was deleted since the folder was read: the inbox keeps only the newest. */
function readSource(path: string): Buffer | undefined {
  try {
    return readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Waits for the email with that subject, and returns the newest. */
export async function waitForEmail(email: string, subject: string): Promise<ReceivedEmail> {
  let found: ReceivedEmail | undefined
  await expect
    .poll(
      async () => {
        found = (await emailsTo(email)).findLast((message) => message.subject === subject)
        return found?.subject
      },
      { message: `an email to ${email}` },
    )
    .toBe(subject)
  if (!found) throw new Error('unreachable')
  return found
}

/** Waits until the worker has processed all email jobs created before this call; ignores later ones of other tests. */
export async function waitForSentEmails(): Promise<void> {
  const [{ now } = { now: new Date() }] = await query<{ now: Date }>('select clock_timestamp() as now')
  const waiting = `select name from jobs.job where name like 'mail.%' and state in ('created', 'active', 'retry') and created_on < $1`
  await expect.poll(() => query(waiting, [now]), { message: 'pending email jobs' }).toEqual([])
}

/** The URL of the button in the email. */
export function linkIn(message: ReceivedEmail): string {
  const link = /https?:\/\/\S+/.exec(message.text)?.[0]
  if (!link) throw new Error(`No link in: ${message.text}`)
  return link
}
