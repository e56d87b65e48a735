import 'server-only'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { hashToken } from '@/core/auth/tokens/token'
import { env } from '@/core/env'

interface Secrets {
  /** Six digits. */
  code: string
  linkToken: string
}

// Code and link follow from the id of the request and AUTH_SECRET. So the database does not contain them, and an email
// that is sent twice, because the worker crashed, has the same code both times.
function deriveSecrets(key: string, requestId: string): Secrets {
  const digest = (purpose: string) => createHmac('sha256', key).update(`email_code.${purpose}:${requestId}`).digest()
  return {
    // Of 2^48 numbers, so no code is noticeably more likely than another.
    code: String(digest('code').readUIntBE(0, 6) % 1_000_000).padStart(6, '0'),
    linkToken: digest('link').toString('base64url'),
  }
}

export const newSecrets = (requestId: string) => deriveSecrets(env.AUTH_SECRET[0], requestId)

/** The code and link of a stored request. Null if the AUTH_SECRET that they were made with is no longer set. */
export function findSecrets({ id, linkHash }: { id: string; linkHash: Buffer }): Secrets | null {
  const all = env.AUTH_SECRET.map((key) => deriveSecrets(key, id))
  return all.find(({ linkToken }) => hashToken(linkToken).equals(linkHash)) ?? null
}

export function isCodeOf(request: { id: string; linkHash: Buffer }, typedCode: string): boolean {
  const [typed, code] = [Buffer.from(typedCode), Buffer.from(findSecrets(request)?.code ?? '')]
  return typed.length === code.length && timingSafeEqual(typed, code)
}
