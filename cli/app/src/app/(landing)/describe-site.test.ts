import { expect, test } from 'vitest'
import { Content, content } from './content'
import { describeSite } from './describe-site'

test('the description names the app, its features and its pages', () => {
  const text = describeSite('Shop', [{ label: 'Home', url: 'https://shop.example.com/' }])
  expect(text.startsWith(`# Shop\n\n> ${content.lead}\n`)).toBe(true)
  for (const { title } of content.features) expect(text).toContain(`- ${title}: `)
  expect(text).toContain('- [Home](https://shop.example.com/)\n')
})

test('the content matches the schema that the API declares, without other fields', () => {
  expect(Content.parse(content)).toEqual(content)
})
