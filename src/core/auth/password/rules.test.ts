import { expect, test } from 'vitest'
import { appName } from '@/brand'
import { passwordProblem } from './rules'

/** The app's name, repeated until it is long enough for a password. */
const repeatedAppName = Array.from({ length: Math.ceil(12 / appName.length) }, () => appName)

test.each([
  ['eleven char', 'at least 12'],
  ['x'.repeat(129), 'at most 128'],
  ['a'.padEnd(100_000, '\u0301\u0323'), 'at most 128'],
  [' '.repeat(15), 'Too easy'],
  ['abababababababab', 'Too easy'],
  ['a\0bcdefghijklmnop', 'aren’t allowed'],
  ['ada.lovelace was here', 'email'],
  ['Password123456', 'commonly used'],
  [repeatedAppName.join('-'), 'from this app'],
  [`-- ${[...repeatedAppName.join('').toUpperCase()].join('.')} --`, 'from this app'],
  [`${appName}-admin-2026`, 'from this app'],
  ['Editor @ Example 77', 'your company'],
])('%j is rejected as a password for ada.lovelace@example.com', async (password, message) => {
  expect(await passwordProblem(password, 'ada.lovelace@example.com')).toContain(message)
})

test('a password may contain a short local part of the email, but not be the email itself', async () => {
  expect(await passwordProblem('a long walk by the sea', 'a@example.com')).toBeUndefined()
  expect(await passwordProblem('A@example.com', 'a@Example.com')).toContain('email')
})

test.each(['correct horse battery', '\u{1f40e}\u{1f50b}\u{1f4ce}\u{1f33f}'.repeat(3), `${'x'.repeat(100)}abcdefgh`])(
  '%j is accepted as a password',
  async (password) => {
    expect(await passwordProblem(password, 'ada@example.com')).toBeUndefined()
  },
)
