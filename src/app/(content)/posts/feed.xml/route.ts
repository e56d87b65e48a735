import { appName } from '@/core/app-name'
import { definePublicHandler, defineRoute } from '@/core/handler'
import { findNewest } from '../../published'
import { absolute, postAddress } from '../../shown'
import { xml, xmlResponse } from '../../xml'

/** The newest posts, whole, as Atom. */
export const { GET, HEAD, OPTIONS, POST, PUT, PATCH, DELETE } = defineRoute({
  GET: definePublicHandler({
    summary: 'Read the newest posts as Atom',
    answers: { 200: { file: 'application/atom+xml' } },
    refuses: ['unavailable'],
    cache: 'public, max-age=300',
    run: async () => {
      const posts = await findNewest(20)
      const updated = posts
        .map(({ updatedAt }) => updatedAt.toISOString())
        .toSorted()
        .at(-1)
      const entries = posts.map((post) => {
        const url = absolute(postAddress(post.slug))
        return xml`
  <entry>
    <id>urn:uuid:${post.id}</id>
    <title>${post.title}</title>
    <link href="${url}"/>
    <published>${post.publishedAt.toISOString()}</published>
    <updated>${post.updatedAt.toISOString()}</updated>
    <author><name>${post.authorName ?? appName}</name></author>
    ${post.tags.map((tag) => xml`<category term="${tag}"/>`)}
    <summary>${post.summary}</summary>
    <content type="html" xml:base="${url}">${post.html}</content>
  </entry>`
      })
      return xmlResponse(
        'application/atom+xml',
        xml`<feed xmlns="http://www.w3.org/2005/Atom">
  <id>${absolute('/posts')}</id>
  <title>${appName}</title>
  <link href="${absolute('/posts')}"/>
  <link rel="self" href="${absolute('/posts/feed.xml')}"/>
  <updated>${updated ?? new Date(0).toISOString()}</updated>${entries}
</feed>
`,
      )
    },
  }),
})
