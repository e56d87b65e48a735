import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTrustedDevice, verifyTrustedDevice } from './trusted-device'

const ada = '7f0c1f5e-5d0a-4f7e-9d8e-1b9b9a6f0c11'
const passwordChangedAt = new Date('2026-01-01T00:00:00.000Z')

test('a trusted device is recognized for its user', () => {
  expect(verifyTrustedDevice(ada, passwordChangedAt, createTrustedDevice(ada, passwordChangedAt))).toMatch(
    /^[\w-]{22}$/,
  )
})

test('a trusted device is not recognized for another user, or if it was changed', () => {
  const trustedDevice = createTrustedDevice(ada, passwordChangedAt)
  expect(verifyTrustedDevice('another', passwordChangedAt, trustedDevice)).toBeUndefined()
  expect(verifyTrustedDevice(ada, passwordChangedAt, `${trustedDevice}.more`)).toBeUndefined()
  expect(verifyTrustedDevice(undefined, passwordChangedAt, trustedDevice)).toBeUndefined()
  expect(verifyTrustedDevice(ada, passwordChangedAt, undefined)).toBeUndefined()
  fc.assert(
    fc.property(fc.nat(trustedDevice.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
      const changed = trustedDevice.slice(0, at) + character + trustedDevice.slice(at + 1)
      return changed === trustedDevice || verifyTrustedDevice(ada, passwordChangedAt, changed) === undefined
    }),
  )
})

test('setting, changing or removing the password ends the trust', () => {
  const trustedDevice = createTrustedDevice(ada, passwordChangedAt)
  const later = new Date(passwordChangedAt.getTime() + 1)
  for (const changedAt of [later, null, undefined])
    expect(verifyTrustedDevice(ada, changedAt, trustedDevice)).toBeUndefined()
  const before = createTrustedDevice(ada, null)
  expect(verifyTrustedDevice(ada, undefined, before)).toMatch(/^[\w-]{22}$/)
  expect(verifyTrustedDevice(ada, passwordChangedAt, before)).toBeUndefined()
})

test('a trusted device stays valid while AUTH_SECRET still contains the secret that signed it', () => {
  const first = process.env.AUTH_SECRET
  const second = 'another-one-0123456789-abcdefghijklmno'
  const before = createTrustedDevice(ada, passwordChangedAt)
  process.env.AUTH_SECRET = `${second},${first}`
  const after = createTrustedDevice(ada, passwordChangedAt)
  expect(
    [before, after].map((trustedDevice) => verifyTrustedDevice(ada, passwordChangedAt, trustedDevice)),
  ).not.toContain(undefined)
  process.env.AUTH_SECRET = second
  expect([
    verifyTrustedDevice(ada, passwordChangedAt, before),
    verifyTrustedDevice(ada, passwordChangedAt, after)?.length,
  ]).toEqual([undefined, 22])
  process.env.AUTH_SECRET = first
})
