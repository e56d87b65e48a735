import fc from 'fast-check'
import { expect, test } from 'vitest'
import { returnPath } from './return-path'

const base = 'https://app.example.com'

test.each(['/account', '/admin/users?role=admin&page=2#top', '/', '/a%20b'])('%s is a page of this app', (path) => {
  expect(returnPath(path)).toBe(path)
})

test.each([
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.example',
  '///evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  'https://evil.example',
  'http:evil.example',
  'https:/evil.example',
  '//app.example.com@evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\u2028/evil.example',
  '/..//evil.example',
  '/./\\evil.example',
  '/api/auth/signout',
  '/API/auth/signout',
  '/x/../api/auth/signout',
  '/_next/static/x',
  `/${'a'.repeat(10_000)}`,
  '',
  undefined,
  null,
  {},
  ['/account'],
])('%j falls back to /', (value) => {
  expect(returnPath(value)).toBe('/')
})

test('for any input the result stays on this site, and does not change when passed in again', () => {
  const attackInput = fc.stringMatching(/^[/\\.:@a-z%0-9\t\n?#-]{0,40}$/)
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl(), fc.webPath(), attackInput), (value) => {
      const path = returnPath(value)
      return new URL(path, base).origin === base && returnPath(path) === path
    }),
    { numRuns: 2000 },
  )
})
