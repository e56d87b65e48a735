import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'

const folder = () => process.env.DEV_INBOX ?? join(process.cwd(), '.data', 'inbox')

/** What the development server's mails say, newest first. */
export async function readMails(most = 50) {
  const names = await readdir(folder()).catch(() => [])
  const newest = names
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .reverse()
    .slice(0, most)
  return Promise.all(newest.map((name) => readMail(name)))
}

async function readMail(name: string) {
  const mail = await PostalMime.parse(await readFile(join(folder(), name)))
  const to = mail.to?.map(({ address }) => address).join(', ') ?? ''
  return {
    id: name.slice(0, -'.eml'.length),
    to,
    subject: mail.subject ?? '',
    at: new Date(Number(name.split('-')[0])),
    html: mail.html ?? '',
    text: mail.text ?? '',
  }
}

export async function findMail(id: string) {
  // Only names that the inbox gives: an id is part of a path.
  return /^\d+-\d+$/.test(id) ? readMail(`${id}.eml`).catch(() => null) : null
}
