import 'server-only'
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { log } from '../log'
import { inHashQueue } from './hash-queue'

/** OWASP's first choice for argon2id; about 17 ms of one core. */
const goal = { memoryCost: 19456, timeCost: 2, parallelism: 1 }
const goalPrefix = `$argon2id$v=19$m=${goal.memoryCost},t=${goal.timeCost},p=${goal.parallelism}$`

const randomText = (bytes: number) => randomBytes(bytes).toString('base64').replace(/=+$/, '')

/** Compared against when there is nothing to compare with, so that every answer costs one hash. No password makes it. */
const decoy = `${goalPrefix}${randomText(16)}$${randomText(32)}`

export function hashPassword(password: string): Promise<string> {
  return inHashQueue(() => hash(password.normalize('NFC'), goal))
}

/**
 * No password that is short enough is typed in more units than this, in whatever form. Asked before anything is
 * normalized: that takes seconds for a long row of accents, and nothing else is answered meanwhile.
 */
export const mostTyped = 1024

/**
 * What no password can be: too long to be worth hashing, or holding what the hasher cannot tell apart (it reads every
 * half of a character pair as the same replacement character).
 */
export function isPossiblePassword(password: string): boolean {
  return (
    password.length > 0 &&
    password.length <= mostTyped &&
    password.isWellFormed() &&
    !password.includes('\0') &&
    Buffer.byteLength(password.normalize('NFC')) <= 512
  )
}

/** The parameters stand in the stored hash; a planted one must not make us spend gigabytes. */
function isAffordable(stored: string): boolean {
  const [, memory, time, lanes] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$[\w+/]{16,}\$[\w+/]{32,}$/.exec(stored) ?? []
  return Number(memory) <= 65_536 && Number(time) <= 5 && Number(lanes) <= 4
}

/** One hash, whoever it is and whatever is stored. Says too whether the stored hash should be made anew. */
export async function verifyPassword(
  stored: string | null | undefined,
  password: string,
): Promise<{ isRight: boolean; isOutdated: boolean }> {
  const typed = password.normalize('NFC')
  let usable = stored != null && isAffordable(stored) ? stored : undefined
  const isMatch = await inHashQueue(async () => {
    log.debug('password compared') // so that tests can count what an answer costs
    try {
      return await verify(usable ?? decoy, typed)
    } catch {
      // It looked like a hash and is none.
      usable = undefined
      return verify(decoy, typed)
    }
  })
  if (stored != null && usable === undefined) log.warn('a stored password hash cannot be used')
  return {
    isRight: isMatch && usable !== undefined,
    isOutdated: usable !== undefined && !usable.startsWith(goalPrefix),
  }
}
