import type { Route } from 'next'

/**
 * The result of an action, as it travels in the URL of the page to which the action redirects. Anyone can make up such a
 * URL, so the page shows nothing of it but values that it knows.
 */
export interface ResultParams {
  /** What was done, such as `suspended`. */
  done: string
  count?: number | undefined
  /** The value that something was changed to, such as a role. */
  to?: string | undefined
  /** The token for the action that undoes it. */
  undo?: string | undefined
}

const names = ['done', 'count', 'to', 'undo'] satisfies (keyof ResultParams)[]

/** The path without the result of an action. */
export function withoutResult(path: string): Route {
  const url = new URL(path, 'http://app.invalid')
  for (const name of names) url.searchParams.delete(name)
  return `${url.pathname}${url.search}` as Route
}

/**
 * The path with the result of an action, instead of an earlier one.
 * @public For the actions of modules.
 */
export function withResult(path: string, result: ResultParams): Route {
  const url = new URL(withoutResult(path), 'http://app.invalid')
  for (const name of names) if (result[name] !== undefined) url.searchParams.set(name, String(result[name]))
  return `${url.pathname}${url.search}` as Route
}
