import 'server-only'
import { env } from '@/core/env'
import { coverAddress } from './covers'
import type { Listed } from './published'

/** An address as other sites need it. */
export const absolute = (path: string) => new URL(path, env.AUTH_URL).href

export const postAddress = (slug: string) => `/posts/${slug}` as const

/** A post as programs see it. */
export const inApi = ({ slug, title, summary, tags, coverId, publishedAt, updatedAt }: Listed) => ({
  slug,
  url: absolute(postAddress(slug)),
  title,
  summary,
  tags,
  cover: coverId && absolute(coverAddress(coverId)),
  publishedAt: publishedAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
