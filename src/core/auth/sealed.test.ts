import { expect, test } from 'vitest'
import { seal, unseal } from './sealed'

process.env.AUTH_SECRET = 'only-for-tests-0123456789-abcdefghijkl'

test('what was sealed is read again for the same purpose, and differs each time', () => {
  const sealed = seal('totp', 'JBSWY3DPEHPK3PXP')
  expect(unseal('totp', sealed)).toBe('JBSWY3DPEHPK3PXP')
  expect(seal('totp', 'JBSWY3DPEHPK3PXP')).not.toBe(sealed)
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('JBSWY3DP')
})

test('another purpose, another secret, a changed bit or a stump opens nothing', () => {
  const sealed = seal('totp', 'x')
  expect(unseal('mail', sealed)).toBeNull()
  expect(unseal('totp', '')).toBeNull()
  for (const spelling of [`${sealed}=`, ` ${sealed}`, `${sealed}.`]) expect(unseal('totp', spelling)).toBeNull()
  const bytes = Buffer.from(sealed, 'base64url')
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1
  expect(unseal('totp', bytes.toString('base64url'))).toBeNull()
  process.env.AUTH_SECRET = 'another-one-0123456789-abcdefghijklmno'
  expect(unseal('totp', sealed)).toBeNull()
})

test('a secret that another has replaced still opens, and seals nothing any more', () => {
  const [first, second] = ['only-for-tests-0123456789-abcdefghijkl', 'another-one-0123456789-abcdefghijklmno']
  process.env.AUTH_SECRET = first
  const before = seal('totp', 'x')
  process.env.AUTH_SECRET = `${second},${first}`
  expect(unseal('totp', before)).toBe('x')
  const after = seal('totp', 'x')
  process.env.AUTH_SECRET = second
  expect(unseal('totp', after)).toBe('x')
  expect(unseal('totp', before)).toBeNull()
})
