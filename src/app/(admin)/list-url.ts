import type { Route } from 'next'
import { pathWithQuery } from '@/core/ui/path-with-query'
import { type PageQuery, parsePageQuery } from './user-query'

/** The list with this query. */
export const listUrl = (query: PageQuery): Route => pathWithQuery('/admin/users', query)

/** The first page of the list with a changed query. */
export const changedListUrl = (query: PageQuery, change: Partial<PageQuery>): Route =>
  listUrl({ ...query, cursor: undefined, ...change })

/** The users of the list as CSV. */
export const exportUrl = ({ search, role, status, seen }: PageQuery): Route =>
  pathWithQuery('/api/admin/users/export' as Route, { search, role, status, seen })

/** The list that a page of a user was opened from, by its parameter `list`; null for a value that is no list. */
export function readList(value: unknown): { url: Route; query: PageQuery } | null {
  if (typeof value !== 'string' || !/^\/admin\/users(\?|$)/.test(value)) return null
  const query = parsePageQuery(Object.fromEntries(new URLSearchParams(value.split('?')[1])))
  return { url: listUrl(query), query }
}

/** The list that this page of a user was opened from, or else the whole list. */
export const listOfPage = (path: string): Route =>
  readList(new URLSearchParams(path.split('?')[1]).get('list'))?.url ?? '/admin/users'
