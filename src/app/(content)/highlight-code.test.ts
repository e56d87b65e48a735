import { expect, test, vi } from 'vitest'
import { highlightCode } from './highlight-code'
import { toHtml } from './markdown'

const languages = [
  ...['bash', 'cjs', 'css', 'diff', 'html', 'javascript', 'js', 'json', 'jsx', 'markdown', 'md', 'mjs', 'py', 'python'],
  ...['sh', 'shell', 'sql', 'ts', 'tsx', 'typescript', 'yaml', 'yml', 'zsh'],
]

const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

test('keywords, strings and comments have a class each, and the rest has none', async () => {
  expect(await highlightCode('const a = "b" // c\n', 'ts')).toBe(
    '<span class="k">const</span> a = <span class="s">&quot;b&quot;</span> <span class="c">// c</span>\n',
  )
})

test.each([
  ['bash', 'npm run check # all', '<span class="f">npm</span> run check <span class="c"># all</span>'],
  [
    'css',
    'a { margin: 1rem }',
    '<span class="t">a</span> { <span class="f">margin</span>: <span class="n">1rem</span> }',
  ],
  ['diff', '-a\n+b\n c', '<span class="d">-a</span>\n<span class="s">+b</span>\n c'],
  [
    'html',
    '<b id="a">',
    '&lt;<span class="t">b</span> <span class="f">id</span>=<span class="s">&quot;a&quot;</span>&gt;',
  ],
  ['js', 'await f(1)', '<span class="k">await</span> <span class="f">f</span>(<span class="n">1</span>)'],
  ['json', '{ "a": true }', '{ <span class="f">&quot;a&quot;</span>: <span class="n">true</span> }'],
  ['md', '# A\n`b`', '<span class="k"># A</span>\n<span class="s">`b`</span>'],
  ['py', 'return None', '<span class="k">return</span> <span class="n">None</span>'],
  ['sql', "select 'a'", `<span class="k">select</span> <span class="s">'a'</span>`],
  [
    'tsx',
    '<A b="c" />',
    '&lt;<span class="t">A</span> <span class="f">b</span>=<span class="s">&quot;c&quot;</span> /&gt;',
  ],
  ['yaml', 'a: 1', '<span class="f">a</span>: <span class="n">1</span>'],
])('%s has colors', async (language, code, html) => {
  expect(await highlightCode(code, language)).toBe(html)
})

test('a value in a template string does not look like the string', async () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code to be colored
  expect(await highlightCode('`a${b}c`', 'ts')).toBe('<span class="s">`a</span>${b}<span class="s">c`</span>')
})

test('a string or comment of several lines is colored on each of them, and words of one kind share an element', async () => {
  expect(await highlightCode('/* a\n\n  b */ export default a', 'ts')).toBe(
    '<span class="c">/* a</span>\n\n<span class="c">  b */</span> <span class="k">export default</span> a',
  )
})

test('the name of a language may be in capitals', async () => {
  expect(await highlightCode('select', 'SQL')).toBe('<span class="k">select</span>')
})

test.each(['', 'no-such-language', 'constructor', '__proto__', '"><script>alert(1)</script>'])(
  'code in %j is escaped and has no colors',
  async (language) => {
    expect(await highlightCode('<b title="a">&amp;</b>\n', language)).toBe(
      '&lt;b title=&quot;a&quot;&gt;&amp;amp;&lt;/b&gt;\n',
    )
  },
)

test('code of more than 20,000 characters is escaped and has no colors', async () => {
  const line = 'const a = "<b>"\n'
  const long = line.repeat(1_251)
  expect(await highlightCode(long, 'ts')).toBe('const a = &quot;&lt;b&gt;&quot;\n'.repeat(1_251))
  expect(await highlightCode(long.slice(0, 20_000), 'ts')).toContain('<span')
})

test('a line of 160 characters or more has no colors, and the next line has', async () => {
  const line = `const a = '${'<'.repeat(148)}'`
  expect(await highlightCode(`${line}\nconst a`, 'ts')).toBe(
    `${line.replaceAll('<', '&lt;')}\n<span class="k">const</span> a`,
  )
})

test('other requests go on while long code is colored', async () => {
  await highlightCode('const loaded = true', 'ts')
  // At each look at the clock a pause is due, so their number does not depend on how fast the machine is.
  let clock = 0
  const now = vi.spyOn(performance, 'now').mockImplementation(() => {
    clock += 1_000
    return clock
  })
  let turns = 0
  let next = setImmediate(function takeTurn() {
    turns++
    next = setImmediate(takeTurn)
  })
  await highlightCode('const a = [1, "b", /c/] // d\n'.repeat(600), 'ts')
  clearImmediate(next)
  now.mockRestore()
  expect(turns).toBeGreaterThan(500)
})

test('code in Markdown code has no colors, whatever has been colored before', async () => {
  await highlightCode('const a', 'ts')
  await highlightCode('select', 'sql')
  expect(await highlightCode('```ts\nconst a\n```\n```sql\nselect\n```', 'md')).not.toContain('<span')
})

const evilTexts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  '</code></pre><script>alert(1)</script>',
  '</span><svg/onload=alert(1)>',
  '<pre><b>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<a href="javascript:alert(1)" style="color:red" class="k">a</a>',
  '<style>@import "javascript:alert(1)"</style>',
  '<!-- --><script>alert(1)</script> -->',
  `'"\`<img src=x onerror="alert('1')">\`"'`,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code to be colored
  'const a = `${"<img src=x onerror=alert(1)>"}` // </span><script>alert(1)</script>',
  'cat <<"</span><b>"\n<b>\n</span><b>',
  '[a](javascript:alert(1) "<b>")\n```"><script>\n',
  ']]><script>alert(1)</script>\u2028<b>\0',
]

test.each(languages)('code in %s is shown as it is, and no part of it becomes an element', async (language) => {
  for (const code of [...evilTexts, evilTexts.join('\n')]) {
    const html = await highlightCode(code, language)
    const spans = html.replaceAll(/<span class="[a-z]">|<\/span>/g, '')
    expect(spans).not.toMatch(/[<>"]/)
    expect(html.match(/<span /g)?.length).toBe(html.match(/<\/span>/g)?.length)
    expect(textOf(html)).toBe(code)
  }
})

test('a code block of a post is rendered by it, with the language as a class', async () => {
  expect(await toHtml('```ts title="a"\nconst a = "<b>"\n```')).toBe(
    '<pre tabindex="0"><code class="language-ts"><span class="k">const</span> a = <span class="s">&quot;&lt;b&gt;&quot;</span>\n</code></pre>\n',
  )
  expect(await toHtml('- a\n\n  ```sql\n  select\n  ```')).toContain('<span class="k">select</span>')
})

test('indented code and code in a sentence have no colors', async () => {
  expect(await toHtml('    const a\n\n`const b`')).toBe(
    '<pre tabindex="0"><code>const a\n</code></pre>\n<p><code>const b</code></p>\n',
  )
})
