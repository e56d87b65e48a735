import { createSign, generateKeyPairSync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { isSignedBy } from './id-token'

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [first, second, stranger] = [pair(), pair(), pair()]
const issuer = 'https://provider.example'

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
function token(key: typeof first, header: Record<string, unknown>): string {
  const content = `${encode({ alg: 'RS256', ...header })}.${encode({ sub: 'ada' })}`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key.privateKey, 'base64url')}`
}

/** Publishes these keys, as a provider does. */
const publishing = (keys: Record<string, typeof first>) =>
  vi.fn(async (url: string | URL | Request) =>
    Response.json(
      String(url).endsWith('/openid-configuration')
        ? { jwks_uri: `${issuer}/keys` }
        : { keys: Object.entries(keys).map(([kid, key]) => ({ ...key.publicKey.export({ format: 'jwk' }), kid })) },
    ),
  )

test('only the provider’s own key signs, and its keys are asked for again when it has a new one', async () => {
  const before = publishing({ one: first })
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }), before)).toBe(true)
  expect(await isSignedBy(issuer, token(stranger, { kid: 'one' }), before)).toBe(false)
  expect(before).toHaveBeenCalledTimes(2)
  const after = publishing({ one: first, two: second })
  expect(await isSignedBy(issuer, token(second, { kid: 'two' }), after)).toBe(true)
})

test.each([
  ['unsigned', { alg: 'none', kid: 'one' }],
  ['another algorithm', { alg: 'HS256', kid: 'one' }],
  ['no key named', {}],
  ['an unknown key', { kid: 'nine' }],
  ['an extension that must be understood', { kid: 'one', crit: ['x'], x: 1 }],
])('%s is refused', async (_, header) => {
  expect(await isSignedBy(issuer, token(first, header), publishing({ one: first }))).toBe(false)
})
