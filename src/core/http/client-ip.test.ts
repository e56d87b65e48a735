import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clientIp, ipGroup } from './client-ip'

const headersFrom = (socket: string, forwarded?: string) =>
  new Headers({
    'x-plinth-socket-address': socket,
    ...(forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }),
  })

describe('the client IP', () => {
  test('is that of the socket when there is no trusted proxy, whatever X-Forwarded-For says', () => {
    expect(clientIp(headersFrom('198.51.100.7', '9.9.9.9'), 0)).toBe('198.51.100.7')
    expect(clientIp(headersFrom('::ffff:198.51.100.7'), 0)).toBe('198.51.100.7')
  })

  test('is the entry of the outermost trusted proxy, counted from the right, whatever precedes it', () => {
    const ip = fc.ipV4()
    const forgedEntries = fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.stringMatching(/^[\w ."=-]{0,20}$/)), {
      maxLength: 5,
    })
    fc.assert(
      fc.property(forgedEntries, ip, fc.array(ip, { minLength: 0, maxLength: 3 }), (invented, real, proxies) => {
        const chain = [...invented, real, ...proxies].join(', ')
        return clientIp(headersFrom('10.0.0.1', chain), proxies.length + 1) === real
      }),
    )
  })

  test('may be followed by a port, as Azure writes it', () => {
    for (const [entry, ip] of [
      ['192.0.2.7:5678', '192.0.2.7'],
      ['[2001:db8::7]:5678', '2001:db8::7'],
      ['[2001:db8::7]', '2001:db8::7'],
      ['2001:db8::7', '2001:db8::7'],
      ['192.0.2.7:567890', '10.0.0.1'],
      ['[2001:db8::7', '10.0.0.1'],
    ] as const)
      expect(clientIp(headersFrom('10.0.0.1', `9.9.9.9, ${entry}`), 1), entry).toBe(ip)
  })

  test('falls back to the socket when X-Forwarded-For is missing or invalid', () => {
    expect(clientIp(headersFrom('10.0.0.1'), 1)).toBe('10.0.0.1')
    expect(clientIp(headersFrom('10.0.0.1', 'nonsense'), 1)).toBe('10.0.0.1')
    expect(clientIp(headersFrom('10.0.0.1', '9.9.9.9'), 2)).toBe('10.0.0.1')
  })
})

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002::ffff', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
])('%s belongs to the group %s', (ip, group) => {
  expect(ipGroup(ip)).toBe(group)
})
