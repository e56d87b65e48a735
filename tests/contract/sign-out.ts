import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Answer } from './client.ts'
import { assertProblem } from './shapes.ts'
import { newCaller, personOf, rowsFor, type Site, signIn, type Target, whileSignedIn } from './target.ts'

export function describeSignOut(target: Target): void {
  for (const site of target.sites) describe(`POST /api/auth/signout ${site.name}`, () => describeOn(target, site))
}

function describeOn(target: Target, site: Site): void {
  const { withPerson, withOwn } = rowsFor(target)

  const assertSignedOut = (answer: Answer, redirect: boolean) => {
    assert.equal(answer.headers.get('clear-site-data'), '"cache"')
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    if (redirect) assert.deepEqual([answer.status, answer.headers.get('location'), answer.text], [302, '/', ''])
    else assert.deepEqual([answer.status, answer.json()], [200, { url: '/' }])
  }
  const assertCleared = (answer: Answer) => {
    const cookie = answer.setCookies.find(({ name }) => name === site.sessionCookie)
    // A browser takes a __Host- cookie back only with the attributes that it was set with.
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
    it(`answers ${how} without a session like any other`, async () => {
      assertSignedOut(await newCaller(target, site).post('/api/auth/signout', body), redirect)
    })
  }

  for (const redirect of [true, false]) {
    withPerson(
      `ends the session and clears its cookie with redirect: ${redirect}, and once more is no error`,
      (person) =>
        whileSignedIn(target, site, person, async ({ caller, token }) => {
          const answer = await caller.post('/api/auth/signout', { redirect })
          assertSignedOut(answer, redirect)
          assertCleared(answer)
          assert.equal(caller.cookies.has(site.sessionCookie), false)
          // The old cookie is worth nothing, even to somebody who kept it.
          assert.equal(await personOf(target, site, token), null)
          assertSignedOut(await caller.post('/api/auth/signout', { redirect }), redirect)
        }),
    )
  }

  withOwn('with a token ends that session and no other, and touches no cookie', async (own) => {
    const [first, second] = [await own.newPerson(), await own.newPerson()]
    const inToken = await signIn(target, site, { email: first, password: own.password })
    const inCookie = await signIn(target, site, { email: second, password: own.password })
    const answer = await inCookie.caller.post('/api/auth/signout', undefined, {
      authorization: `Bearer ${inToken.token}`,
    })
    assertSignedOut(answer, true)
    assert.deepEqual(answer.setCookies, [])
    assert.equal(await personOf(target, site, inToken.token), null)
    assert.equal((await personOf(target, site, inCookie.token))?.email, second)
  })

  it('refuses a body that it cannot read, and says to GET which methods there are', async () => {
    const caller = newCaller(target, site)
    const json = { 'content-type': 'application/json' }
    const bad = async (body: string) => caller.send('POST', '/api/auth/signout', { body, headers: json })
    assertProblem(await bad('{'), 400, 'malformed')
    assertProblem(await bad('{"redirect":"false"}'), 422, 'invalid_input')
    assertProblem(await bad(JSON.stringify({ redirect: true, more: 'x'.repeat(2_000) })), 413, 'too_large')
    const answer = await caller.get('/api/auth/signout')
    assertProblem(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers.get('allow'), 'OPTIONS, POST')
  })
}
