import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { appSlug } from '../../../src/brand.ts'
import { type RunningServer, runUntilExit } from '../support/server.ts'
import { assertProblem } from './assertions.ts'
import { type Client, newClient } from './client.ts'
import { describeSite, newCaller, type Site, signIn, type Target, testsFor, userOf, whileSignedIn } from './target.ts'

export function describePart(target: Target): void {
  for (const site of target.sites) {
    describe(`write requests, ${site.name}`, () => describeWrites(target, site))
  }
  describe('CORS', () => describeCors(target))
}

// Not an email, so a request that passes the cross-site check gets 401, and no attempt is counted.
const invalidCredentials = { email: 'x', password: 'x', redirect: false }

function describeWrites(target: Target, site: Site): void {
  const { withUser } = testsFor(target)
  const { origin } = site
  const crossSite: [string, Record<string, string>][] = [
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another subdomain of the same site', { 'sec-fetch-site': 'same-site' }],
    ['a browser with an unknown Sec-Fetch-Site value', { 'sec-fetch-site': 'anything' }],
    ['another site that sends our Origin', { 'sec-fetch-site': 'cross-site', origin }],
    ['an older browser on another site', { origin: 'https://evil.example' }],
    ['an older browser with an opaque origin', { origin: 'null' }],
    ['an origin with our origin as its prefix', { origin: `${origin}.evil.example` }],
    ['our host over the other protocol', { origin: origin.replace(/^https?/, site.isSecure ? 'http' : 'https') }],
  ]
  const sameOrigin: [string, Record<string, string>][] = [
    ['a client that is no browser', {}],
    ['a page of the app', { 'sec-fetch-site': 'same-origin', origin }],
    ['a user who typed the URL', { 'sec-fetch-site': 'none' }],
    ['a page of the app in an older browser', { origin }],
    [
      'a browser with Sec-Fetch-Site: same-origin, whatever Origin says',
      { 'sec-fetch-site': 'same-origin', origin: 'null' },
    ],
  ]

  for (const [who, headers] of crossSite) {
    it(`from ${who} are rejected`, async () => {
      for (const path of ['/api/auth/signin', '/api/auth/signout']) {
        const response = await newCaller(target, site).post(path, invalidCredentials, headers)
        assertProblem(response, 403, 'cross_site')
        assert.deepEqual(response.setCookies, [])
      }
    })
  }

  for (const [who, headers] of sameOrigin) {
    it(`from ${who} are accepted`, async () => {
      const caller = newCaller(target, site)
      assertProblem(await caller.post('/api/auth/signin', invalidCredentials, headers), 401, 'invalid_credentials')
      assert.equal((await caller.post('/api/auth/signout', { redirect: false }, headers)).status, 200)
    })
  }

  it('to Auth.js from another site are rejected before it runs', async () => {
    const response = await newCaller(target, site).send('POST', '/api/auth/signin/google', {
      body: 'csrfToken=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    })
    assertProblem(response, 403, 'cross_site')
  })

  withUser('from another site can neither sign in with the right password nor sign a user out', (user) =>
    whileSignedIn(target, site, user, async ({ caller, token }) => {
      const headers = { 'sec-fetch-site': 'cross-site' }
      const signingIn = await newCaller(target, site).post('/api/auth/signin', user, headers)
      assertProblem(signingIn, 403, 'cross_site')
      assert.deepEqual(signingIn.setCookies, [])
      assertProblem(await caller.post('/api/auth/signout', undefined, headers), 403, 'cross_site')
      assert.equal((await userOf(target, site, token))?.email, user.email.toLowerCase())
    }),
  )

  it('are distinguished from reads: another site may send a read, but CORS hides the response', async () => {
    const caller = newCaller(target, site)
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://contract.invalid' }
    const response = await caller.get('/api/auth/session', headers)
    assert.deepEqual([response.status, response.text], [200, 'null'])
    const preflight = await caller.send('OPTIONS', '/api/auth/signin', {
      headers: { ...headers, 'access-control-request-method': 'POST' },
    })
    assert.deepEqual([preflight.status, preflight.headers.get('allow')], [204, 'GET, HEAD, OPTIONS, POST'])
    for (const { headers: given } of [response, preflight]) {
      assert.deepEqual(
        [...given.keys()].filter((name) => name.startsWith('access-control-')),
        [],
      )
      assert.equal(given.get('cross-origin-resource-policy'), 'same-origin')
    }
  })
}

function describeCors(target: Target): void {
  const { withOwnApp } = testsFor(target)
  const origin = 'https://partner.example.com'
  const secure = { AUTH_URL: 'https://app.example.com' }
  const fromPartner = { origin, 'sec-fetch-site': 'cross-site' }
  const variesBy = (headers: Headers) => (headers.get('vary') ?? '').toLowerCase().split(/, */)

  describe('with an origin in CORS_ORIGINS', () => {
    let node: RunningServer | undefined
    before(async () => {
      node = await target.ownApp?.startNode({ ...secure, CORS_ORIGINS: `https://other.example.com,${origin}` })
    })
    after(() => node?.stop())
    const caller = (): Client => newClient(node?.url ?? '')

    withOwnApp('its pages may read responses, including errors, and may not send the cookie', async () => {
      for (const response of [
        await caller().get('/api/auth/session', fromPartner),
        await caller().post('/api/auth/signin', invalidCredentials, fromPartner),
        await caller().get('/api/auth/nothing', fromPartner),
      ]) {
        assert.equal(response.headers.get('access-control-allow-origin'), origin)
        assert.equal(response.headers.get('access-control-allow-credentials'), null)
        assert.ok(variesBy(response.headers).includes('origin'))
      }
    })

    withOwnApp('its pages can sign in for a token, and sign out with it', async (ownApp) => {
      const user = { email: await ownApp.newUser(), password: ownApp.password }
      const response = await caller().post('/api/auth/signin', { ...user, token: true }, fromPartner)
      assert.deepEqual([response.status, response.setCookies], [200, []])
      assert.equal(response.headers.get('access-control-allow-origin'), origin)
      const headers = { ...fromPartner, authorization: `Bearer ${response.json().token}` }
      assert.equal((await caller().get('/api/auth/session', headers)).json().user.email, user.email)
      await caller().post('/api/auth/signout', { redirect: false }, headers)
      assert.equal((await caller().get('/api/auth/session', headers)).text, 'null')
    })

    withOwnApp('its requests with a cookie are rejected, also from the same site', async () => {
      for (const site of ['cross-site', 'same-site']) {
        const headers = { origin, 'sec-fetch-site': site, cookie: `__Host-${appSlug}.session=x` }
        assertProblem(await caller().post('/api/auth/signout', undefined, headers), 403, 'cross_site')
      }
    })

    withOwnApp('its write requests are accepted', async () => {
      assertProblem(
        await caller().post('/api/auth/signin', invalidCredentials, fromPartner),
        401,
        'invalid_credentials',
      )
    })

    withOwnApp('a preflight returns the allowed methods and headers', async () => {
      const { status, headers } = await caller().send('OPTIONS', '/api/auth/signin', {
        headers: { ...fromPartner, 'access-control-request-method': 'POST' },
      })
      assert.equal(status, 204)
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, POST')
      assert.equal(headers.get('access-control-allow-headers'), 'Authorization, Content-Type')
      assert.ok(variesBy(headers).includes('origin'))
    })

    withOwnApp('any other origin gets no CORS headers, and Vary has Origin', async () => {
      for (const other of ['https://evil.example', 'null', `${origin}.evil.example`, `${origin}:8443`]) {
        const headers = { origin: other, 'sec-fetch-site': 'cross-site' }
        const response = await caller().get('/api/auth/session', headers)
        assert.equal(response.headers.get('access-control-allow-origin'), null, other)
        assert.ok(variesBy(response.headers).includes('origin'))
        assertProblem(await caller().post('/api/auth/signin', invalidCredentials, headers), 403, 'cross_site')
      }
    })
  })

  withOwnApp('with CORS_CREDENTIALS the cookie is SameSite=None and Secure', async (ownApp) => {
    const node = await ownApp.startNode({ ...secure, CORS_ORIGINS: origin, CORS_CREDENTIALS: 'true' })
    try {
      const site = describeSite(node.url, secure.AUTH_URL)
      const user = { email: await ownApp.newUser(), password: ownApp.password }
      const { caller, response } = await signIn(target, site, user)
      const cookie = response.setCookies.find(({ name }) => name === site.sessionCookie)
      assert.deepEqual([cookie?.attributes.get('samesite'), cookie?.attributes.has('secure')], ['none', true])
      const session = await caller.get('/api/auth/session', fromPartner)
      assert.equal(session.json().user.email, user.email)
      assert.equal(session.headers.get('access-control-allow-credentials'), 'true')
      assert.equal(session.headers.get('access-control-allow-origin'), origin)
    } finally {
      await node.stop()
    }
  })

  withOwnApp('the app does not start if CORS_ORIGINS contains anything but origins', async () => {
    for (const CORS_ORIGINS of ['*', 'https://*.example.com', 'https://partner.example.com/path']) {
      const { code, hasResponded, output } = await runUntilExit({ ...secure, CORS_ORIGINS })
      assert.deepEqual([code, hasResponded], [1, false], CORS_ORIGINS)
      assert.match(output, /CORS_ORIGINS/)
    }
  })
}
