import 'server-only'
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { log } from '../../log'
import { runInHashQueue } from './hash-queue'
import { parseLegacyHash, verifyLegacyHash, withoutDjangoForm } from './legacy-hash'

/** Parameters that OWASP recommends for argon2id; about 17 ms on one core. */
const hashOptions = { memoryCost: 19456, timeCost: 2, parallelism: 1 }
const hashPrefix = `$argon2id$v=19$m=${hashOptions.memoryCost},t=${hashOptions.timeCost},p=${hashOptions.parallelism}$`

const randomText = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')

/** Verified against if there is no stored hash, so that every response costs one hash. No password matches it. */
const decoyHash = `${hashPrefix}${randomText(16)}$${randomText(32)}`

export function hashPassword(password: string): Promise<string> {
  return runInHashQueue(() => hash(password.normalize('NFC'), hashOptions))
}

/**
 * Maximum input length in UTF-16 units, enough for every valid password. Checked before normalization, which takes
 * seconds for a long row of accents and blocks the event loop.
 */
export const maxInputLength = 1024

/**
 * Rejects input that cannot be a password: empty, too long to hash, or with characters that the hash function cannot
 * tell apart (it reads every lone surrogate as the same replacement character).
 */
export function isPossiblePassword(password: string): boolean {
  return (
    password.length > 0 &&
    password.length <= maxInputLength &&
    password.isWellFormed() &&
    !password.includes('\0') &&
    Buffer.byteLength(password.normalize('NFC')) <= 512
  )
}

/** The parameters are part of the stored hash; a manipulated hash must not make us allocate gigabytes. */
function isAffordable(stored: string): boolean {
  const [, memory, time, lanes] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]{16,}\$[\w+/]{32,}$/.exec(stored) ?? []
  return Number(memory) <= 65_536 && Number(time) <= 5 && Number(lanes) <= 4
}

/**
 * The form in which the hash of another system is stored: it says its kind, and is replaced at the first sign-in. Null if no
 * password could be compared with it.
 * @public For modules that import users.
 */
export function toStoredHash(text: string): string | null {
  const stored = withoutDjangoForm(text)
  return isAffordable(stored) || parseLegacyHash(stored) ? stored : null
}

/**
 * Always computes one hash, even for an unknown user. `isOutdated`: the stored hash should be replaced with a new one.
 */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
): Promise<{ isCorrect: boolean; isOutdated: boolean }> {
  const normalized = password.normalize('NFC')
  const legacy = parseLegacyHash(stored ?? '')
  let usableHash = stored != null && (legacy || isAffordable(stored)) ? stored : undefined
  const isMatch = await runInHashQueue(async () => {
    log.debug('password compared') // so that tests can count the hashes of a response
    try {
      return legacy ? await verifyLegacyHash(legacy, password) : await verify(usableHash ?? decoyHash, normalized)
    } catch {
      // The stored value looks like a hash but is invalid.
      usableHash = undefined
      return verify(decoyHash, normalized)
    }
  })
  if (stored != null && usableHash === undefined) log.warn('stored password hash is invalid')
  return {
    isCorrect: isMatch && usableHash !== undefined,
    isOutdated: usableHash !== undefined && !usableHash.startsWith(hashPrefix),
  }
}
