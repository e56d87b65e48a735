import 'server-only'
import { randomBytes } from 'node:crypto'
import { isSigned, keepInBrowser, readFromBrowser, sign } from './browser'

const year = 365 * 24 * 60 * 60

/** Remembers that somebody has signed in here as this person: their tries are counted apart. It opens nothing. */
export async function rememberDevice(userId: string): Promise<void> {
  await keepInBrowser('device', makeDevice(userId), year)
}

/** The device's id, when this person has signed in with it before. */
export async function findDevice(userId: string | undefined): Promise<string | undefined> {
  return knownDevice(userId, await readFromBrowser('device'))
}

export function makeDevice(userId: string): string {
  const id = randomBytes(16).toString('base64url')
  return `${id}.${sign('device', `${userId}:${id}`)}`
}

export function knownDevice(userId: string | undefined, value: string | undefined): string | undefined {
  const [id, signature, ...rest] = value?.split('.') ?? []
  return userId && id && rest.length === 0 && isSigned('device', `${userId}:${id}`, signature) ? id : undefined
}
