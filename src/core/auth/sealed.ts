import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { env } from '../env'

// For what must be read again, and so cannot be hashed: who steals the database alone can do nothing with it.

const keyFrom = (secret: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', `plinth ${purpose}`, 32))

/** AES-256-GCM under a key of its own for each purpose. */
export function seal(purpose: string, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(env.AUTH_SECRET[0], purpose), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Null when it was sealed with a secret that is not one of ours (any more), for another purpose, or not by us. */
export function unseal(purpose: string, sealed: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url')
  // One spelling alone: decoding passes over what is no letter of it, and over the last bits.
  if (bytes.length < 28 || bytes.toString('base64url') !== sealed) return null
  for (const secret of env.AUTH_SECRET) {
    const text = open(bytes, keyFrom(secret, purpose))
    if (text !== null) return text
  }
  return null
}

function open(bytes: Buffer, key: Buffer): string | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
