import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressGroup, clientAddress } from './address'

const from = (socket: string, forwarded?: string) =>
  new Headers({
    'x-plinth-socket-address': socket,
    ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
  })

describe('the address of a caller', () => {
  test('is the socket’s when no proxy is ours, whatever the caller claims', () => {
    expect(clientAddress(from('198.51.100.7', '9.9.9.9'), 0)).toBe('198.51.100.7')
    expect(clientAddress(from('::ffff:198.51.100.7'), 0)).toBe('198.51.100.7')
  })

  test('is what our own proxies saw, counted from the right, whatever stands before', () => {
    const address = fc.ipV4()
    const lies = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[\w ."=-]{0,20}$/)), { maxLength: 5 })
    fc.assert(
      fc.property(lies, address, fc.array(address, { minLength: 0, maxLength: 3 }), (invented, real, proxies) => {
        const chain = [...invented, real, ...proxies].join(', ')
        return clientAddress(from('10.0.0.1', chain), proxies.length + 1) === real
      }),
    )
  })

  test('falls back to the socket when the proxy did not say', () => {
    expect(clientAddress(from('10.0.0.1'), 1)).toBe('10.0.0.1')
    expect(clientAddress(from('10.0.0.1', 'nonsense'), 1)).toBe('10.0.0.1')
    expect(clientAddress(from('10.0.0.1', '9.9.9.9'), 2)).toBe('10.0.0.1')
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s is counted as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group)
})
