import type { Route } from 'next'

/**
 * The address of a page with what is asked of it; what is undefined is left out.
 * @public For the pages of modules.
 */
export function addressWith(path: Route, query: object): Route {
  const text = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ).toString()
  return (text ? `${path}?${text}` : path) as Route
}
