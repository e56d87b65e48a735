import { appName } from '@/brand'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { absoluteUrl } from '@/core/site/origin'
import { xml, xmlResponse } from '@/core/site/xml'
import { postPath } from '../../api-post'
import { withAbsoluteUrls } from '../../post-html'
import { findNewest } from '../../published'

/** Atom feed of the newest posts with their full HTML. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Get the newest posts as an Atom feed',
    responses: { 200: { file: 'application/atom+xml' } },
    errors: ['unavailable'],
    cache: 'public, max-age=300',
    run: async () => {
      const posts = await findNewest(20)
      const updated = posts
        .map(({ updatedAt }) => updatedAt.toISOString())
        .toSorted()
        .at(-1)
      const entries = posts.map((post) => {
        const url = absoluteUrl(postPath(post.slug))
        return xml`
  <entry>
    <id>urn:uuid:${post.id}</id>
    <title>${post.title}</title>
    <link rel="alternate" type="text/html" href="${url}"/>
    <published>${post.publishedAt.toISOString()}</published>
    <updated>${post.updatedAt.toISOString()}</updated>
    <author><name>${post.authorName ?? appName}</name></author>
    ${post.tags.map((tag) => xml`<category term="${tag}"/>`)}
    <summary>${post.summary}</summary>
    <content type="html">${withAbsoluteUrls(post.html, url)}</content>
  </entry>`
      })
      return xmlResponse(
        'application/atom+xml',
        xml`<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${absoluteUrl('/posts')}</id>
  <title>${appName}</title>
  <link rel="alternate" type="text/html" href="${absoluteUrl('/posts')}"/>
  <link rel="self" type="application/atom+xml" href="${absoluteUrl('/posts/feed.xml')}"/>
  <updated>${updated ?? new Date(0).toISOString()}</updated>${entries}
</feed>
`,
      )
    },
  }),
})
