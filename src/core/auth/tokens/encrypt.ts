import 'server-only'
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { env } from '../../env'

// For secrets that must be read again, and so cannot be hashed. A stolen database does not reveal them without
// AUTH_SECRET.

const keyFrom = (secret: string, purpose: string) =>
  Buffer.from(hkdfSync('sha256', secret, '', `plinth ${purpose}`, 32))

/** Encrypts with AES-256-GCM, with a separate key for each purpose. */
export function encrypt(purpose: string, text: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyFrom(env.AUTH_SECRET[0], purpose), nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
}

/** Decrypts; null if the value was not encrypted for this purpose with one of the current secrets, or was changed. */
export function decrypt(purpose: string, encrypted: string): string | null {
  const bytes = Buffer.from(encrypted, 'base64url')
  // Accept only the canonical encoding: decoding base64url ignores invalid characters and unused trailing bits.
  if (bytes.length < 28 || bytes.toString('base64url') !== encrypted) return null
  for (const secret of env.AUTH_SECRET) {
    const text = decryptWith(bytes, keyFrom(secret, purpose))
    if (text !== null) return text
  }
  return null
}

function decryptWith(bytes: Buffer, key: Buffer): string | null {
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  } catch {
    return null
  }
}
