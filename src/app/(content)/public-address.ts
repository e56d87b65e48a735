import type { Route } from 'next'

/** The address of the list of posts, or of a part of it. */
export function addressOf(query: { tag?: string | undefined; before?: string | undefined }) {
  const some = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  const text = new URLSearchParams(some).toString()
  return (text ? `/posts?${text}` : '/posts') as Route
}
