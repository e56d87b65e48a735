import { createSign, generateKeyPairSync } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { readIdToken } from './id-token'

const pair = () => generateKeyPairSync('rsa', { modulusLength: 2048 })
const [first, second, attacker] = [pair(), pair(), pair()]
const issuer = 'https://provider.example'
const now = Math.floor(Date.now() / 1000)

const isSignedBy = async (...args: Parameters<typeof readIdToken>) => (await readIdToken(...args)) !== null

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
function token(key: typeof first, header: Record<string, unknown>, claims: Record<string, unknown> = {}): string {
  const content = `${encode({ alg: 'RS256', ...header })}.${encode({ iss: issuer, sub: 'ada', iat: now, ...claims })}`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(key.privateKey, 'base64url')}`
}

/** A fake fetch that serves the provider's configuration and these keys. */
const fakeFetch = (keys: Record<string, typeof first>, configuredIssuer = issuer) =>
  vi.fn(async (url: string | URL | Request) =>
    Response.json(
      String(url).endsWith('/openid-configuration')
        ? { issuer: configuredIssuer, jwks_uri: `${issuer}/keys` }
        : { keys: Object.entries(keys).map(([kid, key]) => ({ ...key.publicKey.export({ format: 'jwk' }), kid })) },
    ),
  )

test('only tokens signed with the provider’s keys are accepted, and the keys are fetched once', async () => {
  const fetchFn = fakeFetch({ one: first, two: second })
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }), fetchFn)).toBe(true)
  expect(await isSignedBy(issuer, token(second, { kid: 'two' }), fetchFn)).toBe(true)
  expect(await isSignedBy(issuer, token(attacker, { kid: 'one' }), fetchFn)).toBe(false)
  expect(fetchFn).toHaveBeenCalledTimes(2)
})

test('keys are fetched again after the provider was unreachable', async () => {
  const other = 'https://other.example'
  const mine = token(first, { kid: 'one' }, { iss: other })
  const failingFetch = async () => {
    throw new TypeError('fetch failed')
  }
  await expect(isSignedBy(other, mine, failingFetch)).rejects.toThrow('fetch failed')
  expect(await isSignedBy(other, mine, fakeFetch({ one: first }, other))).toBe(true)
})

test('a provider configuration with another issuer is rejected', async () => {
  const third = 'https://third.example'
  const mine = token(first, { kid: 'one' }, { iss: third })
  await expect(isSignedBy(third, mine, fakeFetch({ one: first }, issuer))).rejects.toThrow('of another issuer')
})

test('the claims are those of the signed token', async () => {
  const mine = token(first, { kid: 'one' }, { auth_time: now - 60 })
  expect(await readIdToken(issuer, mine, fakeFetch({ one: first }))).toMatchObject({ sub: 'ada', auth_time: now - 60 })
})

test('a token without a time, or from the future, is rejected; clocks may differ by a minute', async () => {
  const fetchFn = fakeFetch({ one: first })
  const cases = [
    [undefined, false],
    [now + 3_600, false],
    [now + 30, true],
  ] as const
  for (const [iat, isAccepted] of cases)
    expect(await isSignedBy(issuer, token(first, { kid: 'one' }, { iat }), fetchFn), String(iat)).toBe(isAccepted)
})

test('an issuer that ends with a slash is found', async () => {
  const slashed = 'https://tenant.example/'
  const fetchFn = fakeFetch({ one: first }, slashed)
  expect(await isSignedBy(slashed, token(first, { kid: 'one' }, { iss: slashed }), fetchFn)).toBe(true)
  expect(String(fetchFn.mock.calls[0]?.[0])).toBe('https://tenant.example/.well-known/openid-configuration')
})

test('a token of another issuer, or an expired one, is rejected', async () => {
  const fetchFn = fakeFetch({ one: first, two: second })
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }, { iss: 'https://evil.example' }), fetchFn)).toBe(false)
  expect(await isSignedBy(issuer, token(first, { kid: 'one' }, { exp: 1 }), fetchFn)).toBe(false)
})

test.each([
  ['unsigned', { alg: 'none', kid: 'one' }],
  ['another algorithm', { alg: 'HS256', kid: 'one' }],
  ['an unknown key', { kid: 'nine' }],
  ['an extension that must be understood', { kid: 'one', crit: ['x'], x: 1 }],
])('%s is rejected', async (_, header) => {
  expect(await isSignedBy(issuer, token(first, header), fakeFetch({ one: first }))).toBe(false)
})
