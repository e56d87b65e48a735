import 'server-only'
import { pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { verify } from '@node-rs/bcrypt'

/** A password hash of another system: what it takes to compute it again, and the result. */
export type LegacyHash = { kind: 'bcrypt'; stored: string } | DerivedHash

type DerivedHash = { salt: Buffer; digest: Buffer } & (
  | { kind: 'scrypt'; cost: number; blockSize: number; parallelization: number }
  | { kind: 'pbkdf2'; digestName: string; iterations: number }
)

/** The cost of N = 2^17, r = 8, p = 1, which takes 128 MiB. A manipulated hash must not make us allocate gigabytes. */
const maxScryptCost = 2 ** 20
/** Rounds of PBKDF2 for one block of the digest, times its blocks. */
const maxIterations = 1_500_000
/** Shorter digests match by chance. */
const minDigestBytes = 16

/**
 * A cost of 4 to 14, which takes about a second. `$2x$` is another function, with a bug. The last characters of salt and digest
 * have bits that must be zero: others cannot be decoded.
 */
const bcryptPattern = /^\$2[aby]\$(?:0[4-9]|1[0-4])\$[./A-Za-z0-9]{21}[.Oeu][./A-Za-z0-9]{30}[.CGKOSWaeimquy26]$/

/** Passlib writes a dot instead of a plus. Node accepts both alphabets of base64, with and without padding. */
const decode = (text: string) => Buffer.from(text.replaceAll('.', '+'), 'base64')

/**
 * Reads a stored hash of the form `$scrypt$…`, `$pbkdf2-sha256$…` or `$2b$…` (bcrypt). Null for any other, and for one that costs
 * too much.
 */
export function parseLegacyHash(stored: string): LegacyHash | null {
  if (stored.length > 512) return null
  if (bcryptPattern.test(stored)) return { kind: 'bcrypt', stored }
  const [, method = '', parameters = '', salt = '', digest = ''] =
    /^\$(scrypt|pbkdf2-sha256|pbkdf2-sha512)\$([\w=,]+)\$([\w+/.-]+)={0,2}\$([\w+/.-]+)={0,2}$/.exec(stored) ?? []
  const bytes = { salt: decode(salt), digest: decode(digest) }
  if (bytes.salt.length === 0 || bytes.digest.length < minDigestBytes) return null
  return method === 'scrypt' ? parseScrypt(parameters, bytes) : parsePbkdf2(method, parameters, bytes)
}

function parseScrypt(parameters: string, bytes: { salt: Buffer; digest: Buffer }): LegacyHash | null {
  const [, ln, r, p] = [...(/^ln=(\d{1,2}),r=(\d{1,4}),p=(\d{1,4})$/.exec(parameters) ?? [])].map(Number)
  if (!ln || !r || !p || 2 ** ln * r * p > maxScryptCost) return null
  return { kind: 'scrypt', cost: 2 ** ln, blockSize: r, parallelization: p, ...bytes }
}

function parsePbkdf2(method: string, parameters: string, bytes: { salt: Buffer; digest: Buffer }): LegacyHash | null {
  const iterations = /^\d{1,7}$/.test(parameters) ? Number(parameters) : 0
  const digestName = method.slice('pbkdf2-'.length)
  const blocks = Math.ceil(bytes.digest.length / (digestName === 'sha512' ? 64 : 32))
  if (iterations < 1 || iterations * blocks > maxIterations) return null
  return { kind: 'pbkdf2', digestName, iterations, ...bytes }
}

/**
 * Compares in a thread of libuv. The password is not normalized: the other system hashed it as it was typed. Bcrypt compares only
 * its first 72 bytes, as the other system did.
 */
export async function verifyLegacyHash(legacy: LegacyHash, password: string): Promise<boolean> {
  if (legacy.kind === 'bcrypt') return verify(password, legacy.stored)
  return timingSafeEqual(await deriveKey(legacy, password), legacy.digest)
}

function deriveKey(legacy: DerivedHash, password: string): Promise<Buffer> {
  const { salt, digest } = legacy
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, key: Buffer) => (error ? reject(error) : resolve(key))
    if (legacy.kind === 'pbkdf2') {
      pbkdf2(password, salt, legacy.iterations, digest.length, legacy.digestName, done)
      return
    }
    const { cost, blockSize, parallelization } = legacy
    // Node allows only 32 MiB otherwise. Twice of what the algorithm needs, because OpenSSL counts a little more.
    const maxmem = 256 * blockSize * (cost + parallelization + 2)
    scrypt(password, salt, digest.length, { N: cost, r: blockSize, p: parallelization, maxmem }, done)
  })
}

/** Django stores the salt as text: `pbkdf2_sha256$600000$salt$digest`. Any other text is returned unchanged. */
export function withoutDjangoForm(text: string): string {
  const [, digestName, iterations, salt = '', digest] =
    /^pbkdf2_(sha256|sha512)\$(\d+)\$([^$]+)\$([\w+/]+=*)$/.exec(text) ?? []
  if (digestName === undefined) return text
  return `$pbkdf2-${digestName}$${iterations}$${Buffer.from(salt).toString('base64')}$${digest}`
}
