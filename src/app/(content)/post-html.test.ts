import { expect, test } from 'vitest'
import { toHtml } from './markdown'
import { toPageHtml } from './post-html'
import { readingMinutes } from './reading-time'

const pageHtmlOf = async (markdown: string) => toPageHtml(await toHtml(markdown))

test('a heading has an id, and a link to itself beside it', async () => {
  expect((await pageHtmlOf('# Sea & *stones*')).html).toBe(
    '<div class="heading"><h2 id="h-sea-stones">Sea &amp; <em>stones</em></h2><a class="anchor" href="#h-sea-stones" aria-label="Link to Sea &amp; stones">#</a></div>\n',
  )
})

test('the outline has the text of each heading, as plain text', async () => {
  expect((await pageHtmlOf('# One & `<b>`\n\n## Two\n\n# Über "uns"\n\n# 日本')).outline).toEqual([
    { id: 'h-one-b', text: 'One & <b>', level: 2 },
    { id: 'h-two', text: 'Two', level: 3 },
    { id: 'h-über-uns', text: 'Über "uns"', level: 2 },
    { id: 'h-日本', text: '日本', level: 2 },
  ])
})

test('ids are unique, also if a heading looks like a numbered one', async () => {
  const { outline } = await pageHtmlOf('# A\n\n# A 2\n\n# A\n\n# A\n\n# !\n\n# ?')
  expect(outline.map(({ id }) => id)).toEqual(['h-a', 'h-a-2', 'h-a-3', 'h-a-4', 'h-section', 'h-section-2'])
})

test('an id has at most 60 characters of the heading, and no half of one', async () => {
  expect((await pageHtmlOf(`# ${'a'.repeat(59)}𝒜`)).outline.map(({ id }) => id)).toEqual([`h-${'a'.repeat(59)}`])
})

test('many equal headings take no time', () => {
  const { outline } = toPageHtml('<h2>a</h2>'.repeat(12_000))
  expect(outline.at(-1)?.id).toBe('h-a-12000')
})

test('a heading without text is not in the outline', async () => {
  const { html, outline } = await pageHtmlOf('# ![](/posts/covers/00000000-0000-4000-8000-000000000000)\n\ntext')
  expect(outline).toEqual([])
  expect(html).toContain('aria-label="Link to this section"')
})

test.each([
  ['[a](#waves)\n\n# Waves', '<a href="#h-waves">a</a>'],
  ['[a](#über-uns)\n\n# Über uns', '<a href="#h-über-uns">a</a>'],
  ['[a](#elsewhere)\n\n# Waves', '<a href="#elsewhere">a</a>'],
  ['[a](#waves)\n\n# H waves\n\n# Waves', '<a class="anchor" href="#h-waves"'],
  ['[a](/posts#waves)\n\n# Waves', '<a href="/posts#waves">a</a>'],
])('%j links to %j', async (markdown, link) => {
  expect((await pageHtmlOf(markdown)).html).toContain(link)
})

test('each code block has a button that copies it', async () => {
  const { html } = await pageHtmlOf('```ts\na\n```\n\n    b\n\n`c`')
  expect(html.match(/<figure data-slot="code-block"><pre tabindex="0"><code/g)).toHaveLength(2)
  expect(html.match(/<\/pre>\s*<button type="button" data-copy=""/g)).toHaveLength(2)
})

test.each([
  '# "><script>alert(1)</script>',
  '# " onclick="alert(1)',
  '# [a](https://example.com "b\\" onclick=\\"alert(1)")',
  '```\n<h2>a</h2></pre><script>alert(1)</script>\n```',
  '```html\n<h2>a</h2></pre><script>alert(1)</script>\n```',
  '`<h2>a</h2>`',
])('%j adds no element or attribute of the text', async (markdown) => {
  const { html } = await pageHtmlOf(markdown)
  for (const [, name, attributes] of html.matchAll(/<(\w+)((?:[^">]|"[^"]*")*)>/g)) {
    expect(name).toMatch(/^(div|h2|a|p|code|pre|figure|button|span)$/)
    for (const [, attribute] of (attributes ?? '').matchAll(/([\w-]+)="[^"]*"/g))
      expect(attribute).toMatch(/^(class|id|href|title|aria-label|tabindex|type|data-copy|data-slot)$/)
  }
  expect(html.match(/<h2/g) ?? []).toHaveLength(markdown.startsWith('#') ? 1 : 0)
})

test.each([
  [0, 1],
  [1_400, 1],
  [2_200, 2],
  [14_000, 10],
])('%d characters take %d minutes to read', (characters, minutes) => {
  expect(readingMinutes(characters)).toBe(minutes)
})
