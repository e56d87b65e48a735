import type { Route } from 'next'
import { returnPath } from '@/core/auth/flows/return-path'
import { type ScopeMember, scopePath } from '@/core/scope'
import type { ResultParams } from '@/core/ui/result-params'

const counted = (one: string, many: string) => (count: number) => (count === 1 ? one : `${count} ${many}`)

/** What the actions on posts report. Only these texts are shown, whatever the URL says. */
const texts = {
  posts_published: counted('Post published.', 'posts published.'),
  posts_unpublished: counted('Post unpublished.', 'posts unpublished.'),
  posts_deleted: counted('Post deleted.', 'posts deleted.'),
  posts_unchanged: () => 'Nothing changed.',
} satisfies Record<string, (count: number) => string>

export interface ContentResult extends ResultParams {
  done: keyof typeof texts
}

const isKind = (text: string): text is keyof typeof texts => Object.hasOwn(texts, text)

/** The result in the parameters of a URL, or null if there is none or it is invalid. */
export function readResult(params: { get: (name: string) => string | null }): { text: string } | null {
  const kind = params.get('done') ?? ''
  if (!isKind(kind)) return null
  const count = Number(params.get('count') ?? 1)
  return { text: texts[kind](Number.isInteger(count) && count > 0 && count <= 100 ? count : 1) }
}

/** The list of posts to return to, with its filters, in the same scope. The value comes from a URL. */
export function contentReturnPath(value: unknown, scope: ScopeMember['scope'] = null): Route {
  const list = scopePath(scope ?? null, '/content')
  const path = returnPath(value, list)
  return path === list || path.startsWith(`${list}?`) ? (path as Route) : list
}
