import { expect, test } from 'vitest'
import { hasLink } from './has-link'

test.each([
  'https://evil.example',
  'Claim it at evil.example',
  'www.evil',
  'evil.example/prize',
  'ada@example',
  'пример.рф',
  '例え。テスト',
  'evil．example',
])('“%s” has a part that a mail client could make clickable', (text) => {
  expect(hasLink(text)).toBe(true)
})

test.each(['Ada Lovelace', 'J. R. R. Tolkien', 'Dr. Grace Hopper', 'Acme, Inc.', 'U.S. Office', 'No. 5', 'Ada…'])(
  '“%s” has none',
  (text) => {
    expect(hasLink(text)).toBe(false)
  },
)
