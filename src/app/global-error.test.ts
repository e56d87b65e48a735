import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import GlobalError from './global-error'

test('the last error page needs neither the styles nor the scripts of the app, and has both themes', () => {
  const error = Object.assign(new Error('secret'), { digest: '123456789' })
  const html = renderToStaticMarkup(createElement(GlobalError, { error }))
  expect(html).toContain('<h1>Something went wrong</h1>')
  expect(html).toContain('<code>123456789</code>')
  expect(html).toContain('<a href="">Try again</a>')
  expect(html).toContain('<a href="/">Go to homepage</a>')
  expect(html).toMatch(/<style>:root\{color-scheme:light dark\}[^<]*background:light-dark\(/)
  expect(html).not.toMatch(/class=|<link|<script|secret/)
})
