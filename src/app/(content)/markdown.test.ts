import { describe, expect, test } from 'vitest'
import { beginningOf, toHtml } from './markdown'

describe('Markdown', () => {
  test.each([
    ['# One\n\n## Two', '<h2>One</h2>\n<h3>Two</h3>\n'],
    ['### One\n\n#### Two', '<h2>One</h2>\n<h3>Two</h3>\n'],
    ['**a** *b* `c` ~~d~~', '<p><strong>a</strong> <em>b</em> <code>c</code> <s>d</s></p>\n'],
    ['[a](https://example.com)', '<p><a href="https://example.com">a</a></p>\n'],
    [
      '[a](/posts) [b](#c) [d](mailto:a@b.c)',
      '<p><a href="/posts">a</a> <a href="#c">b</a> <a href="mailto:a@b.c">d</a></p>\n',
    ],
    ['https://example.com', '<p><a href="https://example.com">https://example.com</a></p>\n'],
    ['![a](/posts/covers/1)', '<p><img src="/posts/covers/1" alt="a" loading="lazy"></p>\n'],
    ['```\n<b>\n```', '<pre tabindex="0"><code>&lt;b&gt;\n</code></pre>\n'],
  ])('%j is %j', (text, html) => {
    expect(toHtml(text)).toBe(html)
  })

  test('a picture from elsewhere is a link', () => {
    expect(toHtml('![a <b](https://example.com/a.png)')).toBe(
      '<p><a href="https://example.com/a.png">a &lt;b</a></p>\n',
    )
  })

  test('a picture from elsewhere inside of a link is its words', () => {
    expect(toHtml('[![a](https://example.com/a.png)](https://example.com)')).toBe(
      '<p><a href="https://example.com">a</a></p>\n',
    )
  })

  test.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '[a](javascript:alert(1))',
    '[a](JaVaScRiPt:alert(1))',
    '[a](&#106;avascript:alert(1))',
    '[a](data:text/html,<script>alert(1)</script>)',
    '[a](vbscript:alert(1))',
    '![a](javascript:alert(1))',
    '![a](data:image/svg+xml,<svg/onload=alert(1)>)',
    '![a](//evil.example/a.png)',
    '![a](/\\evil.example/a.png)',
    '[a](//evil.example)',
    '[a]: javascript:alert(1)\n\n[a]',
    '<javascript:alert(1)>',
    '`<img src=x onerror=alert(1)>`',
    '[a](https://example.com "onmouseover=\'alert(1)\'")',
    '[a](https://example.com" onmouseover="alert(1))',
    '```"><script>alert(1)</script>\ncode\n```',
    '| <svg/onload=alert(1)> |\n|---|\n| <iframe src=javascript:alert(1)> |',
  ])('%j makes no element and no attribute that could run', (text) => {
    const html = toHtml(text)
    const tags = [...html.matchAll(/<(\w+)([^>]*)>/g)]
    const known = /^(p|a|img|pre|code|div|table|thead|tbody|tr|th|td|strong|em|s|h[2-6]|ul|ol|li|blockquote|hr|br)$/
    for (const [, name, attributes] of tags) {
      expect(name).toMatch(known)
      const names = [...(attributes ?? '').matchAll(/([\w-]+)="[^"]*"/g)].map((match) => match[1])
      for (const attribute of names)
        expect(attribute).toMatch(/^(href|src|alt|title|class|loading|role|aria-label|tabindex|start|style)$/)
    }
    for (const [, address] of html.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(address).toMatch(/^(https?:|mailto:|#|\/(?![/\\]))/)
  })

  test('the first words have no marks', () => {
    expect(beginningOf('# One *two*\n\n[three](https://example.com) ![four](/x) `five`')).toBe('One two three five')
    expect(beginningOf(`${'word '.repeat(100)}`)).toMatch(/^(word ){40}…$/)
  })
})
