import 'server-only'
import { hash, verify } from '@node-rs/argon2'

/** OWASP's first choice for argon2id; about 17 ms of one core. */
const parameters = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

/** Compared against when there is no such person, so that the answer takes as long as for a wrong password. */
let decoy: Promise<string> | undefined

export function hashPassword(password: string): Promise<string> {
  return hash(password.normalize('NFC'), parameters)
}

export async function verifyPassword(stored: string | null | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('nobody has this password')
  const isRight = await verify(stored ?? (await decoy), password.normalize('NFC'), parameters)
  return isRight && stored != null
}
