import { expect, test } from 'vitest'
import { appName } from '@/brand'
import { structuredDataOf } from './structured-data'

const post = {
  id: '00000000-0000-4000-8000-000000000000',
  slug: 'waves',
  title: 'Waves',
  summary: 'About the sea',
  tags: ['sea', 'stones'],
  coverId: null,
  publishedAt: new Date(0),
  updatedAt: new Date(1_000),
  authorId: null,
  authorName: 'Ada',
  characters: 0,
}

test('a post is a BlogPosting with its author, times and tags', () => {
  expect(JSON.parse(structuredDataOf(post))).toMatchObject({
    '@type': 'BlogPosting',
    headline: 'Waves',
    url: expect.stringMatching(/\/posts\/waves$/),
    datePublished: '1970-01-01T00:00:00.000Z',
    dateModified: '1970-01-01T00:00:01.000Z',
    author: { '@type': 'Person', name: 'Ada' },
    keywords: 'sea, stones',
  })
})

test('the app is the author once the user is deleted', () => {
  expect(JSON.parse(structuredDataOf({ ...post, authorName: null })).author).toMatchObject({ name: appName })
})

test('no text can end the block', () => {
  const title = '</script><script>alert(1)</script><!--'
  const text = structuredDataOf({ ...post, title, summary: title, authorName: title, tags: [title] })
  expect(text).not.toContain('<')
  expect(JSON.parse(text).headline).toBe(title)
})
