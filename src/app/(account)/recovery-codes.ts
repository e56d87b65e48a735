import 'server-only'
import { randomBytes } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { hashToken } from '@/core/auth/tokens/token'
import type { Transaction } from '@/core/db/client'
import { recoveryCodes } from './schema'

const recoveryCodeCount = 10

/** 24 characters each: 118 bits, so a fast hash is enough. Characters that look alike are not used. */
export async function replaceRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const alphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
  const randomCode = () => {
    const found: string[] = []
    while (found.length < 24) {
      // Skips bytes of 248 (8 × 31) and above, to avoid modulo bias.
      for (const byte of randomBytes(32)) {
        const character = byte < 248 ? alphabet[byte % 31] : undefined
        if (character && found.length < 24) found.push(character)
      }
    }
    return found.join('')
  }
  const codes = Array.from({ length: recoveryCodeCount }, randomCode)
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId))
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, hash: hashToken(code) })))
  return codes.map((code) => code.replace(/(.{4})(?=.)/g, '$1-'))
}
