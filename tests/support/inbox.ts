import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { expect } from './journey.ts'
import { query } from './query.ts'

const folder = () => process.env.DEV_INBOX ?? ''

export interface ReceivedMail {
  id: string
  subject: string
  text: string
  html: string
  headers: Record<string, string>
}

/** Every mail to that address so far, oldest first. */
export async function mailsTo(address: string, from = folder()): Promise<ReceivedMail[]> {
  const names = readdirSync(from).sort()
  const mails = await Promise.all(names.map(async (name) => PostalMime.parse(readFileSync(join(from, name)))))
  return mails.flatMap((mail, index) => {
    if (!mail.to?.some((to) => to.address === address)) return []
    const headers = Object.fromEntries(mail.headers.map(({ key, value }) => [key, value]))
    const id = (names[index] ?? '').replace('.eml', '')
    return [{ id, subject: mail.subject ?? '', text: mail.text ?? '', html: mail.html ?? '', headers }]
  })
}

/** Waits for the mail with that subject to arrive. */
export async function mailTo(address: string, subject: string): Promise<ReceivedMail> {
  let found: ReceivedMail | undefined
  await expect
    .poll(
      async () => {
        found = (await mailsTo(address)).findLast((mail) => mail.subject === subject)
        return found?.subject
      },
      { message: `a mail to ${address}`, timeout: 20_000 },
    )
    .toBe(subject)
  if (!found) throw new Error('unreachable')
  return found
}

/** Waits until the worker has done whatever was asked of it before now; what others ask meanwhile does not count. */
export async function allMailIsSent(): Promise<void> {
  const [{ now } = { now: new Date() }] = await query<{ now: Date }>('select clock_timestamp() as now')
  const waiting = `select name from jobs.job where name like 'mail.%' and state in ('created', 'active', 'retry') and created_on < $1`
  await expect.poll(() => query(waiting, [now]), { message: 'mails that wait', timeout: 20_000 }).toEqual([])
}

/** The address that the mail's button leads to. */
export function linkIn(mail: ReceivedMail): string {
  const link = /https?:\/\/\S+/.exec(mail.text)?.[0]
  if (!link) throw new Error(`No link in: ${mail.text}`)
  return link
}
