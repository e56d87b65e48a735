import assert from 'node:assert/strict'
import fc from 'fast-check'
import { check } from '../checks.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

const address = fc.oneof(fc.ipV4(), fc.ipV6())

/** What a proxy of ours writes: an address, at times as IPv6 writes one of IPv4, at times with spaces. */
const noted = fc.tuple(address, fc.constantFrom('', ' ', '\t'), fc.boolean()).map(([ip, space, isMapped]) => ({
  text: `${space}${isMapped && ip.includes('.') && !ip.includes(':') ? `::ffff:${ip}` : ip}${space}`,
  ip,
}))

/** What a caller writes: anything that a header may hold. */
const lie = fc.oneof(
  address,
  fc.stringMatching(/^[\x20-\x7e]{0,30}$/),
  fc.constantFrom(',', ',,,', '::1', '127.0.0.1', 'unknown'),
)

check(
  'P-10',
  'behind so many proxies of ours the caller is who the first of them saw, whatever the caller writes before',
  async (world) => {
    const [{ clientAddress }] = await appCode<[typeof import('../../../src/core/address.ts')]>(
      world,
      'src/core/address.ts',
    )
    return holds(
      'P-10',
      fc.property(
        fc.array(lie, { maxLength: 4 }),
        fc.array(noted, { minLength: 1, maxLength: 10 }),
        address,
        fc.boolean(),
        (lies, chain, socket, isSeveralLines) => {
          const headers = new Headers({ 'x-plinth-socket-address': socket })
          const entries = [...lies, ...chain.map(({ text }) => text)]
          if (isSeveralLines) for (const entry of entries) headers.append('x-forwarded-for', entry)
          else headers.set('x-forwarded-for', entries.join(','))
          assert.equal(clientAddress(headers, chain.length), chain[0]?.ip)
          // Nothing that a header says counts where no proxy is.
          assert.equal(clientAddress(headers, 0), socket)
        },
      ),
    )
  },
)
