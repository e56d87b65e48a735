import { expect, test } from 'vitest'
import { toHtml, toText } from './letter'

const letter = {
  to: { name: '<img src=x onerror=alert(1)>', address: 'ada@example.com' },
  subject: 'A & B',
  paragraphs: ['One "thing" < another'],
  action: { label: 'Go & see', url: 'https://app.example.com/reset?token=a&x="y"' },
  notes: ["It's once"],
}

test('nothing that a person chose becomes markup', () => {
  const html = toHtml(letter)
  expect(html).toContain('Hello &lt;img src=x onerror=alert(1)&gt;,')
  expect(html).toContain('<title>A &amp; B</title>')
  expect(html).toContain('href="https://app.example.com/reset?token=a&amp;x=&quot;y&quot;"')
  expect(html).not.toContain('<img')
})

test('the text says the same, with the link as it is', () => {
  expect(toText(letter)).toBe(
    [
      'Hello <img src=x onerror=alert(1)>,',
      'One "thing" < another',
      'Go & see:\nhttps://app.example.com/reset?token=a&x="y"',
      "It's once",
    ].join('\n\n'),
  )
})
