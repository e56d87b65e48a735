import type { Route } from 'next'

/**
 * The path of a page with a query string, or with more of one; undefined values are left out.
 * @public For the pages of modules.
 */
export function pathWithQuery(path: Route, query: object): Route {
  const queryString = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString()
  return (queryString ? `${path}${path.includes('?') ? '&' : '?'}${queryString}` : path) as Route
}
