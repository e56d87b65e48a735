import { createHash } from 'node:crypto'
import { expect, test } from '../support/e2e-test.ts'

const inlineScripts = (html: string) =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')

test.describe('headers', { tag: '@smoke' }, () => {
  for (const path of ['/', '/signed-out', '/signin', '/no-such-page']) {
    test(`of ${path} include the security headers and a strict CSP`, async ({ request }) => {
      const headers = (await request.get(path)).headers()
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'strict-origin-when-cross-origin',
        'cross-origin-opener-policy': 'same-origin',
        'strict-transport-security': 'max-age=31536000; includeSubDomains',
      })
      expect(headers['permissions-policy']).toContain('camera=(), microphone=(), geolocation=(), payment=()')
      expect(headers['x-powered-by']).toBeUndefined()
      const policy = headers['content-security-policy'] ?? ''
      for (const part of ["default-src 'self'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"])
        expect(policy).toContain(part)
      const scripts = /script-src ([^;]+)/.exec(policy)?.[1] ?? ''
      expect(scripts).not.toMatch(/unsafe|\*|https?:/)
    })
  }

  test('of static files include nosniff', async ({ request }) => {
    const html = await (await request.get('/')).text()
    const linked = /(?:src|href)="(\/_next\/static\/[^"]+|\/(?:apple-)?icon[^"]+|\/manifest[^"]+)"/g
    const files = [...html.matchAll(linked)].map((match) => match[1] ?? '')
    expect(files.length).toBeGreaterThan(3)
    for (const file of [...files, '/robots.txt']) {
      expect((await request.get(file)).headers()['x-content-type-options'], file).toBe('nosniff')
    }
  })

  test('of static pages list the hash of every inline script, and allow caching', async ({ request }) => {
    for (const path of ['/', '/signed-out', '/no-such-page']) {
      const response = await request.get(path)
      const policy = response.headers()['content-security-policy'] ?? ''
      const scripts = inlineScripts(await response.text())
      expect(scripts.length, path).toBeGreaterThan(1)
      for (const script of scripts) expect(policy).toContain(createHash('sha256').update(script).digest('base64'))
      expect(policy).not.toContain('nonce-')
    }
    expect((await request.get('/')).headers()['cache-control']).toContain('s-maxage')
  })

  test('of a static page have an ETag, and If-None-Match gets 304', async ({ appUrl }) => {
    for (const path of ['/', '/signed-out']) {
      const first = await fetch(appUrl + path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      const cached = await fetch(appUrl + path, { headers: { 'if-none-match': etag } })
      expect([cached.status, await cached.text()]).toEqual([304, ''])
      const data = await fetch(appUrl + path, { headers: { 'if-none-match': etag, rsc: '1' } })
      expect([data.status, data.headers.get('etag')]).toEqual([200, null])
    }
    const changing = await fetch(`${appUrl}/signin`)
    expect(changing.headers.get('etag')).toBeNull()
  })

  test('of a static page rendered again by a form post have a nonce, like a dynamic page', async ({ appUrl }) => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      const body = type.startsWith('multipart')
        ? '--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--x--\r\n'
        : 'a=1'
      const response = await fetch(`${appUrl}/`, {
        method: 'POST',
        headers: { 'content-type': type, origin: appUrl },
        body,
      })
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy.match(/script-src/g), type).toHaveLength(1)
      const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none'
      const scripts = [...(await response.text()).matchAll(/<script[^>]*>/g)].map(([tag]) => tag)
      // The inline theme script is allowed by its hash instead, and JSON-LD is data, which no policy concerns.
      const others = ['<script>', '<script type="application/ld+json">']
      expect(scripts.filter((tag) => !tag.includes(nonce) && !others.includes(tag))).toEqual([])
    }
  })

  test('of dynamic pages have a fresh nonce that is on every script, and forbid caching', async ({ request }) => {
    const nonces = new Set<string>()
    for (let load = 0; load < 50; load++) {
      const response = await request.get('/signin')
      const nonce = /'nonce-([^']+)'/.exec(response.headers()['content-security-policy'] ?? '')?.[1] ?? ''
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16)
      nonces.add(nonce)
      if (load > 0) continue
      expect(response.headers()['content-security-policy']).toContain("'strict-dynamic'")
      expect(response.headers()['cache-control']).toContain('no-store')
      const themeScript = await request.get('/').then(async (page) => inlineScripts(await page.text())[0])
      for (const [tag] of (await response.text()).matchAll(/<script[^>]*>[^<]{0,80}/g)) {
        expect(tag.includes(`nonce="${nonce}"`) || tag.endsWith(themeScript?.slice(0, 80) ?? ''), tag).toBe(true)
      }
    }
    expect(nonces.size).toBe(50)
  })

  test('stop a script that was injected into a page', async ({ page, pageErrors }) => {
    for (const path of ['/', '/signin']) {
      await page.goto(path)
      await page.evaluate(() =>
        document.addEventListener('securitypolicyviolation', (event) =>
          Object.assign(window, { stopped: event.effectiveDirective }),
        ),
      )
      await page.evaluate(() => {
        const image = document.createElement('img')
        image.setAttribute('onerror', 'window.ran = true')
        image.src = '/no-such-image.png'
        document.body.append(image)
      })
      await expect
        .poll(() => page.evaluate(() => (window as { stopped?: string }).stopped), { message: path })
        .toBe('script-src-attr')
      expect(await page.evaluate(() => 'ran' in window)).toBe(false)
      expect(pageErrors.splice(0).filter((text) => text.startsWith('Executing inline event handler'))).toHaveLength(1)
    }
  })
})
