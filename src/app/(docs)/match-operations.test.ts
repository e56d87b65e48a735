import { expect, test } from 'vitest'
import { matchesSearch } from './match-operations'

const entry = { id: 'getDemoAdminUsers', method: 'GET', path: '/api/demo/admin/users', summary: 'List users' }

test.each(['', ' ', 'list', 'USERS list', 'get users', '/api/demo', 'admin list'])('%o finds the operation', (text) => {
  expect(matchesSearch(entry, text)).toBe(true)
})

test.each(['post', 'list posts', 'list, users'])('%o does not', (text) => {
  expect(matchesSearch(entry, text)).toBe(false)
})
