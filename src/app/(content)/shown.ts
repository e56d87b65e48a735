import 'server-only'
import { z } from 'zod'
import { env } from '@/core/env'
import { coverAddress } from './covers'
import type { Listed } from './published'

/** An address as other sites need it. */
export const absolute = (path: string) => new URL(path, env.AUTH_URL).href

export const postAddress = (slug: string) => `/posts/${slug}` as const

/** A post as programs see it. */
export const ShownPost = z.object({
  slug: z.string(),
  url: z.url(),
  title: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  cover: z.url().nullable(),
  publishedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

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
