import 'server-only'
import { appName } from '@/brand'
import { absoluteUrl } from '@/core/site/origin'
import { postPath } from './api-post'
import { coverPath } from './covers'
import { withAbsoluteUrls } from './post-html'
import type { FeedPost } from './published'

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
