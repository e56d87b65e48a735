import { expect, test } from 'vitest'
import { contentReturnPath, readResult } from './results'

const read = (query: string) => readResult(new URLSearchParams(query))?.text

test('the result of an action is shown as a known text', () => {
  expect(read('done=posts_published')).toBe('Post published.')
  expect(read('done=posts_unpublished&count=3')).toBe('3 posts unpublished.')
  expect(read('done=posts_deleted&count=1')).toBe('Post deleted.')
  expect(read('done=posts_deleted&count=<b>')).toBe('Post deleted.')
  for (const made of ['', 'done=hacked', 'done=constructor', 'done=toString']) expect(read(made)).toBeUndefined()
})

test('a dialog returns only to the list of posts', () => {
  expect(contentReturnPath('/content?status=draft')).toBe('/content?status=draft')
  for (const path of [undefined, '/contents', '/admin', 'https://example.com', '//example.com', '/content/../admin'])
    expect(contentReturnPath(path)).toBe('/content')
})
