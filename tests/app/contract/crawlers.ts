import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newCaller, type Target } from './target.ts'

const urlsIn = (xml: string) => [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, url = '']) => url)

export function describePart(target: Target): void {
  for (const site of target.sites)
    describe(`robots.txt and the sitemaps, ${site.name}`, () => {
      it('robots.txt is public, cacheable text and names the sitemap by its absolute URL', async () => {
        const { status, text, headers } = await newCaller(target, site).get('/robots.txt')
        assert.equal(status, 200)
        assert.equal(headers.get('content-type'), 'text/plain; charset=utf-8')
        assert.match(headers.get('cache-control') ?? '', /^public\b/)
        assert.ok(text.split('\n').includes(`Sitemap: ${site.origin}/sitemap.xml`), text)
      })

      it('the sitemap lists the homepage and other public pages, with or without modules', async () => {
        const caller = newCaller(target, site)
        const index = await caller.get('/sitemap.xml')
        assert.match(index.headers.get('content-type') ?? '', /^application\/xml/)
        assert.ok(urlsIn(index.text).includes(`${site.origin}/sitemap-pages.xml`), index.text)
        const pages = urlsIn((await caller.get('/sitemap-pages.xml')).text)
        assert.equal(pages[0], `${site.origin}/`)
        for (const page of pages) {
          const { status } = await fetch(site.url + new URL(page).pathname, { redirect: 'manual' })
          assert.equal(status, 200, page)
        }
      })
    })
}
