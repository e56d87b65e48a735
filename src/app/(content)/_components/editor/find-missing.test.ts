import { expect, test } from 'vitest'
import type { Fields } from '../editor-fields'
import { findMissing } from './find-missing'

const complete = { title: 'Sea', slug: '', summary: 'About it', tags: '', body: 'Waves ![a wave](/posts/covers/1)' }

test('nothing is missing in a complete post', () => expect(findMissing(complete, true)).toEqual([]))

test.each<[Partial<Fields>, boolean, string]>([
  [{ title: 'Untitled post' }, true, 'A title'],
  [{ summary: ' ' }, true, 'A summary'],
  [{ body: '' }, true, 'Text'],
  [{ body: 'Waves ![](/posts/covers/1)' }, true, 'A description'],
  [{}, false, 'A cover'],
])('with %j and a cover (%s), something is missing', (more, hasCover, start) => {
  const missing = findMissing({ ...complete, ...more }, hasCover)
  expect(missing).toHaveLength(1)
  expect(missing[0]).toMatch(new RegExp(`^${start}`))
})
