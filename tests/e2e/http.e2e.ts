import { createHash } from 'node:crypto'
import { expect, test } from '../support/journey.ts'

const inlineScripts = (html: string) =>
  [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)].map((match) => match[1] ?? '')

test.describe('headers', () => {
  for (const path of ['/', '/welcome', '/signin', '/no-such-page']) {
    test(`of ${path} keep it in its own frame and out of other hands`, async ({ request }) => {
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

  test('of files keep browsers from guessing what they are', async ({ request }) => {
    const html = await (await request.get('/')).text()
    const files = [...html.matchAll(/(?:src|href)="(\/_next\/static\/[^"]+|\/icon[^"]+)"/g)].map(
      (match) => match[1] ?? '',
    )
    expect(files.length).toBeGreaterThan(3)
    for (const file of [...files, '/robots.txt']) {
      expect((await request.get(file)).headers()['x-content-type-options'], file).toBe('nosniff')
    }
  })

  test('of static pages name every inline script by its hash, and let caches keep the page', async ({ request }) => {
    for (const path of ['/', '/welcome', '/no-such-page']) {
      const response = await request.get(path)
      const policy = response.headers()['content-security-policy'] ?? ''
      const scripts = inlineScripts(await response.text())
      expect(scripts.length, path).toBeGreaterThan(1)
      for (const script of scripts) expect(policy).toContain(createHash('sha256').update(script).digest('base64'))
      expect(policy).not.toContain('nonce-')
    }
    expect((await request.get('/')).headers()['cache-control']).toContain('s-maxage')
  })

  test('of a static page say to whoever has kept it that it is still good', async ({ appUrl }) => {
    for (const path of ['/', '/signed-out']) {
      const first = await fetch(appUrl + path)
      const mark = first.headers.get('etag') ?? ''
      expect(mark).toMatch(/^"[\w-]{22}"$/)
      const kept = await fetch(appUrl + path, { headers: { 'if-none-match': mark } })
      expect([kept.status, await kept.text()]).toEqual([304, ''])
      const data = await fetch(appUrl + path, { headers: { 'if-none-match': mark, rsc: '1' } })
      expect([data.status, data.headers.get('etag')]).toEqual([200, null])
    }
    const changing = await fetch(`${appUrl}/signin`)
    expect(changing.headers.get('etag')).toBeNull()
  })

  test('of a static page that a posted form has made anew are those of a page made per request', async ({ appUrl }) => {
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
      // The early script has its hash instead.
      expect(scripts.filter((tag) => !tag.includes(nonce) && tag !== '<script>')).toEqual([])
    }
  })

  test('of pages made per request carry a fresh nonce that is on every script, and no cache keeps the page', async ({
    request,
  }) => {
    const nonces = new Set<string>()
    for (let load = 0; load < 50; load++) {
      const response = await request.get('/signin')
      const nonce = /'nonce-([^']+)'/.exec(response.headers()['content-security-policy'] ?? '')?.[1] ?? ''
      expect(Buffer.from(nonce, 'base64')).toHaveLength(16)
      nonces.add(nonce)
      if (load > 0) continue
      expect(response.headers()['content-security-policy']).toContain("'strict-dynamic'")
      expect(response.headers()['cache-control']).toContain('no-store')
      const early = await request.get('/').then(async (page) => inlineScripts(await page.text())[0])
      for (const [tag] of (await response.text()).matchAll(/<script[^>]*>[^<]{0,80}/g)) {
        expect(tag.includes(`nonce="${nonce}"`) || tag.endsWith(early?.slice(0, 80) ?? ''), tag).toBe(true)
      }
    }
    expect(nonces.size).toBe(50)
  })

  test('stop a script that somebody managed to put into a page', async ({ page, complaints }) => {
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
      expect(complaints.splice(0).filter((text) => text.startsWith('Executing inline event handler'))).toHaveLength(1)
    }
  })
})
