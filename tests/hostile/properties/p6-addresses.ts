import assert from 'node:assert/strict'
import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import { check } from '../checks.ts'
import { appCode } from './app-code.ts'
import { holds } from './property.ts'

/** Bits that parsers of addresses disagree about. */
const strange = fc
  .array(
    fc.constantFrom(
      ...['a', 'B', '.', '..', '+', '-', '@', '"', '"@"', '<', '>', '(c)', ',', ';', ':', '\\', ' ', '\t', '\r\n', '%'],
      ...['=?utf-8?q?x?=', 'xn--', '[127.0.0.1]', 'example', '.com', '@example.com', 'evil.example', "'", '/', '|'],
      ...['\u0130', '\u212a', '\uff20', '\u3002', 'e\u0301', '\u00e9', '\0', '\u200b'],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))

check('P-6', 'an address has one spelling, is plain, and is one address to whoever sends the mail', async (world) => {
  const [{ normalizeEmail }] = await appCode<[typeof import('../../../src/core/auth/email.ts')]>(
    world,
    'src/core/auth/email.ts',
  )
  let accepted = 0
  const text = fc.oneof(
    fc.emailAddress(),
    fc.emailAddress().map((address) => ` ${address.toUpperCase()}\n`),
    fc.tuple(strange, fc.domain()).map(([name, domain]) => `${name}@${domain}`),
    strange.map((part) => `${part}@example.com`),
    strange,
    fc.string({ unit: 'grapheme' }),
  )
  return holds(
    'P-6',
    fc.property(text, (typed) => {
      const address = normalizeEmail(typed)
      assert.equal(normalizeEmail(typed.normalize('NFD')), normalizeEmail(typed.normalize('NFC')))
      if (address === null) return
      accepted++
      assert.match(address, /^[\x21-\x3f\x41-\x7e]+@[a-z0-9.-]+$/)
      assert.equal(normalizeEmail(address), address)
      // As a whole header, and behind a name: nobody else gets the mail.
      for (const header of [address, `"Some, body" <${address}>`])
        assert.deepEqual(
          addressparser(header).map((parsed) => parsed.address),
          [address],
        )
    }),
    { note: () => `${accepted} were addresses` },
  )
})
