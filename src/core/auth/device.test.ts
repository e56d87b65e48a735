import fc from 'fast-check'
import { expect, test } from 'vitest'
import { knownDevice, makeDevice } from './device'

const ada = '7f0c1f5e-5d0a-4f7e-9d8e-1b9b9a6f0c11'

test('a device is known to the person it was made for', () => {
  expect(knownDevice(ada, makeDevice(ada))).toMatch(/^[\w-]{22}$/)
})

test('and to nobody else, and no change to it goes unnoticed', () => {
  const device = makeDevice(ada)
  expect(knownDevice('another', device)).toBeUndefined()
  expect(knownDevice(ada, `${device}.more`)).toBeUndefined()
  expect(knownDevice(undefined, device)).toBeUndefined()
  expect(knownDevice(ada, undefined)).toBeUndefined()
  fc.assert(
    fc.property(fc.nat(device.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, letter) => {
      const changed = device.slice(0, at) + letter + device.slice(at + 1)
      return changed === device || knownDevice(ada, changed) === undefined
    }),
  )
})

test('it stays known while another secret replaces the one that it was signed with, and no longer', () => {
  const first = process.env.AUTH_SECRET
  const second = 'another-one-0123456789-abcdefghijklmno'
  const before = makeDevice(ada)
  process.env.AUTH_SECRET = `${second},${first}`
  const after = makeDevice(ada)
  expect([before, after].map((device) => knownDevice(ada, device))).not.toContain(undefined)
  process.env.AUTH_SECRET = second
  expect([knownDevice(ada, before), knownDevice(ada, after)?.length]).toEqual([undefined, 22])
  process.env.AUTH_SECRET = first
})
