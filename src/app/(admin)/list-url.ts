import type { Route } from 'next'
import { pathWithQuery } from '@/core/ui/path-with-query'
import type { PageQuery } from './user-query'

/** The list with this query. */
export const listUrl = (query: PageQuery): Route => pathWithQuery('/admin/users', query)

/** The first page of the list with a changed query. */
export const changedListUrl = (query: PageQuery, change: Partial<PageQuery>): Route =>
  listUrl({ ...query, cursor: undefined, ...change })

/** The users of the list as CSV. */
export const exportUrl = ({ search, role, status, seen }: PageQuery): Route =>
  pathWithQuery('/api/admin/users/export' as Route, { search, role, status, seen })
