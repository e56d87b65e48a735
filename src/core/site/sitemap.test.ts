import { afterEach, expect, test, vi } from 'vitest'
import { publicOrigin } from './origin'
import { sitemap, sitemapIndex } from './sitemap'

afterEach(() => vi.unstubAllEnvs())

test('a sitemap has absolute, escaped URLs, and the last change where it is known', () => {
  vi.stubEnv('AUTH_URL', 'https://app.example.com')
  const { text } = sitemap([{ path: '/' }, { path: '/a?b=1&c=2', updatedAt: new Date('2026-01-02T03:04:05Z') }])
  expect(text).toContain('<url><loc>https://app.example.com/</loc></url>')
  expect(text).toContain('<loc>https://app.example.com/a?b=1&amp;c=2</loc><lastmod>2026-01-02T03:04:05.000Z</lastmod>')
  expect(text).toMatch(/^<urlset xmlns="http:\/\/www\.sitemaps\.org\/schemas\/sitemap\/0\.9">/)
})

test('a sitemap index names each sitemap by its absolute URL', () => {
  vi.stubEnv('AUTH_URL', 'https://app.example.com')
  const { text } = sitemapIndex(['/a.xml', '/b.xml'])
  expect([...text.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url]) => url)).toEqual([
    'https://app.example.com/a.xml',
    'https://app.example.com/b.xml',
  ])
})

test('pages name an origin only if it is public', () => {
  vi.stubEnv('AUTH_URL', 'https://app.example.com')
  expect(publicOrigin()?.href).toBe('https://app.example.com/')
  vi.stubEnv('AUTH_URL', 'http://localhost:3000')
  expect(publicOrigin()).toBeNull()
  vi.stubEnv('AUTH_URL', '')
  expect(publicOrigin()).toBeNull()
})
