import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type RunningServer, runUntilExit } from '../support/server.ts'
import { type Client, newClient } from './client.ts'
import { assertProblem } from './shapes.ts'
import { describeSite, newCaller, personOf, rowsFor, type Site, signIn, type Target, whileSignedIn } from './target.ts'

export function describeCrossSite(target: Target): void {
  for (const site of target.sites) {
    describe(`requests that change something, ${site.name}`, () => describeWrites(target, site))
  }
  describe('CORS', () => describeCors(target))
}

// Nobody's address: who is let through is refused for that, and no try is counted.
const nobody = { email: 'x', password: 'x', redirect: false }

function describeWrites(target: Target, site: Site): void {
  const { withPerson } = rowsFor(target)
  const { origin } = site
  const elsewhere: [string, Record<string, string>][] = [
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['a neighbour on the same domain', { 'sec-fetch-site': 'same-site' }],
    ['a browser that says something unheard of', { 'sec-fetch-site': 'anything' }],
    ['another site that claims our origin', { 'sec-fetch-site': 'cross-site', origin }],
    ['an older browser on another site', { origin: 'https://evil.example' }],
    ['an older browser that hides where it comes from', { origin: 'null' }],
    ['an origin that begins like ours', { origin: `${origin}.evil.example` }],
    ['our host by the other protocol', { origin: origin.replace(/^https?/, site.isSecure ? 'http' : 'https') }],
  ]
  const here: [string, Record<string, string>][] = [
    ['no browser', {}],
    ['a page of ours', { 'sec-fetch-site': 'same-origin', origin }],
    ['a person who typed the address', { 'sec-fetch-site': 'none' }],
    ['a page of ours in an older browser', { origin }],
    ['a browser that says same-origin, whatever Origin says', { 'sec-fetch-site': 'same-origin', origin: 'null' }],
  ]

  for (const [who, headers] of elsewhere) {
    it(`from ${who} are refused`, async () => {
      for (const path of ['/api/auth/signin', '/api/auth/signout']) {
        const answer = await newCaller(target, site).post(path, nobody, headers)
        assertProblem(answer, 403, 'cross_site')
        assert.deepEqual(answer.setCookies, [])
      }
    })
  }

  for (const [who, headers] of here) {
    it(`from ${who} are let through`, async () => {
      const caller = newCaller(target, site)
      assertProblem(await caller.post('/api/auth/signin', nobody, headers), 401, 'invalid_credentials')
      assert.equal((await caller.post('/api/auth/signout', { redirect: false }, headers)).status, 200)
    })
  }

  it('and are forms for Auth.js are refused before it sees them', async () => {
    const answer = await newCaller(target, site).send('POST', '/api/auth/signin/google', {
      body: 'csrfToken=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' },
    })
    assertProblem(answer, 403, 'cross_site')
  })

  withPerson('from another site neither sign in with the right password nor sign anybody out', (person) =>
    whileSignedIn(target, site, person, async ({ caller, token }) => {
      const headers = { 'sec-fetch-site': 'cross-site' }
      const signingIn = await newCaller(target, site).post('/api/auth/signin', person, headers)
      assertProblem(signingIn, 403, 'cross_site')
      assert.deepEqual(signingIn.setCookies, [])
      assertProblem(await caller.post('/api/auth/signout', undefined, headers), 403, 'cross_site')
      assert.equal((await personOf(target, site, token))?.email, person.email.toLowerCase())
    }),
  )

  it('from another site that only read are answered, and its page may not look at the answer', async () => {
    const caller = newCaller(target, site)
    const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://contract.invalid' }
    const answer = await caller.get('/api/auth/session', headers)
    assert.deepEqual([answer.status, answer.text], [200, 'null'])
    const preflight = await caller.send('OPTIONS', '/api/auth/signin', {
      headers: { ...headers, 'access-control-request-method': 'POST' },
    })
    assert.deepEqual([preflight.status, preflight.headers.get('allow')], [204, 'GET, HEAD, OPTIONS, POST'])
    for (const { headers: given } of [answer, preflight]) {
      assert.deepEqual(
        [...given.keys()].filter((name) => name.startsWith('access-control-')),
        [],
      )
      assert.equal(given.get('cross-origin-resource-policy'), 'same-origin')
    }
  })
}

function describeCors(target: Target): void {
  const { withOwn } = rowsFor(target)
  const origin = 'https://partner.example.com'
  const secure = { AUTH_URL: 'https://app.example.com' }
  const fromPartner = { origin, 'sec-fetch-site': 'cross-site' }
  const variesBy = (headers: Headers) => (headers.get('vary') ?? '').toLowerCase().split(/, */)

  describe('with an origin on the list', () => {
    let node: RunningServer | undefined
    before(async () => {
      node = await target.own?.startNode({ ...secure, CORS_ORIGINS: `https://other.example.com,${origin}` })
    })
    after(() => node?.stop())
    const caller = (): Client => newClient(node?.url ?? '')

    withOwn('its pages may look at answers, refusals included, and may not send the cookie', async () => {
      for (const answer of [
        await caller().get('/api/auth/session', fromPartner),
        await caller().post('/api/auth/signin', nobody, fromPartner),
        await caller().get('/api/auth/nothing', fromPartner),
      ]) {
        assert.equal(answer.headers.get('access-control-allow-origin'), origin)
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
        assert.ok(variesBy(answer.headers).includes('origin'))
      }
    })

    withOwn('its requests that change something are let through', async () => {
      assertProblem(await caller().post('/api/auth/signin', nobody, fromPartner), 401, 'invalid_credentials')
    })

    withOwn('its browser is told before it asks what it may send', async () => {
      const { status, headers } = await caller().send('OPTIONS', '/api/auth/signin', {
        headers: { ...fromPartner, 'access-control-request-method': 'POST' },
      })
      assert.equal(status, 204)
      assert.equal(headers.get('access-control-allow-origin'), origin)
      assert.equal(headers.get('access-control-allow-methods'), 'GET, HEAD, POST')
      assert.equal(headers.get('access-control-allow-headers'), 'Authorization, Content-Type')
      assert.ok(variesBy(headers).includes('origin'))
    })

    withOwn('every other origin gets nothing, and no cache mixes the two', async () => {
      for (const other of ['https://evil.example', 'null', `${origin}.evil.example`, `${origin}:8443`]) {
        const headers = { origin: other, 'sec-fetch-site': 'cross-site' }
        const answer = await caller().get('/api/auth/session', headers)
        assert.equal(answer.headers.get('access-control-allow-origin'), null, other)
        assert.ok(variesBy(answer.headers).includes('origin'))
        assertProblem(await caller().post('/api/auth/signin', nobody, headers), 403, 'cross_site')
      }
    })
  })

  withOwn('with credentials the cookie goes to other sites, and only over https', async (own) => {
    const node = await own.startNode({ ...secure, CORS_ORIGINS: origin, CORS_CREDENTIALS: 'true' })
    try {
      const site = describeSite(node.url, secure.AUTH_URL)
      const person = { email: await own.newPerson(), password: own.password }
      const { caller, answer } = await signIn(target, site, person)
      const cookie = answer.setCookies.find(({ name }) => name === site.sessionCookie)
      assert.deepEqual([cookie?.attributes.get('samesite'), cookie?.attributes.has('secure')], ['none', true])
      const session = await caller.get('/api/auth/session', fromPartner)
      assert.equal(session.json().user.email, person.email)
      assert.equal(session.headers.get('access-control-allow-credentials'), 'true')
      assert.equal(session.headers.get('access-control-allow-origin'), origin)
    } finally {
      await node.stop()
    }
  })

  withOwn('the app does not start with a list that holds anything but origins', async () => {
    for (const CORS_ORIGINS of ['*', 'https://*.example.com', 'https://partner.example.com/path']) {
      const { code, answered, output } = await runUntilExit({ ...secure, CORS_ORIGINS })
      assert.deepEqual([code, answered], [1, false], CORS_ORIGINS)
      assert.match(output, /CORS_ORIGINS/)
    }
  })
}
