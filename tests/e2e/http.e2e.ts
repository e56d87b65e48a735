import { createHash } from 'node:crypto'
import { expect, signIn, test } from '../support/journey.ts'

test.describe('health', () => {
  test('is one word, for every caller, and is stored by nobody', async ({ request }) => {
    const response = await request.get('/api/health')
    expect(response.status()).toBe(200)
    expect(await response.text()).toBe('{"status":"ok"}')
    expect(response.headers()['cache-control']).toBe('no-store')
    expect(response.headers()['set-cookie']).toBeUndefined()
  })

  test('is ready when the database answers', async ({ request }) => {
    const response = await request.get('/api/health/ready')
    expect(response.status()).toBe(200)
    expect(await response.json()).toEqual({ status: 'ok', checks: { database: 'ok' } })
  })

  test('answers HEAD, and says which methods there are to every other', async ({ request }) => {
    expect((await request.head('/api/health')).status()).toBe(200)
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const response = await request.fetch('/api/health', { method })
      expect([response.status(), response.headers().allow], method).toEqual([405, 'GET, HEAD, OPTIONS'])
      expect((await response.json()).code).toBe('method_not_allowed')
    }
  })
})

test('a stranger has no session, and that is null', async ({ request }) => {
  const response = await request.get('/api/auth/session')
  expect([response.status(), await response.text()]).toEqual([200, 'null'])
  expect(response.headers()['cache-control']).toBe('private, no-store')
})

test('signing out without a session is answered like any other', async ({ request }) => {
  const response = await request.post('/api/auth/signout', { maxRedirects: 0 })
  expect([response.status(), response.headers().location]).toEqual([302, '/'])
  expect(response.headers()['clear-site-data']).toBe('"cache"')
})

test('two session cookies count for nothing', async ({ page, password }) => {
  await signIn(page, 'viewer@example.com', password)
  await expect(page).toHaveURL('/dashboard')
  const token = (await page.context().cookies()).find(({ name }) => name === 'plinth.session')?.value
  const session = async (cookie: string) =>
    (await fetch(new URL('/api/auth/session', page.url()), { headers: { cookie } })).json()
  expect(await session(`plinth.session=${token}`)).toMatchObject({ user: { email: 'viewer@example.com' } })
  expect(await session(`plinth.session=${'x'.repeat(43)}; plinth.session=${token}`)).toBeNull()
  expect(await session(`plinth.session=${token}; plinth.session=${'x'.repeat(43)}`)).toBeNull()
})

test('signing out with a token ends that session, and no other', async ({ page, password, appUrl }) => {
  const tokens: string[] = []
  for (const email of ['viewer@example.com', 'editor@example.com']) {
    await page.context().clearCookies()
    await signIn(page, email, password)
    await expect(page).toHaveURL('/dashboard')
    tokens.push((await page.context().cookies()).find(({ name }) => name === 'plinth.session')?.value ?? '')
  }
  const [viewer = '', editor = ''] = tokens
  const session = async (token: string) =>
    (await fetch(`${appUrl}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })).json()
  const headers = { authorization: `Bearer ${viewer}`, cookie: `plinth.session=${editor}` }
  const response = await fetch(`${appUrl}/api/auth/signout`, { method: 'POST', headers, redirect: 'manual' })
  expect([response.status, response.headers.get('set-cookie')]).toEqual([302, null])
  expect(await session(viewer)).toBeNull()
  expect(await session(editor)).toMatchObject({ user: { email: 'editor@example.com' } })
})

test('signing out from another site is refused', async ({ request }) => {
  const response = await request.post('/api/auth/signout', {
    headers: { 'sec-fetch-site': 'cross-site' },
    maxRedirects: 0,
  })
  expect([response.status(), (await response.json()).code]).toEqual([403, 'cross_site'])
})

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
