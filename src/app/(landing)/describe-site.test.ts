import { expect, test } from 'vitest'
import { Content, content } from './content'
import { describeSite } from './describe-site'

test('the description names the app, its modules and its pages', () => {
  const text = describeSite('Shop', [{ label: 'Home', url: 'https://shop.example.com/' }])
  expect(text).toMatch(/^# Shop\n\n> Sign-in, users, roles/)
  for (const { name } of content.modules) expect(text).toContain(`- ${name}: `)
  expect(text).toContain('- [Home](https://shop.example.com/)\n')
})

test('the content matches the schema that the API declares, without other fields', () => {
  expect(Content.parse(content)).toEqual(content)
})

test('every link within the page has a section, and each example marks a line', () => {
  const links = [content.announcement, ...content.navigation].map(({ href }) => href)
  const sections = ['#features', '#security', '#compare', '#modules', '#proof', '#faq', '#start']
  expect(links.filter((href) => !sections.includes(href))).toEqual([])
  for (const { code, mark } of content.examples) {
    const lines: readonly string[] = code
    expect(lines.filter((line) => line.includes(mark))).toHaveLength(1)
  }
})

test('every row of the comparison has a value for each column', () => {
  const { columns, rows } = content.comparison
  for (const { about, values } of rows) expect(values.length, about).toBe(columns.length)
})
