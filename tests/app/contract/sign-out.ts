import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from './assertions.ts'
import type { TestResponse } from './client.ts'
import { newCaller, type Site, signIn, type Target, testsFor, userOf, whileSignedIn } from './target.ts'

export function describePart(target: Target): void {
  for (const site of target.sites) describe(`POST /api/auth/signout ${site.name}`, () => describeOn(target, site))
}

function describeOn(target: Target, site: Site): void {
  const { withUser, withOwnApp } = testsFor(target)

  const assertSignedOut = (response: TestResponse, redirect: boolean) => {
    assert.equal(response.headers.get('clear-site-data'), '"cache"')
    assert.equal(response.headers.get('cache-control'), 'private, no-store')
    if (redirect) assert.deepEqual([response.status, response.headers.get('location'), response.text], [302, '/', ''])
    else assert.deepEqual([response.status, response.json()], [200, { url: '/' }])
  }
  const assertCleared = (response: TestResponse) => {
    const cookie = response.setCookies.find(({ name }) => name === site.sessionCookie)
    // A browser deletes a __Host- cookie only if Path and Secure match.
    assert.deepEqual(
      [
        cookie?.value,
        cookie?.attributes.get('max-age'),
        cookie?.attributes.get('path'),
        cookie?.attributes.has('secure'),
      ],
      ['', '0', '/', site.isSecure],
    )
  }

  for (const [how, body, redirect] of [
    ['a bare call', undefined, true],
    ['redirect: true', { redirect: true }, true],
    ['an empty object', {}, true],
    ['redirect: false', { redirect: false }, false],
  ] as const) {
    it(`responds to ${how} without a session as with one`, async () => {
      assertSignedOut(await newCaller(target, site).post('/api/auth/signout', body), redirect)
    })
  }

  for (const redirect of [true, false]) {
    withUser(`ends the session and clears its cookie with redirect: ${redirect}, and is idempotent`, (user) =>
      whileSignedIn(target, site, user, async ({ caller, token }) => {
        const response = await caller.post('/api/auth/signout', { redirect })
        assertSignedOut(response, redirect)
        assertCleared(response)
        assert.equal(caller.cookies.has(site.sessionCookie), false)
        // The old token is invalid, even if an attacker has a copy.
        assert.equal(await userOf(target, site, token), null)
        assertSignedOut(await caller.post('/api/auth/signout', { redirect }), redirect)
      }),
    )
  }

  withOwnApp('with a token and a cookie ends both sessions, and changes no cookie', async (ownApp) => {
    const [first, second] = [await ownApp.newUser(), await ownApp.newUser()]
    const inToken = await signIn(target, site, { email: first, password: ownApp.password })
    const inCookie = await signIn(target, site, { email: second, password: ownApp.password })
    const response = await inCookie.caller.post('/api/auth/signout', undefined, {
      authorization: `Bearer ${inToken.token}`,
    })
    assertSignedOut(response, true)
    assert.deepEqual(response.setCookies, [])
    for (const { token } of [inToken, inCookie]) assert.equal(await userOf(target, site, token), null)
  })

  withOwnApp('ends the session whatever the body and the content type are', async (ownApp) => {
    const user = { email: await ownApp.newUser(), password: ownApp.password }
    for (const [type, body] of [
      ['application/json', undefined],
      ['application/json', ''],
      ['application/json', '{'],
      ['application/json', '[]'],
      ['application/json', '{"redirect":"false"}'],
      ['application/json', JSON.stringify({ redirect: false, more: 'x'.repeat(2_000) })],
      ['text/plain', '{"redirect":false}'],
      ['application/x-www-form-urlencoded', 'redirect=false'],
    ] as const) {
      const { caller, token } = await signIn(target, site, user)
      const response = await caller.send('POST', '/api/auth/signout', {
        headers: { 'content-type': type },
        ...(body !== undefined && { body }),
      })
      assertSignedOut(response, true)
      assertCleared(response)
      assert.equal(await userOf(target, site, token), null, `${type} ${body}`)
    }
  })

  it('responds to GET with 405 and Allow', async () => {
    const response = await newCaller(target, site).get('/api/auth/signout')
    assertProblem(response, 405, 'method_not_allowed')
    assert.equal(response.headers.get('allow'), 'OPTIONS, POST')
  })
}
