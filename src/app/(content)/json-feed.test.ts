import { expect, test } from 'vitest'
import { appName } from '@/brand'
import { env } from '@/core/env'
import { toJsonFeed } from './json-feed'
import { toHtml } from './markdown'

const origin = new URL(env.AUTH_URL).origin
const post = {
  id: '00000000-0000-4000-8000-000000000000',
  slug: 'waves',
  title: 'Waves & <stones>',
  summary: 'Short',
  html: '',
  tags: ['sea'],
  coverId: null,
  publishedAt: new Date(0),
  updatedAt: new Date(1_000),
  authorId: null,
  authorName: null,
  characters: 0,
}

test('an item has the title as plain text, and the app as author if the user is deleted', () => {
  const { items, ...feed } = toJsonFeed([post])
  expect(feed).toEqual({
    version: 'https://jsonfeed.org/version/1.1',
    title: appName,
    home_page_url: `${origin}/posts`,
    feed_url: `${origin}/posts/feed.json`,
  })
  expect(items).toEqual([
    {
      id: `urn:uuid:${post.id}`,
      url: `${origin}/posts/waves`,
      title: 'Waves & <stones>',
      summary: 'Short',
      content_html: '',
      date_published: '1970-01-01T00:00:00.000Z',
      date_modified: '1970-01-01T00:00:01.000Z',
      authors: [{ name: appName }],
      tags: ['sea'],
    },
  ])
})

test('a cover is its image', () => {
  const coverId = '11111111-1111-4111-8111-111111111111'
  expect(toJsonFeed([{ ...post, coverId }]).items[0]).toMatchObject({ image: `${origin}/posts/covers/${coverId}` })
})

test('links of the text are absolute, and text that looks like one stays', async () => {
  const html = await toHtml('[a](/posts) [b](#c) [d](https://example.com/e) `href="/f"`')
  expect(toJsonFeed([{ ...post, html }]).items[0]?.content_html).toBe(
    `<p><a href="${origin}/posts">a</a> <a href="${origin}/posts/waves#c">b</a> <a href="https://example.com/e">d</a> <code>href=&quot;/f&quot;</code></p>\n`,
  )
})

test('images of the text are absolute in each size', () => {
  const html = '<img src="/a" srcset="/a 400w, /b 800w" alt="/c, /d">'
  expect(toJsonFeed([{ ...post, html }]).items[0]?.content_html).toBe(
    `<img src="${origin}/a" srcset="${origin}/a 400w, ${origin}/b 800w" alt="/c, /d">`,
  )
})
