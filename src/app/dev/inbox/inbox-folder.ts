import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Where the SMTP server of development stores emails, each as a file named by its time. */
export const inboxFolder = () => process.env.DEV_INBOX ?? join(process.cwd(), '.data', 'inbox')

/** The ids of the emails in the inbox, newest first. */
export async function listEmails(): Promise<string[]> {
  const names = await readdir(inboxFolder()).catch(() => [])
  return names
    .filter((name) => name.endsWith('.eml'))
    .map((name) => name.slice(0, -'.eml'.length))
    .sort()
    .reverse()
}

export const sentAt = (id: string) => new Date(Number(id.split('-')[0]))

// In memory, but kept when a file changes and Next loads this module again.
const kept = globalThis as typeof globalThis & { openedEmails?: Set<string> }
kept.openedEmails ??= new Set()
const opened = kept.openedEmails

const startedAt = Date.now() - process.uptime() * 1000

/** Not opened yet. Emails from before this server started count as read. */
export const isUnread = (id: string) => sentAt(id).getTime() > startedAt && !opened.has(id)

export const markRead = (id: string) => void opened.add(id)

export const countUnread = async () => (await listEmails()).filter(isUnread).length
