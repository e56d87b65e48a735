import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import sharp from 'sharp'
import { beforeAll, expect, test, vi } from 'vitest'
import { users } from '@/core/db/schema'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { asRequest } from '../../../tests/app/support/next-headers'
import { uncheckedDb as db } from '../../../tests/app/support/unchecked-db'
import { Article } from './_components/article'
import { addImage } from './_images/library'
import { POST as preview } from './api/content/posts/[id]/preview/route'
import type { Writer } from './policy'
import { PostText } from './post-text'
import * as posts from './posts'
import { findPost } from './published'

vi.setConfig({ testTimeout: 45_000 })

/** Stands for the id of an image of the library in the documents below. */
const image = 'IMAGE'
const missing = '00000000-0000-4000-8000-000000000000'
const fence = '```'

/** One of everything that a post can contain, alone and in combination. */
const documents: Record<string, string> = {
  'no text': '',
  'only spaces and lines': ' \n\n\t\n ',
  'a sentence': 'One sentence.',
  'two paragraphs': 'One.\n\nTwo.',
  'soft line breaks': 'one\ntwo\nthree',
  'hard line breaks': 'one  \ntwo\\\nthree',
  'Windows line ends': '# One\r\n\r\ntwo\r\nthree\r\n\r\n- four\r\n- five\r\n',
  'characters that are not seen': '\ufeffa\u200d\u202eb\u00a0c\u2028d\u0007 👩‍👧',
  emphasis: '*a* **b** ***c*** _d_ __e__ ~~f~~ a*b*c a_b_c',
  'unfinished emphasis': '**a *b __c ~~d `e',
  'escaped characters': '\\*a\\* \\# \\[b\\](c) \\`d\\` \\<e\\> \\& \\\\',
  entities: '&amp; &lt;b&gt; &copy; &#65; &#x41; &nbsp; &nothing;',
  'headings of all levels': '# a\n\n## b\n\n### c\n\n#### d\n\n##### e\n\n###### f',
  'headings that begin low': '### a\n\n##### b',
  'underlined headings': 'a\n===\n\nb\n---',
  'equal headings': '# a\n\n# a\n\n# a 2\n\n# A',
  'headings with markup': '# *a* `b` [c](/posts) & "d" <e>',
  'headings in other scripts': '# Über uns\n\n# 日本語\n\n# العربية\n\n# 🦀',
  'a heading of signs': '# ?!\n\n# …',
  'links to headings': '[a](#waves) [b](#nowhere) [c](#h-waves)\n\n# Waves',
  links: '[a](https://example.com "b") [c](/posts) [d](mailto:a@example.com) <https://example.com>',
  'bare links': 'https://example.com, www.example.com and a@example.com.',
  'links by reference': '[a][1] [b] [c][]\n\n[1]: https://example.com "one"\n[b]: /posts\n[c]: <https://example.com/c>',
  'links that are not allowed': '[a](javascript:alert(1)) [b](data:text/html,x) [c](//example.com) [d](relative)',
  'a list': '- a\n- b\n- c',
  'a list with paragraphs': '- a\n\n  b\n\n- c',
  'nested lists': '- a\n  - b\n    - c\n      1. d\n         - e',
  'numbered lists': '1. a\n2. b\n\n7) c\n8) d',
  'a list of tasks': '- [ ] a\n- [x] b',
  'lists with code and quotes': `- a\n\n  ${fence}js\n  let b = 1\n  ${fence}\n\n  > c`,
  'a quote': '> a\n> b\nc',
  'nested quotes': '> a\n>> b\n>>> c\n\n> # d',
  rules: 'a\n\n---\n\n***\n\n___',
  'code in a line': '`a` ``b ` c`` `<b>` ` d `',
  'an indented code block': '    a\n      b\n\n    <c>',
  'a code block': `${fence}\na & <b>\n${fence}`,
  'a code block with tildes': '~~~\na\n```\n~~~',
  'code in TypeScript': `${fence}ts\nconst a: Record<string, number> = { b: 1 }\n// c\n${fence}`,
  'code in HTML': `${fence}html\n<a href="/posts" onclick='b()'>&amp;</a><script>c</script>\n${fence}`,
  'code in SQL and shell': `${fence}sql\nselect 'a' from b where c > 1\n${fence}\n\n${fence}sh\necho "$A" | grep b\n${fence}`,
  'code in an unknown language': `${fence}nothing-like-it\na\n${fence}`,
  'code with a strange language': `${fence}"><b>\na\n${fence}\n\n${fence}js title="c"\nd\n${fence}`,
  'an unfinished code block': `a\n\n${fence}js\nlet b = 1`,
  'the same code twice': `${fence}js\nlet a = 1\n${fence}\n\n${fence}js\nlet a = 1\n${fence}`,
  'a table': '| a | b | c |\n|:--|:-:|--:|\n| 1 | `2` | **3** |\n| 4 | \\| | <b> |',
  'a table without rows': '| a |\n|---|',
  'HTML blocks': '<div onclick="a()">\n<script>alert(1)</script>\n</div>\n\n<!-- b -->',
  'HTML in a line': 'a <b>c</b> <img src=x onerror=alert(1)> <a href="javascript:d">e</a>',
  'an image': `![A boat](/posts/images/${image})`,
  'an image with a caption': `![A boat](/posts/images/${image} "Boats & <b> \\"quoted\\"")`,
  'images in a list, a table and a link': `- ![a](/posts/images/${image})\n\n| ![b](/posts/images/${image}) |\n|---|\n\n[![c](/posts/images/${image})](/posts)`,
  'an image by reference': `![a][b]\n\n[b]: /posts/images/${image}`,
  'an image in a heading': `# ![a](/posts/images/${image}) b`,
  'an image that does not exist': `![A *lost* <boat>](/posts/images/${missing})`,
  'images of other sites': '![a](https://example.com/a.png) ![b](//example.com/b.png) [![c](/x.png)](/posts)',
  'a cover': `![a](/posts/covers/${missing})`,
  'an image with an evil alt text': `!["><script>alert(1)</script>](/posts/images/${image} "' onerror='alert(1)")`,
  'a long word': 'a'.repeat(2_000),
  'a long text': '## a\n\nb *c* `d`\n\n- e\n- f\n\n'.repeat(1_500),
  'a whole post': `Intro with a [link](#code).\n\n# Code\n\n${fence}ts\nexport const a = 1\n${fence}\n\n![b](/posts/images/${image} "c")\n\n## Table\n\n| d | e |\n|---|---|\n| 1 | 2 |\n\n> f\n\n1. g\n2. h\n\n---\n\nEnd.`,
}

test('there are sixty documents', () => {
  expect(Object.keys(documents)).toHaveLength(60)
})

let ada: Writer
let token = ''
let imageId = ''
beforeAll(async () => {
  const [row] = await db
    .insert(users)
    .values({ email: `${crypto.randomUUID()}@example.com`, name: 'Ada', role: 'editor' })
    .returning({ id: users.id })
  ada = { id: row?.id ?? '', role: 'editor' }
  token = await newSessionToken('editor')
  const bytes = await sharp({ create: { width: 700, height: 350, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  imageId = await asRequest({}, () => addImage(ada, async () => ({ name: 'boat.png', alt: 'A boat', bytes })))
})

/** The text in the HTML that the public page of a post sends. */
async function proseOf(slug: string): Promise<string> {
  const post = await findPost(slug)
  if (!post) throw new Error(`there is no post ${slug}`)
  const page = renderToStaticMarkup(createElement(Article, { ...post, at: post.publishedAt }))
  return /<div data-slot="prose"[^>]*>([\s\S]*)<\/div><\/article>/.exec(page)?.[1] ?? 'no text'
}

test.each(Object.entries(documents))(
  'the preview of %s is the text of its public page, to the byte',
  async (_, text) => {
    const body = text.replaceAll(image, imageId)
    const id = await asRequest({}, () => posts.createPost(ada, 'A title'))
    const request = new Request(`http://localhost/api/content/posts/${id}/preview`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ body }),
    })
    const response = await preview(request, { params: Promise.resolve({ id }) })
    expect(response.status).toBe(200)
    const { html } = await response.json()
    const fields = PostText.parse({ title: 'A title', slug: `post-${id}`, summary: 'A summary', tags: '', body })
    await asRequest({}, () => posts.savePost(ada, { id, version: 1, text: fields, step: 'publish' }))
    expect(await proseOf(fields.slug)).toBe(html)
    // An empty string would equal another one.
    expect(html.trim() === '').toBe(text.trim() === '')
  },
)
