import { expect, test } from 'vitest'
import { describeLength, findHeadings } from './text-facts'

test('words are counted in every language, and Markdown is not one', () => {
  expect(describeLength('')).toBe('0 words · 1 min read')
  expect(describeLength('# One\n\n- *two*')).toBe('2 words · 1 min read')
  expect(describeLength('Über uns: it’s')).toBe('3 words · 1 min read')
  expect(describeLength('word '.repeat(2_200))).toBe('2,200 words · 10 min read')
})

test('headings are found with their places, but not in code', () => {
  const body = '# One\ntext\n```\n# no\n```\n## Two ##\n#no\n'
  expect(findHeadings(body)).toEqual([
    { level: 1, text: 'One', at: 0 },
    { level: 2, text: 'Two', at: body.indexOf('## Two') },
  ])
})
