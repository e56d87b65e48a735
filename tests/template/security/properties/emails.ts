import assert from 'node:assert/strict'
import fc from 'fast-check'
import addressparser from 'nodemailer/lib/addressparser'
import { check } from '../../../app/support/checks.ts'
import { importAppCode } from './support/app-code.ts'
import { assertProperty } from './support/property.ts'

/** Parts that email parsers disagree about. */
const strangePart = fc
  .array(
    fc.constantFrom(
      ...['a', 'B', '.', '..', '+', '-', '@', '"', '"@"', '<', '>', '(c)', ',', ';', ':', '\\', ' ', '\t', '\r\n', '%'],
      ...['=?utf-8?q?x?=', 'xn--', '[127.0.0.1]', 'example', '.com', '@example.com', 'evil.example', "'", '/', '|'],
      ...['\u0130', '\u212a', '\uff20', '\u3002', 'e\u0301', '\u00e9', '\0', '\u200b'],
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => parts.join(''))

check('P-6', 'a normalized email is plain ASCII, unique, and exactly one recipient to the mailer', async (world) => {
  const [{ normalizeEmail }] = await importAppCode<[typeof import('../../../../src/core/auth/user/email.ts')]>(
    world,
    'src/core/auth/user/email.ts',
  )
  let accepted = 0
  const text = fc.oneof(
    fc.emailAddress(),
    fc.emailAddress().map((email) => ` ${email.toUpperCase()}\n`),
    fc.tuple(strangePart, fc.domain()).map(([name, domain]) => `${name}@${domain}`),
    strangePart.map((part) => `${part}@example.com`),
    strangePart,
    fc.string({ unit: 'grapheme' }),
  )
  return assertProperty(
    'P-6',
    fc.property(text, (input) => {
      const email = normalizeEmail(input)
      assert.equal(normalizeEmail(input.normalize('NFD')), normalizeEmail(input.normalize('NFC')))
      if (email === null) return
      accepted++
      assert.match(email, /^[\x21-\x3f\x41-\x7e]+@[a-z0-9.-]+$/)
      assert.equal(normalizeEmail(email), email)
      // As a whole header and after a display name: nobody else receives the email.
      for (const header of [email, `"Some, body" <${email}>`])
        assert.deepEqual(
          addressparser(header).map((parsed) => parsed.address),
          [email],
        )
    }),
    { note: () => `${accepted} were valid` },
  )
})
