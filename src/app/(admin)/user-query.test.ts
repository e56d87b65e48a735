import { expect, test } from 'vitest'
import { exportUrl, listUrl } from './list-url'
import { ExportQuery, parsePageQuery, UserQuery } from './user-query'

test('several roles come from checkboxes or from a link', () => {
  expect(parsePageQuery({ role: ['viewer', 'editor'] }).role).toEqual(['viewer', 'editor'])
  expect(parsePageQuery({ role: 'viewer,editor' }).role).toEqual(['viewer', 'editor'])
  expect(parsePageQuery({ role: 'editor' }).role).toEqual(['editor'])
  expect(parsePageQuery({ role: '' }).role).toBeUndefined()
})

test('a URL of the list holds the whole query', () => {
  const query = parsePageQuery({ role: ['viewer', 'editor'], seen: 'week', view: 'compact', limit: '50' })
  const { searchParams } = new URL(listUrl(query), 'http://localhost')
  expect(parsePageQuery(Object.fromEntries(searchParams))).toEqual(query)
})

test('invalid parameters are dropped, and the others stay', () => {
  for (const role of ['king', ['viewer', 'king'], 'viewer,', [''], 'viewer;admin'])
    expect(parsePageQuery({ role, status: 'active' })).toEqual({ status: 'active' })
  const all = { sort: 'nonsense', order: 'up', limit: '0', seen: 'tomorrow', view: 'huge', search: 'a'.repeat(101) }
  expect(parsePageQuery(all)).toEqual({})
})

test('a search has its own order and is not filtered by last activity', () => {
  expect(parsePageQuery({ search: 'ada', seen: 'week', sort: 'name', order: 'asc' })).toEqual({ search: 'ada' })
  expect(ExportQuery.safeParse({ search: 'ada', seen: 'week' }).error?.issues[0]?.path).toEqual(['seen'])
})

test('a list of the last active is sorted by activity only', () => {
  expect(parsePageQuery({ seen: 'week', sort: 'name', order: 'asc' })).toEqual({ seen: 'week' })
  expect(parsePageQuery({ seen: 'week', sort: 'seen', order: 'asc' })).toEqual({
    seen: 'week',
    sort: 'seen',
    order: 'asc',
  })
})

test('the export has the filters of the list, but neither its order nor its page', () => {
  const query = parsePageQuery({ role: ['viewer', 'admin'], status: 'active', sort: 'name', cursor: 'x', limit: '50' })
  const { pathname, searchParams } = new URL(exportUrl(query), 'http://localhost')
  expect(pathname).toBe('/api/admin/users/export')
  expect(ExportQuery.parse(Object.fromEntries(searchParams))).toEqual({ role: ['viewer', 'admin'], status: 'active' })
})

test('the API takes one role', () => {
  expect(UserQuery.safeParse({ role: 'viewer' }).success).toBe(true)
  for (const role of ['viewer,admin', ['viewer', 'admin']]) expect(UserQuery.safeParse({ role }).success).toBe(false)
})
