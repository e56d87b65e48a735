import { pbkdf2Sync, scryptSync } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { hashPassword, isPossiblePassword, toStoredHash, verifyPassword } from './hash'

vi.mock('@node-rs/argon2', async (original) => {
  const { hash, verify } = await original<typeof import('@node-rs/argon2')>()
  return { hash: vi.fn(hash), verify: vi.fn(verify) }
})
/** Without the salt and the digest: what determines the cost. */
const verifiedParameters = () => vi.mocked(verify).mock.calls.map(([stored]) => String(stored).split('$', 4).join('$'))
beforeEach(() => void vi.mocked(verify).mockClear())

test('a password is correct only as a whole', async () => {
  const stored = await hashPassword('correct horse battery')
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(stored, 'correct horse battery')).toEqual({ isCorrect: true, isOutdated: false })
  for (const wrong of ['', 'correct horse batter', 'correct horse battery ', 'Correct horse battery']) {
    expect((await verifyPassword(stored, wrong)).isCorrect, wrong).toBe(false)
  }
})

test('composed and decomposed accents are the same password', async () => {
  const { isCorrect } = await verifyPassword(await hashPassword('caf\u00e9 au lait'), 'cafe\u0301 au lait')
  expect(isCorrect).toBe(true)
})

test('no password is correct if none is stored', async () => {
  for (const password of ['', 'anything', 'null', 'undefined'])
    expect((await verifyPassword(null, password)).isCorrect, password).toBe(false)
})

test('verification works again after a full hash queue rejected the first call', { tags: 'full' }, async () => {
  vi.resetModules()
  const fresh = await import('./hash')
  const pendingHashes = Array.from({ length: availableParallelism() + 54 }, () =>
    fresh.hashPassword('a user who signs up'),
  )
  const rejectionCode = await fresh.verifyPassword(null, 'x').catch((error) => error.code)
  await Promise.allSettled(pendingHashes)
  expect(rejectionCode).toBe('unavailable')
  expect((await fresh.verifyPassword(null, 'x')).isCorrect).toBe(false)
})

test('an unknown user costs as much as a wrong password: one verification, with the same parameters', async () => {
  const stored = await hashPassword('something')
  await verifyPassword(null, 'x')
  await verifyPassword(stored, 'x')
  expect(verifiedParameters()).toEqual(Array(2).fill('$argon2id$v=19$m=19456,t=2,p=1'))
})

test('a hash with weaker parameters still verifies, and is reported as outdated', async () => {
  const weak = await hash('open sesame, please', { memoryCost: 4096, timeCost: 1, parallelism: 1 })
  expect(await verifyPassword(weak, 'open sesame, please')).toEqual({ isCorrect: true, isOutdated: true })
})

test.each([
  '',
  'nonsense',
  '$argon2id$v=19$m=4194304,t=2,p=1$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
  '$2b$10$abcdefghijklmnopqrstuv',
  '$argon2id$v=19$m=0,t=0,p=0$c2FsdHNhbHRzYWx0c2FsdA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
  '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAA$aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g',
])(
  'the invalid stored hash %j matches no password, at no more than the usual cost and without an error',
  async (stored) => {
    expect((await verifyPassword(stored, 'whatever')).isCorrect).toBe(false)
    // The last two look affordable, and are rejected by the library at once.
    expect(verifiedParameters().at(-1)).toBe('$argon2id$v=19$m=19456,t=2,p=1')
    expect(verifiedParameters().join()).not.toContain('m=4194304')
  },
)

test('input that the hash function could confuse, or that is too long, is not a password', () => {
  for (const impossible of ['', 'a\0b', '\ud800', 'x\udc00y', 'x'.repeat(513), '\u00e9'.repeat(257)]) {
    expect(isPossiblePassword(impossible), JSON.stringify(impossible.slice(0, 8))).toBe(false)
  }
  for (const possible of ['x', ' ', '\u{1f600}'.repeat(128), 'x'.repeat(512)])
    expect(isPossiblePassword(possible)).toBe(true)
})

describe('hashes of other systems', () => {
  const password = 'open sesame, please'
  const base64 = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
  const salt = Buffer.from('a salt of sixteen')
  const scryptDigest = scryptSync(password, salt, 32, { N: 2 ** 14, r: 8, p: 1 })
  const pbkdf2Digest = pbkdf2Sync(password, salt, 1_000, 32, 'sha256')
  const longDigest = pbkdf2Sync(password, salt, 1_000, 64, 'sha512')
  // By crypt(3), with a cost of 4.
  const bcryptHash = '$2b$04$abcdefghijklmnopqrstuuWF3wA4IsNQxSoZkMySMkPV6k.7NdraS'
  const scryptHash = `$scrypt$ln=14,r=8,p=1$${base64(salt)}$${base64(scryptDigest)}`

  test.each([
    ['scrypt', scryptHash],
    ['PBKDF2 with SHA-256', `$pbkdf2-sha256$1000$${base64(salt)}$${base64(pbkdf2Digest).replaceAll('+', '.')}`],
    ['PBKDF2 with SHA-512', `$pbkdf2-sha512$1000$${base64(salt)}$${longDigest.toString('base64')}`],
    ['bcrypt', bcryptHash],
    ['bcrypt, older form', bcryptHash.replace('$2b$', '$2a$')],
    ['bcrypt of PHP', bcryptHash.replace('$2b$', '$2y$')],
    ['PBKDF2 of Django', `pbkdf2_sha256$1000$${salt}$${pbkdf2Digest.toString('base64')}`],
  ])('%s verifies, and is reported as outdated', async (_, text) => {
    const stored = toStoredHash(text)
    expect(await verifyPassword(stored, password)).toEqual({ isCorrect: true, isOutdated: true })
    for (const wrong of ['', 'open sesame', `${password} `])
      expect((await verifyPassword(stored, wrong)).isCorrect, wrong).toBe(false)
  })

  test('scrypt with the parameters that OWASP recommends verifies', async () => {
    const digest = scryptSync(password, salt, 32, { N: 2 ** 17, r: 8, p: 1, maxmem: 2 ** 28 })
    const stored = toStoredHash(`$scrypt$ln=17,r=8,p=1$${base64(salt)}$${base64(digest)}`)
    expect((await verifyPassword(stored, password)).isCorrect).toBe(true)
  })

  test('a hash of argon2id is stored unchanged', async () => {
    const stored = await hash(password, { memoryCost: 65_536, timeCost: 3, parallelism: 4 })
    expect(toStoredHash(stored)).toBe(stored)
    expect(await verifyPassword(stored, password)).toEqual({ isCorrect: true, isOutdated: true })
  })

  test('bcrypt compares the first 72 bytes of a password, and the letters as they were typed', async () => {
    const stored = '$2b$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i'
    for (const [length, isCorrect] of [
      [71, false],
      [72, true],
      [100, true],
    ] as const)
      expect((await verifyPassword(stored, 'x'.repeat(length))).isCorrect, String(length)).toBe(isCorrect)
    expect((await verifyPassword(stored, `${'x'.repeat(71)}yx`)).isCorrect).toBe(false)
    const accented = '$2y$04$abcdefghijklmnopqrstuu5NHlWM0HSv99fKgZPzpKswgxjdRq5gK'
    expect((await verifyPassword(accented, 'naïve café, très')).isCorrect).toBe(true)
    expect((await verifyPassword(accented, 'naïve café, très'.normalize('NFD'))).isCorrect).toBe(false)
  })

  test.each([
    ['too much memory', scryptHash.replace('ln=14', 'ln=18')],
    ['no cost', scryptHash.replace('ln=14', 'ln=0')],
    ['no digest', `$scrypt$ln=14,r=8,p=1$${base64(salt)}$`],
    ['a digest of one byte', `$scrypt$ln=14,r=8,p=1$${base64(salt)}$AA`],
    ['too many rounds', `$pbkdf2-sha256$9000000$${base64(salt)}$${base64(pbkdf2Digest)}`],
    ['too many rounds for a long digest', `$pbkdf2-sha256$1000000$${base64(salt)}$${base64(longDigest)}`],
    ['another function', `$pbkdf2-md4$1000$${base64(salt)}$${base64(pbkdf2Digest)}`],
    ['bcrypt at a cost of 15', bcryptHash.replace('$04$', '$15$')],
    ['bcrypt at a cost of 31', bcryptHash.replace('$04$', '$31$')],
    ['bcrypt at a cost of 3', bcryptHash.replace('$04$', '$03$')],
    ['bcrypt at a cost that is not two digits', bcryptHash.replace('$04$', '$+4$')],
    ['the bug of $2x$', bcryptHash.replace('$2b$', '$2x$')],
    ['the first form of bcrypt', bcryptHash.replace('$2b$', '$2$')],
    ['a salt of bcrypt that cannot be decoded', bcryptHash.replace('stuuWF', 'stuvWF')],
    ['a digest of bcrypt that cannot be decoded', bcryptHash.replace(/S$/, 'T')],
    ['a digest of bcrypt that is too short', bcryptHash.slice(0, -1)],
    ['letters of bcrypt that are not ASCII', bcryptHash.replace('QxSo', 'QxSö')],
    ['a plain password', password],
    ['nothing', ''],
  ])('with %s is not stored, and matches no password', async (_, text) => {
    expect(toStoredHash(text)).toBeNull()
    expect((await verifyPassword(text, password)).isCorrect).toBe(false)
  })

  test('a hash of bcrypt is compared in the queue of all hashes', async () => {
    vi.resetModules()
    const fresh = await import('./hash')
    const pendingHashes = Array.from({ length: availableParallelism() + 54 }, () =>
      fresh.hashPassword('a user who signs up'),
    )
    const rejectionCode = await fresh.verifyPassword(bcryptHash, password).catch((error) => error.code)
    await Promise.allSettled(pendingHashes)
    expect(rejectionCode).toBe('unavailable')
  })
})
