import 'server-only'
import { hash } from 'node:crypto'
import { appSlug } from '@/brand'
import { env } from '../../env'
import { AppError } from '../../errors'
import { log } from '../../log'
import { timeoutMs } from '../../timeout'

/**
 * Throws if a new password is in a known data breach. Call it after the rate limits, because it calls another service.
 * @public For modules where users choose a password.
 */
export async function rejectBreachedPassword(password: string, field: string): Promise<void> {
  if (!(await isBreachedPassword(password))) return
  const message = 'This password has appeared in a data breach. Choose another.'
  throw new AppError('invalid_input', undefined, { fields: { [field]: [message] } })
}

/**
 * Whether the password is in a known data breach, if PASSWORD_BREACH_CHECK is on. The service gets the first 5 digits of
 * its SHA-1 hash and returns the other 35 of every known password that begins with them, so it does not learn which one
 * was meant (k-anonymity). If it does not respond in time, the password counts as not breached: an outage must not keep
 * users from signing up or in.
 */
export async function isBreachedPassword(password: string): Promise<boolean> {
  if (env.PASSWORD_BREACH_CHECK !== 'on') return false
  // SHA-1 is what the service stores. It protects nothing here: stored passwords are hashed by hash.ts.
  const digest = hash('sha1', password.normalize('NFC'), 'hex').toUpperCase()
  try {
    return await isListed(digest.slice(0, 5), digest.slice(5))
  } catch (error) {
    log.warn({ error }, 'breach check failed; password accepted without it')
    return false
  }
}

async function isListed(prefix: string, rest: string): Promise<boolean> {
  const response = await fetch(`${env.PASSWORD_BREACH_URL}/range/${prefix}`, {
    // Padding hides the number of results, which would tell an observer of the encrypted connection the prefix.
    headers: { 'Add-Padding': 'true', 'User-Agent': appSlug },
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs(1_000)),
    cache: 'no-store',
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`The breach service responded with ${response.status}`)
  // Each line is the rest of a hash and how often it was found: 0 for padding.
  return text.split('\n').some((line) => {
    const [found, count] = line.trim().split(':')
    return found === rest && Number(count) > 0
  })
}
