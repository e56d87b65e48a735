import { createSign, generateKeyPairSync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { isSignedBy } from './id-token'

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [first, second, stranger] = [pair(), pair(), pair()]
const issuer = 'https://provider.example'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
function token(key: typeof first, header: Record<string, unknown>, claims: Record<string, unknown> = {}): string {
  const content = `${encode({ alg: 'RS256', ...header })}.${encode({ iss: issuer, sub: 'ada', ...claims })}`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key.privateKey, 'base64url')}`
}

/** Publishes these keys, as a provider does. */
const publishing = (keys: Record<string, typeof first>, named = issuer) =>
  vi.fn(async (url: string | URL | Request) =>
    Response.json(
      String(url).endsWith('/openid-configuration')
        ? { issuer: named, jwks_uri: `${issuer}/keys` }
        : { keys: Object.entries(keys).map(([kid, key]) => ({ ...key.publicKey.export({ format: 'jwk' }), kid })) },
    ),
  )

test('only the provider’s own keys sign, and it is asked for them once', async () => {
  const ask = publishing({ one: first, two: second })
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }), ask)).toBe(true)
  expect(await isSignedBy(issuer, token(second, { kid: 'two' }), ask)).toBe(true)
  expect(await isSignedBy(issuer, token(stranger, { kid: 'one' }), ask)).toBe(false)
  expect(ask).toHaveBeenCalledTimes(2)
})

test('a provider that was away is asked again the next time', async () => {
  const other = 'https://other.example'
  const mine = token(first, { kid: 'one' }, { iss: other })
  const away = async () => {
    throw new TypeError('fetch failed')
  }
  await expect(isSignedBy(other, mine, away)).rejects.toThrow('fetch failed')
  expect(await isSignedBy(other, mine, publishing({ one: first }, other))).toBe(true)
})

test('a provider that describes itself as another is not believed', async () => {
  const third = 'https://third.example'
  const mine = token(first, { kid: 'one' }, { iss: third })
  await expect(isSignedBy(third, mine, publishing({ one: first }, issuer))).rejects.toThrow('as another provider')
})

test('a token of another issuer, or one that has run out, is refused', async () => {
  const ask = publishing({ one: first, two: second })
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }, { iss: 'https://evil.example' }), ask)).toBe(false)
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }, { exp: 1 }), ask)).toBe(false)
})

test.each([
  ['unsigned', { alg: 'none', kid: 'one' }],
  ['another algorithm', { alg: 'HS256', kid: 'one' }],
  ['an unknown key', { kid: 'nine' }],
  ['an extension that must be understood', { kid: 'one', crit: ['x'], x: 1 }],
])('%s is refused', async (_, header) => {
  expect(await isSignedBy(issuer, token(first, header), publishing({ one: first }))).toBe(false)
})
