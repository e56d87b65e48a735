import { expect, test } from 'vitest'
import { normalizeName } from './name'

test('a name is trimmed and normalized to NFC; control characters and line breaks are rejected', () => {
  expect(normalizeName('  Zoe\u0308 O’Neill ')).toBe('Zoë O’Neill')
  expect(normalizeName('\u{1f600}'.repeat(100))).toHaveLength(200)
  expect(normalizeName('\u{1f469}\u200d\u{1f680}')).toBe('\u{1f469}\u200d\u{1f680}')
  for (const wrong of [
    '',
    '   ',
    'x'.repeat(101),
    // Would take seconds if it were normalized before its length is checked.
    'a'.padEnd(100_000, '\u0301\u0323'),
    'a\nb',
    'a\0b',
    'a\u202eb',
    'a\u2028b',
    '\ud800',
    '\u200b\u200d',
    '\u3164',
  ])
    expect(normalizeName(wrong)).toBeNull()
})
