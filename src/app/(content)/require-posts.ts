import 'server-only'
import { AppError } from '@/core/errors'
import { scopePath } from '@/core/scope'
import { env } from './env'
import type { Writer } from './policy'

/** Whether this scope has posts: in the app itself always, in an organization if the setting says so. */
export const arePostsEnabled = (scope: Writer['scope']) => !scope || env.CONTENT_PER_ORGANIZATION === 'on'

/** The path of a page as it was requested: `scope` is the name in the URL. */
export const contentPath = (scope: string | undefined, path = '') =>
  scopePath(scope === undefined ? null : { slug: scope }, `/content${path}`)

/** Throws `not_found` in an organization if the setting turns its posts off. */
export function requirePostsEnabled({ scope }: Pick<Writer, 'scope'>): void {
  if (!arePostsEnabled(scope)) throw new AppError('not_found')
}

/** Throws `not_found` in an organization: for what belongs to the app itself, where a role in an organization must not count. */
export function requireApp({ scope }: Pick<Writer, 'scope'>): void {
  if (scope) throw new AppError('not_found')
}
