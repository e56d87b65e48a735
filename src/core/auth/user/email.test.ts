import fc from 'fast-check'
import { expect, test } from 'vitest'
import { normalizeEmail } from './email'

test.each([
  [' Ada@Example.COM ', 'ada@example.com'],
  ["o'brien+tag@mail.example.co.uk", "o'brien+tag@mail.example.co.uk"],
  ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example'],
])('%s is normalized to %s', (given, expected) => {
  expect(normalizeEmail(given)).toBe(expected)
})

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'a@b@c.example',
  '"e@attacker.com"@victim.com',
  'a@[127.0.0.1]',
  'a@127.0.0.1',
  'a@localhost',
  'a..b@example.com',
  '.a@example.com',
  'a@-example.com',
  'a@example..com',
  'v1\uff20t.test',
  '\u212aate@t.test',
  'v1@\uff54.test',
  'v\u0430@t.test',
  'v\u200d1@t.test',
  'v1\u200f@t.test',
  'v1@t.test\r\nBcc: x@evil.example',
  'v1@t.test, x@evil.example',
  'v1@t.test;x',
  'v1@t.test\u0000',
  '<script>@x.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(64)}.com`,
  `a@${'b.'.repeat(130)}com`,
  'a@'.repeat(10_000),
  '('.repeat(10_000),
])('%j is not an email', (given) => {
  expect(normalizeEmail(given)).toBeNull()
})

test('every normalized email has one @, is ASCII, and does not change when normalized again', () => {
  const near = fc.tuple(
    fc.string({ unit: 'grapheme', maxLength: 20 }),
    fc.constantFrom('@', '\uff20', ' @', '@@'),
    fc.domain(),
  )
  fc.assert(
    fc.property(
      fc.oneof(
        fc.emailAddress(),
        fc.string({ unit: 'grapheme' }),
        near.map((parts) => parts.join('')),
      ),
      (text) => {
        const email = normalizeEmail(text)
        if (email === null) return true
        return (
          email.split('@').length === 2 &&
          /^[\x21-\x7e]+$/.test(email) &&
          normalizeEmail(email) === email &&
          normalizeEmail(text.normalize('NFD')) === normalizeEmail(text.normalize('NFC'))
        )
      },
    ),
    { numRuns: 1000 },
  )
})
