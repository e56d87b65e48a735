import 'server-only'
import { appName } from '@/brand'
import { absoluteUrl } from '@/core/site/origin'
import { postPath } from './api-post'
import { coverPath } from './covers'
import type { PublishedPost } from './published'

/**
 * A post for search engines, as JSON-LD. A data block: browsers do not run it, so the content security policy does not concern
 * it. No text can end the block: `<` is escaped.
 */
export function structuredDataOf(post: PublishedPost): string {
  const url = absoluteUrl(postPath(post.slug))
  const publisher = { '@type': 'Organization', name: appName, url: absoluteUrl('/') }
  return JSON.stringify({
    '@context': 'https://schema.org',
    '@type': 'BlogPosting',
    headline: post.title,
    description: post.summary,
    url,
    mainEntityOfPage: url,
    datePublished: post.publishedAt.toISOString(),
    dateModified: post.updatedAt.toISOString(),
    author: post.authorName ? { '@type': 'Person', name: post.authorName } : publisher,
    publisher,
    ...(post.tags.length > 0 && { keywords: post.tags.join(', ') }),
    ...(post.coverId && { image: absoluteUrl(coverPath(post.coverId)) }),
  }).replaceAll('<', '\\u003c')
}
