import { describe, expect, test } from 'vitest'
import { type EmbeddedImage, excerptOf, imageIdsOf, markdownOf, toHtml } from './markdown'

const imageId = '0b7a0c4e-6d0f-4f6e-9a55-3c1f6b1f2a10'
const otherId = '0b7a0c4e-6d0f-4f6e-9a55-3c1f6b1f2a11'
const files = (format: string) => [640, 1280].map((width) => ({ path: `/posts/images/file/${width}.${format}`, width }))
const image: EmbeddedImage = { webp: files('webp'), avif: files('avif'), width: 1280, height: 720 }
const images = new Map([[imageId, image]])

/** Fails if the HTML has an element, an attribute or a URL that could run a script or leave the site. */
function expectHarmless(html: string): void {
  const known =
    /^(p|a|img|picture|source|pre|code|div|table|thead|tbody|tr|th|td|strong|em|s|h[2-6]|ul|ol|li|blockquote|hr|br|span)$/
  for (const [, name, attributes] of html.matchAll(/<(\w+)([^>]*)>/g)) {
    expect(name).toMatch(known)
    const names = [...(attributes ?? '').matchAll(/([\w-]+)="[^"]*"/g)].map((match) => match[1])
    for (const attribute of names)
      expect(attribute).toMatch(
        /^(href|src|srcset|sizes|type|width|height|alt|title|class|loading|decoding|role|aria-label|tabindex|start|style)$/,
      )
    // Nothing is left but attributes with a quoted value: no unquoted one, and no bare name.
    expect((attributes ?? '').replaceAll(/ [\w-]+="[^"]*"/g, '').trim()).toBe('')
  }
  for (const [, url] of html.matchAll(/(?:href|src)="([^"]*)"/g))
    expect(url).toMatch(/^(https?:|mailto:|#|\/(?![/\\]))/)
}

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
  ])('%j renders as %j', async (text, html) => {
    expect(await toHtml(text)).toBe(html)
  })

  test('renders an external image as a link', async () => {
    expect(await toHtml('![a <b](https://example.com/a.png)')).toBe(
      '<p><a href="https://example.com/a.png">a &lt;b</a></p>\n',
    )
  })

  test.each([
    '/api/account/export',
    '/api/admin/users/export?n=1',
    '/posts/covers/../../api/account/export',
    '/posts/covers/%2e%2e/%2e%2e/api/account/export',
    '/posts/covers/1?x',
    '/posts/covers/',
    '/posts/covers',
    '/x/posts/covers/1',
    '/posts/images/',
    '/posts/images/1',
    `/posts/images/${imageId}?x`,
    `/posts/images/${imageId}/`,
    `/posts/images/${imageId}/640.webp`,
    `/posts/images/${imageId.toUpperCase()}`,
    `/posts/images/../../api/account/export?${imageId}`,
    `/x/posts/images/${imageId}`,
  ])('renders an image at %s as a link, because only covers and images of the library are embedded', async (path) => {
    expect(await toHtml(`![a](${path})`, images)).toBe(`<p><a href="${path}">a</a></p>\n`)
  })

  test('renders an external image inside a link as its alt text', async () => {
    expect(await toHtml('[![a](https://example.com/a.png)](https://example.com)')).toBe(
      '<p><a href="https://example.com">a</a></p>\n',
    )
  })

  test('knows which of several external images are inside a link', async () => {
    const image = (name: string) => `![${name}](https://example.com/${name}.png)`
    const link = (name: string) => `<a href="https://example.com/${name}.png">${name}</a>`
    expect(
      await toHtml(`${image('a')} [${image('b')} ${image('c')}](/posts) ${image('d')} <https://e.org>${image('f')}`),
    ).toBe(
      `<p>${link('a')} <a href="/posts">b c</a> ${link('d')} <a href="https://e.org">https://e.org</a>${link('f')}</p>\n`,
    )
  })

  test('renders thousands of external images about as fast as links', { tags: 'full' }, async () => {
    const [images, links] = ['![](/x)', '[a](/x)'].map((part) => ({ text: part.repeat(6_800), time: Infinity }))
    // In turns, so that other load on the machine slows both alike.
    for (let round = 0; round < 5; round++)
      for (const one of [images, links]) {
        if (!one) continue
        const start = performance.now()
        await toHtml(one.text)
        one.time = Math.min(one.time, performance.now() - start)
      }
    // If each image looked at all tokens before it, it would be 15 times as much.
    expect((images?.time ?? 0) / (links?.time ?? 0)).toBeLessThan(6)
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
    '```html\n</span></code></pre><script>alert("1")</script><img src=x onerror=alert(1)>\n```',
    '| <svg/onload=alert(1)> |\n|---|\n| <iframe src=javascript:alert(1)> |',
  ])('%j produces no executable element or attribute', async (text) => {
    expectHarmless(await toHtml(text, images))
  })

  test('an excerpt has no Markdown syntax', () => {
    expect(excerptOf('# One *two*\n\n[three](https://example.com) ![four](/x) `five`')).toBe('One two three five')
    expect(excerptOf(`${'word '.repeat(100)}`)).toMatch(/^word( word){39}…$/)
  })
})

describe('an image of the library', () => {
  test('is embedded with its sizes, as AVIF and WebP', async () => {
    const sizes = '(min-width: 48rem) 44rem, 100vw'
    const srcset = (format: string) => `/posts/images/file/640.${format} 640w, /posts/images/file/1280.${format} 1280w`
    expect(await toHtml(`![A *red* boat](/posts/images/${imageId} "Boats")`, images)).toBe(
      `<p><picture><source type="image/avif" srcset="${srcset('avif')}" sizes="${sizes}"><img src="/posts/images/file/1280.webp" srcset="${srcset('webp')}" sizes="${sizes}" width="1280" height="720" alt="A red boat" title="Boats" loading="lazy" decoding="async"></picture></p>\n`,
    )
    const withoutAvif = new Map([[imageId, { ...image, avif: [] }]])
    expect(await toHtml(`![a](/posts/images/${imageId})`, withoutAvif)).not.toContain('<source')
  })

  test('is found also in lists, tables, links and references, once; in code and links it is none', () => {
    const text = [
      `- ![a](/posts/images/${imageId})`,
      `[![b](/posts/images/${otherId})](https://example.com)`,
      `![c][ref]\n\n[ref]: /posts/images/${imageId}`,
      `\`![d](/posts/images/0b7a0c4e-6d0f-4f6e-9a55-3c1f6b1f2a12)\``,
      `[e](/posts/images/0b7a0c4e-6d0f-4f6e-9a55-3c1f6b1f2a13)`,
      `![f](https://example.com/posts/images/0b7a0c4e-6d0f-4f6e-9a55-3c1f6b1f2a14)`,
    ].join('\n\n')
    expect(imageIdsOf(text)).toEqual([imageId, otherId])
    expect(imageIdsOf('no image')).toEqual([])
  })

  test('that is not in the library leaves its alt text, and no request', async () => {
    expect(await toHtml(`![a <b>](/posts/images/${otherId})`, images)).toBe('<p>a &lt;b&gt;</p>\n')
    expect(await toHtml(`![a](/posts/images/${imageId})`)).toBe('<p>a</p>\n')
  })

  const evilTexts = [
    '<script>alert(1)</script>',
    '"><script>alert(1)</script>',
    '" onerror="alert(1)',
    "' onerror='alert(1)",
    '" srcset="https://evil.example/a.png 1x',
    '](javascript:alert(1))',
    '](https://evil.example/a.png)',
    '![x](javascript:alert(1))',
    '\\](javascript:alert(1))',
    '`](x)`',
    '&quot; onload=alert(1) &quot;',
    '<img src=x onerror=alert(1)>',
    '</picture><svg/onload=alert(1)>',
    '[a](data:text/html,<script>alert(1)</script>)',
    ']]><script>alert(1)</script>',
    '*a* _b_ ~~c~~ \\',
  ]
  const escapeHtml = (text: string) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

  test.each(evilTexts)('with the alt text %j shows exactly that, and runs nothing', async (alt) => {
    const html = await toHtml(markdownOf(imageId, alt), images)
    expectHarmless(html)
    expect(html.match(/<img /g)).toHaveLength(1)
    expect(html).toContain(` alt="${escapeHtml(alt)}"`)
  })

  test.each(evilTexts)('with %j typed as its alt text or title runs nothing', async (text) => {
    expectHarmless(await toHtml(`![${text}](/posts/images/${imageId})`, images))
    expectHarmless(await toHtml(`![a](/posts/images/${imageId} "${text}")`, images))
    expectHarmless(await toHtml(`![a](/posts/images/${imageId} '${text}')`, images))
    expectHarmless(await toHtml(`![${text}](/posts/images/${otherId})`, images))
  })
})
