import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../../../app/support/checks.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

const anyIp = fc.oneof(fc.ipV4(), fc.ipV6())

/** An entry of our own proxy: an IP, sometimes IPv4-mapped IPv6, sometimes with spaces. */
const proxyEntry = fc.tuple(anyIp, fc.constantFrom('', ' ', '\t'), fc.boolean()).map(([ip, space, isMapped]) => ({
  text: `${space}${isMapped && ip.includes('.') && !ip.includes(':') ? `::ffff:${ip}` : ip}${space}`,
  ip,
}))

/** An entry of the caller: anything that a header can hold. */
const forgedEntry = fc.oneof(
  anyIp,
  fc.stringMatching(/^[\x20-\x7e]{0,30}$/),
  fc.constantFrom(',', ',,,', '::1', '127.0.0.1', 'unknown'),
)

check(
  'P-10',
  'with TRUSTED_PROXY_HOPS the client IP is the one the first proxy saw, whatever the caller sends',
  async (world) => {
    const [{ clientIp }] = await importAppCode<[typeof import('../../../../src/core/http/client-ip.ts')]>(
      world,
      'src/core/http/client-ip.ts',
    )
    return assertProperty(
      'P-10',
      fc.property(
        fc.array(forgedEntry, { maxLength: 4 }),
        fc.array(proxyEntry, { minLength: 1, maxLength: 10 }),
        anyIp,
        fc.boolean(),
        (forgedEntries, chain, socketIp, isSeveralLines) => {
          const headers = new Headers({ 'x-plinth-socket-address': socketIp })
          const entries = [...forgedEntries, ...chain.map(({ text }) => text)]
          if (isSeveralLines) for (const entry of entries) headers.append('x-forwarded-for', entry)
          else headers.set('x-forwarded-for', entries.join(','))
          assert.equal(clientIp(headers, chain.length), chain[0]?.ip)
          // Without a proxy the header is ignored.
          assert.equal(clientIp(headers, 0), socketIp)
        },
      ),
    )
  },
)
