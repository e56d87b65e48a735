import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import PostalMime from 'postal-mime'
import { inboxFolder, isUnread, listEmails, sentAt } from './inbox-folder'

export type Email = Awaited<ReturnType<typeof readEmail>>

/** The emails in the development inbox that contain the text, newest first. */
export async function findEmails(text = '', max = 50): Promise<Email[]> {
  const ids = await listEmails()
  // The inbox has at most 200 emails, so a search reads them all.
  const emails = await Promise.all((text ? ids : ids.slice(0, max)).map(findEmail))
  const searched = text.toLowerCase()
  return emails
    .filter((email) => email !== null)
    .filter((email) => [email.subject, email.to, email.text].some((part) => part.toLowerCase().includes(searched)))
    .slice(0, max)
}

async function readEmail(id: string) {
  const bytes = await readFile(join(inboxFolder(), `${id}.eml`))
  const email = await PostalMime.parse(bytes)
  const html = email.html ?? ''
  return {
    id,
    to: email.to?.map(({ address }) => address).join(', ') ?? '',
    from: email.from?.address ?? '',
    subject: email.subject ?? '',
    at: sentAt(id),
    isUnread: isUnread(id),
    html,
    text: email.text ?? '',
    source: bytes.toString(),
    links: findLinks(html),
  }
}

/** The targets of the links in the HTML, each once. */
const findLinks = (html: string) => [
  ...new Set([...html.matchAll(/<a\s[^>]*href="([^"]+)"/gi)].map(([, url = '']) => url.replaceAll('&amp;', '&'))),
]

export async function findEmail(id: string): Promise<Email | null> {
  // Only ids that the inbox generates, because the id becomes part of a file path.
  return /^\d+-\d+$/.test(id) ? readEmail(id).catch(() => null) : null
}
