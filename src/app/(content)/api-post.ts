import 'server-only'
import { z } from 'zod'
import { absoluteUrl } from '@/core/site/origin'
import { coverPath } from './covers'
import type { PublishedPost } from './published'

export const postPath = (slug: string) => `/posts/${slug}` as const

/** The feeds, for the metadata of pages. */
export const feedTypes = () => ({
  'application/atom+xml': absoluteUrl('/posts/feed.xml'),
  'application/feed+json': absoluteUrl('/posts/feed.json'),
})

/** A post in API responses. */
export const ApiPost = z.object({
  slug: z.string(),
  url: z.url(),
  title: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  cover: z.url().nullable(),
  publishedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})

export const toApiPost = ({ slug, title, summary, tags, coverId, publishedAt, updatedAt }: PublishedPost) => ({
  slug,
  url: absoluteUrl(postPath(slug)),
  title,
  summary,
  tags,
  cover: coverId && absoluteUrl(coverPath(coverId)),
  publishedAt: publishedAt.toISOString(),
  updatedAt: updatedAt.toISOString(),
})
