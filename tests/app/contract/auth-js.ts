import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from './assertions.ts'
import { newCaller, type Site, type Target, testsFor } from './target.ts'

const providerIds = ['google', 'github']

export function describePart(target: Target): void {
  for (const site of target.sites) {
    describe(`GET /api/auth/csrf ${site.name}`, () => describeCsrf(target, site))
    describe(`providers ${site.name}`, () => describeProviders(target, site))
  }
  describe('other Auth.js paths', () => describeOtherPaths(target))
}

function describeCsrf(target: Target, site: Site): void {
  const name = site.sessionCookie.replace('session', 'csrf')

  it('returns a CSRF token with its cookie, and is not cached', async () => {
    const caller = newCaller(target, site)
    const response = await caller.get('/api/auth/csrf')
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(response.headers.get('cache-control') ?? '', /no-store/)
    assert.deepEqual(Object.keys(response.json()), ['csrfToken'])
    const { csrfToken } = response.json()
    assert.match(csrfToken, /^[0-9a-f]{64}$/)
    const cookie = response.setCookies.find((given) => given.name === name)
    assert.equal(decodeURIComponent(cookie?.value ?? '').split('|')[0], csrfToken)
    const { 'max-age': _, samesite, ...attributes } = Object.fromEntries(cookie?.attributes ?? [])
    assert.deepEqual(attributes, { path: '/', httponly: '', ...(site.isSecure && { secure: '' }) })
    assert.equal(samesite?.toLowerCase(), 'lax')
    assert.equal((await caller.get('/api/auth/csrf')).json().csrfToken, csrfToken)
  })

  it('responds to HEAD without a body, and to DELETE with 405', async () => {
    const caller = newCaller(target, site)
    const response = await caller.send('HEAD', '/api/auth/csrf')
    assert.deepEqual([response.status, response.text], [200, ''])
    assertProblem(await caller.send('DELETE', '/api/auth/csrf'), 405, 'method_not_allowed')
  })

  it('does not fail on malformed Auth.js cookies', async () => {
    const malformedCookies = `${site.sessionCookie.replace('session', 'callback-url')}=foo:bar; ${name}=x|y`
    const response = await newCaller(target, site).get('/api/auth/csrf', { cookie: malformedCookies })
    assert.ok(response.status < 400, String(response.status))
  })
}

function describeProviders(target: Target, site: Site): void {
  const { withOwnApp } = testsFor(target)
  const configured = async (): Promise<string[]> =>
    Object.keys((await newCaller(target, site).get('/api/auth/providers')).json())

  it('GET /api/auth/providers lists the providers with their sign-in and callback URLs', async () => {
    const response = await newCaller(target, site).get('/api/auth/providers')
    assert.equal(response.status, 200)
    for (const [id, provider] of Object.entries<Record<string, string>>(response.json())) {
      assert.ok(providerIds.includes(id), id)
      const { name, type, ...rest } = provider
      assert.ok(name && type)
      assert.deepEqual(rest, {
        id,
        signinUrl: `${site.origin}/api/auth/signin/${id}`,
        callbackUrl: `${site.origin}/api/auth/callback/${id}`,
      })
    }
    const head = await newCaller(target, site).send('HEAD', '/api/auth/providers')
    assert.deepEqual([head.status, head.text], [200, ''])
  })

  withOwnApp('GET /api/auth/providers lists exactly the configured providers', async () => {
    assert.deepEqual((await configured()).sort(), site.isSecure ? [] : ['github', 'google'])
  })

  it('POST /api/auth/signin/<provider> redirects to the provider only with a valid CSRF token', async () => {
    for (const id of await configured()) {
      const caller = newCaller(target, site)
      const { csrfToken } = (await caller.get('/api/auth/csrf')).json()
      const start = async (form: Record<string, string>) => {
        const response = await caller.send('POST', `/api/auth/signin/${id}`, {
          body: new URLSearchParams(form).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
        assert.equal(response.status, 302)
        return new URL(response.headers.get('location') ?? '', site.origin)
      }
      for (const form of [{}, { csrfToken: 'x' }, { csrfToken: '0'.repeat(64) }] as Record<string, string>[]) {
        const { origin, pathname } = await start(form)
        assert.deepEqual([origin, pathname], [site.origin, '/signin'], id)
      }
      const redirectUrl = await start({ csrfToken, callbackUrl: '/dashboard' })
      assert.notEqual(redirectUrl.origin, site.origin)
      assert.equal(redirectUrl.searchParams.get('redirect_uri'), `${site.origin}/api/auth/callback/${id}`)
      assert.equal(redirectUrl.searchParams.get('code_challenge_method'), 'S256')
      assert.ok(redirectUrl.searchParams.get('state'))
      assert.equal(caller.cookies.has(site.sessionCookie), false)
    }
  })

  it('an unsolicited GET /api/auth/callback/<provider> redirects to the sign-in page and signs nobody in', async () => {
    for (const id of await configured()) {
      for (const query of ['', '?code=x', '?code=x&state=y', '?error=access_denied&error_description=<script>']) {
        const caller = newCaller(target, site)
        const response = await caller.get(`/api/auth/callback/${id}${query}`)
        assert.equal(response.status, 302)
        const { origin, pathname, searchParams } = new URL(response.headers.get('location') ?? '', site.origin)
        assert.deepEqual([origin, pathname], [site.origin, '/signin'], `${id}${query}`)
        assert.match(searchParams.get('error') ?? '', /^\w+$/)
        assert.equal(caller.cookies.has(site.sessionCookie), false)
      }
    }
  })

  it('HEAD /api/auth/callback/<provider> redirects to the sign-in page, and consumes no state cookie', async () => {
    for (const id of await configured()) {
      const caller = newCaller(target, site)
      const response = await caller.send('HEAD', `/api/auth/callback/${id}?code=x&state=y`)
      assert.deepEqual([response.status, response.headers.get('location'), response.text], [302, '/signin', ''], id)
      assert.deepEqual(response.setCookies, [])
    }
    assertProblem(await newCaller(target, site).get('/api/auth/callback/unknown'), 404, 'not_found')
  })

  it('a provider that is not configured is 404', async () => {
    const configuredIds = await configured()
    const absent = providerIds.filter((id) => !configuredIds.includes(id))
    for (const id of [...absent, 'unknown', 'Google', 'google/x', '__proto__', 'constructor']) {
      const caller = newCaller(target, site)
      assertProblem(await caller.get(`/api/auth/callback/${id}?code=x`), 404, 'not_found')
      assertProblem(await caller.post(`/api/auth/signin/${id}`), 404, 'not_found')
    }
  })
}

function describeOtherPaths(target: Target): void {
  for (const path of ['signin/google', 'signout/x', 'verify-request', 'webauthn-options/google', 'x', 'session/x']) {
    it(`GET /api/auth/${path} is 404`, async () => {
      assertProblem(await newCaller(target, target.sites[0]).get(`/api/auth/${path}`), 404, 'not_found')
    })
  }
}
