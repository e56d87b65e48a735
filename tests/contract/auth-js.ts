import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from './shapes.ts'
import { newCaller, rowsFor, type Site, type Target } from './target.ts'

const known = ['google', 'github']

export function describeAuthJs(target: Target): void {
  for (const site of target.sites) {
    describe(`GET /api/auth/csrf ${site.name}`, () => describeCsrf(target, site))
    describe(`providers ${site.name}`, () => describeProviders(target, site))
  }
  describe('nothing else of Auth.js', () => describeTheRest(target))
}

function describeCsrf(target: Target, site: Site): void {
  const name = site.sessionCookie.replace('session', 'csrf')

  it('gives a token for forms, with its cookie, and is stored by nobody', async () => {
    const caller = newCaller(target, site)
    const answer = await caller.get('/api/auth/csrf')
    assert.equal(answer.status, 200)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/json/)
    assert.match(answer.headers.get('cache-control') ?? '', /no-store/)
    assert.deepEqual(Object.keys(answer.json()), ['csrfToken'])
    const { csrfToken } = answer.json()
    assert.match(csrfToken, /^[0-9a-f]{64}$/)
    const cookie = answer.setCookies.find((given) => given.name === name)
    assert.equal(decodeURIComponent(cookie?.value ?? '').split('|')[0], csrfToken)
    const { 'max-age': _, samesite, ...attributes } = Object.fromEntries(cookie?.attributes ?? [])
    assert.deepEqual(attributes, { path: '/', httponly: '', ...(site.isSecure && { secure: '' }) })
    assert.equal(samesite?.toLowerCase(), 'lax')
    assert.equal((await caller.get('/api/auth/csrf')).json().csrfToken, csrfToken)
  })

  it('answers HEAD without a body, and says to DELETE which methods there are', async () => {
    const caller = newCaller(target, site)
    const answer = await caller.send('HEAD', '/api/auth/csrf')
    assert.deepEqual([answer.status, answer.text], [200, ''])
    assertProblem(await caller.send('DELETE', '/api/auth/csrf'), 405, 'method_not_allowed')
  })

  it('survives a cookie that somebody planted', async () => {
    const planted = `${site.sessionCookie.replace('session', 'callback-url')}=foo:bar; ${name}=x|y`
    const answer = await newCaller(target, site).get('/api/auth/csrf', { cookie: planted })
    assert.ok(answer.status < 400, String(answer.status))
  })
}

function describeProviders(target: Target, site: Site): void {
  const { withOwn } = rowsFor(target)
  const configured = async (): Promise<string[]> =>
    Object.keys((await newCaller(target, site).get('/api/auth/providers')).json())

  it('GET /api/auth/providers says which there are, and where each begins and ends', async () => {
    const answer = await newCaller(target, site).get('/api/auth/providers')
    assert.equal(answer.status, 200)
    for (const [id, provider] of Object.entries<Record<string, string>>(answer.json())) {
      assert.ok(known.includes(id), id)
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

  withOwn('GET /api/auth/providers names those that were configured and no other', async () => {
    assert.deepEqual((await configured()).sort(), site.isSecure ? [] : ['github', 'google'])
  })

  it('POST /api/auth/signin/<provider> starts nothing without the token for forms, and goes there with it', async () => {
    for (const id of await configured()) {
      const caller = newCaller(target, site)
      const { csrfToken } = (await caller.get('/api/auth/csrf')).json()
      const start = async (form: Record<string, string>) => {
        const answer = await caller.send('POST', `/api/auth/signin/${id}`, {
          body: new URLSearchParams(form).toString(),
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
        })
        assert.equal(answer.status, 302)
        return new URL(answer.headers.get('location') ?? '', site.origin)
      }
      for (const form of [{}, { csrfToken: 'x' }, { csrfToken: '0'.repeat(64) }] as Record<string, string>[]) {
        const { origin, pathname } = await start(form)
        assert.deepEqual([origin, pathname], [site.origin, '/signin'], id)
      }
      const there = await start({ csrfToken, callbackUrl: '/dashboard' })
      assert.notEqual(there.origin, site.origin)
      assert.equal(there.searchParams.get('redirect_uri'), `${site.origin}/api/auth/callback/${id}`)
      assert.equal(there.searchParams.get('code_challenge_method'), 'S256')
      assert.ok(there.searchParams.get('state'))
      assert.equal(caller.cookies.has(site.sessionCookie), false)
    }
  })

  it('GET /api/auth/callback/<provider> that nobody asked for leads to the page and lets nobody in', async () => {
    for (const id of await configured()) {
      for (const query of ['', '?code=x', '?code=x&state=y', '?error=access_denied&error_description=<script>']) {
        const caller = newCaller(target, site)
        const answer = await caller.get(`/api/auth/callback/${id}${query}`)
        assert.equal(answer.status, 302)
        const { origin, pathname, searchParams } = new URL(answer.headers.get('location') ?? '', site.origin)
        assert.deepEqual([origin, pathname], [site.origin, '/signin'], `${id}${query}`)
        assert.match(searchParams.get('error') ?? '', /^\w+$/)
        assert.equal(caller.cookies.has(site.sessionCookie), false)
      }
    }
  })

  it('a provider that is not configured is not there', async () => {
    const there = await configured()
    const absent = known.filter((id) => !there.includes(id))
    for (const id of [...absent, 'unknown', 'Google', 'google/x', '__proto__', 'constructor']) {
      const caller = newCaller(target, site)
      assertProblem(await caller.get(`/api/auth/callback/${id}?code=x`), 404, 'not_found')
      assertProblem(await caller.post(`/api/auth/signin/${id}`), 404, 'not_found')
    }
  })
}

function describeTheRest(target: Target): void {
  for (const path of ['signin/google', 'signout/x', 'verify-request', 'webauthn-options/google', 'x', 'session/x']) {
    it(`answers GET /api/auth/${path}`, async () => {
      assertProblem(await newCaller(target, target.sites[0]).get(`/api/auth/${path}`), 404, 'not_found')
    })
  }
}
