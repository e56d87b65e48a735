import { expect, test } from 'vitest'
import { decrypt, encrypt } from './encrypt'

process.env.AUTH_SECRET = 'only-for-tests-0123456789-abcdefghijkl'

test('an encrypted value can be decrypted for the same purpose, and differs each time', () => {
  const encrypted = encrypt('totp', 'JBSWY3DPEHPK3PXP')
  expect(decrypt('totp', encrypted)).toBe('JBSWY3DPEHPK3PXP')
  expect(encrypt('totp', 'JBSWY3DPEHPK3PXP')).not.toBe(encrypted)
  expect(Buffer.from(encrypted, 'base64url').toString('latin1')).not.toContain('JBSWY3DP')
})

test('another purpose, another secret, a changed bit or a truncated value does not decrypt', () => {
  const encrypted = encrypt('totp', 'x')
  expect(decrypt('mail', encrypted)).toBeNull()
  expect(decrypt('totp', '')).toBeNull()
  for (const spelling of [`${encrypted}=`, ` ${encrypted}`, `${encrypted}.`])
    expect(decrypt('totp', spelling)).toBeNull()
  const bytes = Buffer.from(encrypted, 'base64url')
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1
  expect(decrypt('totp', bytes.toString('base64url'))).toBeNull()
  process.env.AUTH_SECRET = 'another-one-0123456789-abcdefghijklmno'
  expect(decrypt('totp', encrypted)).toBeNull()
})

test('a rotated secret still decrypts, but no longer encrypts', () => {
  const [first, second] = ['only-for-tests-0123456789-abcdefghijkl', 'another-one-0123456789-abcdefghijklmno']
  process.env.AUTH_SECRET = first
  const before = encrypt('totp', 'x')
  process.env.AUTH_SECRET = `${second},${first}`
  expect(decrypt('totp', before)).toBe('x')
  const after = encrypt('totp', 'x')
  process.env.AUTH_SECRET = second
  expect(decrypt('totp', after)).toBe('x')
  expect(decrypt('totp', before)).toBeNull()
})
