import { expect, test } from 'vitest'
import { appName } from '@/brand'
import { preheaderOf, renderEmailHtml, renderEmailText } from './render-email'

const content = {
  to: { name: '<img src=x onerror=alert(1)>', address: 'ada@example.com' },
  subject: 'A & B',
  paragraphs: ['One "thing" < another'],
  facts: [{ label: 'Device', value: '<i>Chrome</i>' }],
  closing: 'Was it <you>?',
  action: { label: 'Go & see', url: 'https://app.example.com/reset?token=a&x="y"' },
  notes: ["It's once", { label: 'Help <me>', url: 'https://app.example.com/help?a&b' }],
  reason: 'of <this>',
}

test('user input is escaped in HTML', () => {
  const html = renderEmailHtml(content)
  expect(html).toContain('Hello &lt;img src=x onerror=alert(1)&gt;,')
  expect(html).toContain('<title>A &amp; B</title>')
  expect(html).toContain('href="https://app.example.com/reset?token=a&amp;x=&quot;y&quot;"')
  expect(html).toContain('href="https://app.example.com/help?a&amp;b"')
  expect(html).toContain('&lt;i&gt;Chrome&lt;/i&gt;')
  expect(html).not.toMatch(/<img|<i>|<you>|<me>|<this>/)
})

test('the plain-text version has the same content, with the URL unescaped', () => {
  expect(renderEmailText(content)).toBe(
    [
      'Hello <img src=x onerror=alert(1)>,',
      'One "thing" < another',
      'Device: <i>Chrome</i>',
      'Was it <you>?',
      'Go & see:\nhttps://app.example.com/reset?token=a&x="y"',
      "It's once",
      'Help <me>: https://app.example.com/help?a&b',
      `--\nYou’re getting this email because of <this>.\n${appName}: http://localhost:3000`,
    ].join('\n\n'),
  )
})

test('the preheader is the first paragraph, unless there is a better one', () => {
  expect(preheaderOf(content)).toBe('One "thing" < another')
  expect(preheaderOf({ ...content, preheader: 'In short' })).toBe('In short')
  expect(renderEmailHtml({ ...content, preheader: 'In <short>' })).toMatch(/display:none;[^>]*>In &lt;short&gt;&#847;/)
  expect(renderEmailText({ ...content, preheader: 'In short' })).not.toContain('In short')
})

test('there is one button, which a notice has outlined', () => {
  const { action } = content
  expect(renderEmailHtml(content).match(/class="primary"/g)).toHaveLength(1)
  const notice = renderEmailHtml({ ...content, action: { ...action, isOutlined: true } })
  expect(notice).not.toContain('class="primary"')
  expect(notice.match(/class="outlined"/g)).toHaveLength(1)
})

test('every element with a color has another one in the dark theme', () => {
  const html = renderEmailHtml(content)
  const darkTheme = /@media \(prefers-color-scheme:dark\)\{([\s\S]*?)\n\}/.exec(html)?.[1] ?? ''
  const darkClasses = [...darkTheme.matchAll(/^\.([a-z]+)\{/gm)].map(([, name]) => name)
  expect(darkClasses).toContain('card')
  const colored = [...(html.match(/<[a-z0-9]+ [^>]*style="[^"]*(?:color:|background:|solid)[^>]*>/g) ?? [])]
  expect(colored.length).toBeGreaterThan(10)
  const classesOf = (tag: string) => /class="([^"]*)"/.exec(tag)?.[1]?.split(' ') ?? []
  expect(colored.filter((tag) => !classesOf(tag).some((name) => darkClasses.includes(name)))).toEqual([])
})

test('an email loads nothing from a server and runs nothing', () => {
  expect(renderEmailHtml(content)).not.toMatch(/<(script|link|iframe|object|form)\b|\bsrc=(?!x)|url\(|@import/)
})
