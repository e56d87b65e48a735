import 'server-only'
import { appName } from '@/brand'
import { absoluteUrl } from '@/core/site/origin'
import { postPath } from './api-post'
import { coverPath } from './covers'
import type { FeedPost } from './published'

/** A feed has no base URL, so links and images need their origin. markdown.ts lets through no path that begins with `//`. */
const withAbsoluteUrls = (html: string, url: string) =>
  html
    .replaceAll(/ (href|src)="\//g, (_, attribute: string) => ` ${attribute}="${absoluteUrl('/')}`)
    .replaceAll(/ srcset="[^"]*"/g, (srcset) => srcset.replaceAll(/(?<=["\s])\//g, absoluteUrl('/')))
    .replaceAll(' href="#', ` href="${url}#`)

/** See https://jsonfeed.org/version/1.1. */
export const toJsonFeed = (posts: FeedPost[]) => ({
  version: 'https://jsonfeed.org/version/1.1',
  title: appName,
  home_page_url: absoluteUrl('/posts'),
  feed_url: absoluteUrl('/posts/feed.json'),
  items: posts.map((post) => {
    const url = absoluteUrl(postPath(post.slug))
    return {
      id: `urn:uuid:${post.id}`,
      url,
      title: post.title,
      summary: post.summary,
      content_html: withAbsoluteUrls(post.html, url),
      ...(post.coverId && { image: absoluteUrl(coverPath(post.coverId)) }),
      date_published: post.publishedAt.toISOString(),
      date_modified: post.updatedAt.toISOString(),
      authors: [{ name: post.authorName ?? appName }],
      tags: post.tags,
    }
  }),
})
