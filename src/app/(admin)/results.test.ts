import { describe, expect, test } from 'vitest'
import { readResult, resultPath, userReturnPath } from './results'

const read = (query: string) => readResult(new URLSearchParams(query))
const token = 'x'.repeat(119)

describe('the result in a URL', () => {
  test.each([
    ['done=suspended', 'User suspended.'],
    ['done=suspended&count=3', '3 users suspended.'],
    ['done=role&to=editor', 'Role changed to Editor.'],
    ['done=role&to=editor&count=2', '2 users changed to Editor.'],
    ['done=deleted', 'User deleted.'],
  ])('%s is shown as "%s"', (query, text) => {
    expect(read(query)?.text).toBe(text)
  })

  test.each([
    '',
    'done=',
    'done=Send+money+to+me',
    'done=constructor',
    'done=__proto__',
    'done=role',
    'done=role&to=king',
    'text=hello',
  ])('%s shows nothing', (query) => {
    expect(read(query)).toBeNull()
  })

  test.each(['0', '-1', '1e9', 'many', '101', '1.5', ''])('a count of "%s" is ignored', (count) => {
    expect(read(`done=suspended&count=${count}`)?.text).toBe('User suspended.')
  })

  test('offers to undo only with something that could be a token', () => {
    expect(read(`done=suspended&undo=${token}`)?.undo).toBe(token)
    for (const undo of ['', 'x', `${token}<b>`, 'x'.repeat(401)])
      expect(read(`done=suspended&undo=${encodeURIComponent(undo)}`)?.undo).toBeUndefined()
  })
})

describe('the page to return to', () => {
  test.each([
    '/admin/users',
    '/admin/users?search=ada&role=editor',
    '/admin/users/0190b1c2-0000-7000-8000-000000000000',
    '/admin/users/0190b1c2-0000-7000-8000-000000000000/sessions',
  ])('may be %s', (path) => {
    expect(userReturnPath(path)).toBe(path)
  })

  test.each([
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/admin/users/../../signin',
    '/admin/usersx',
    '/dashboard',
    '/api/auth/signout',
    undefined,
  ])('is the list instead of %s', (path) => {
    expect(userReturnPath(path)).toBe('/admin/users')
    expect(resultPath(String(path), { done: 'deleted' })).toBe('/admin/users?done=deleted')
  })

  test('has the result in place of an earlier one, and keeps its own parameters', () => {
    const path = '/admin/users?search=ada&done=role&to=editor&count=2&undo=abc'
    expect(resultPath(path, { done: 'suspended', count: 3 })).toBe('/admin/users?search=ada&done=suspended&count=3')
    expect(resultPath('/admin/invitations', { done: 'invited' })).toBe('/admin/invitations?done=invited')
  })
})
