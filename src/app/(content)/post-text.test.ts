import { describe, expect, test } from 'vitest'
import { PostText } from './post-text'
import { slugOf } from './slug'

const text = { title: 'A', slug: '', summary: '', tags: '', body: '' }
const fieldsOf = (more: object) =>
  PostText.safeParse({ ...text, ...more }).error?.issues.map(({ path }) => path[0]) ?? []

describe('Text', () => {
  test('normalizes whitespace and line endings, and splits tags', () => {
    expect(PostText.parse({ ...text, title: ' a\n b ', tags: 'One, two  three,,one', body: 'a\r\nb' })).toEqual({
      title: 'a b',
      slug: '',
      summary: '',
      tags: ['one', 'two three'],
      body: 'a\nb',
    })
  })

  test.each([
    [{ title: ' ' }, 'title'],
    [{ title: 'a'.repeat(201) }, 'title'],
    [{ title: 'a\0b' }, 'title'],
    [{ slug: 'A b' }, 'slug'],
    [{ slug: 'a--b' }, 'slug'],
    [{ slug: '../a' }, 'slug'],
    [{ slug: 'preview' }, 'slug'],
    [{ tags: '<b>' }, 'tags'],
    [{ tags: 'a,b,c,d,e,f,g,h,i' }, 'tags'],
    [{ tags: 'a'.repeat(31) }, 'tags'],
    [{ body: 'ä'.repeat(24_001) }, 'body'],
    [{ body: '\0' }, 'body'],
  ])('rejects %j', (more, field) => {
    expect(fieldsOf(more)).toContain(field)
  })
})

test.each([
  ['Über uns', 'uber-uns'],
  ['  Hello,   World! ', 'hello-world'],
  ['日本', 'post-12345678'],
  ['Preview', 'post-12345678'],
])('the slug of %j is %s', (title, slug) => {
  expect(slugOf(title, '12345678-1234')).toBe(slug)
})
