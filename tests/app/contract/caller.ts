import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newCaller, type Site, signIn, type Target, testsFor, whileSignedIn } from './target.ts'

export function describePart(target: Target): void {
  for (const site of target.sites)
    describe(`authentication of the caller, ${site.name}`, () => describeOn(target, site))
}

function describeOn(target: Target, site: Site): void {
  const { withUser, withOwnApp } = testsFor(target)
  const getSession = async (headers: Record<string, string>) => {
    const response = await newCaller(target, site).get('/api/auth/session', headers)
    assert.equal(response.status, 200)
    return response
  }
  const unknown = 'x'.repeat(43)

  for (const [what, headers] of [
    ['an unknown cookie', { cookie: `${site.sessionCookie}=${unknown}` }],
    ['an empty cookie', { cookie: `${site.sessionCookie}=` }],
    ['an unknown token', { authorization: `Bearer ${unknown}` }],
    ['a malformed token', { authorization: "Bearer ' or 1=1 --" }],
    ['a scheme without a token', { authorization: 'Bearer' }],
  ] as const) {
    it(`${what} is unauthenticated, and no cookie is set or cleared`, async () => {
      const response = await getSession(headers)
      assert.deepEqual([response.text, response.setCookies], ['null', []])
    })
  }

  withUser('cookie and token: which of them takes precedence, and which syntax is accepted', (user) =>
    whileSignedIn(target, site, user, async ({ token }) => {
      const cookie = `${site.sessionCookie}=${token}`
      const expectUser = async (headers: Record<string, string>) => {
        const response = await getSession(headers)
        assert.equal(response.json()?.user.email, user.email.toLowerCase(), JSON.stringify(Object.keys(headers)))
        assert.deepEqual(response.setCookies, [])
      }
      await expectUser({ cookie })
      await expectUser({ cookie: `theme=dark; ${cookie}; other=1` })
      await expectUser({ authorization: `Bearer ${token}` })
      await expectUser({ authorization: `bearer ${token}` })
      // Another scheme may be for a proxy in front, so the cookie decides.
      await expectUser({ cookie, authorization: 'Basic c3RhZ2U6c3RhZ2U=' })
      await expectUser({ cookie, authorization: `Digest username="${unknown}"` })

      const expectUnauthenticated = async (what: string, headers: Record<string, string>) => {
        const response = await getSession(headers)
        assert.deepEqual([response.text, response.setCookies], ['null', []], what)
      }
      await expectUnauthenticated('an unknown token beside a good cookie', {
        cookie,
        authorization: `Bearer ${unknown}`,
      })
      await expectUnauthenticated('a malformed token beside a good cookie', { cookie, authorization: 'Bearer' })
      await expectUnauthenticated('the token under another scheme', { authorization: `Basic ${token}` })
      await expectUnauthenticated('the token without a scheme', { cookie, authorization: token })
      await expectUnauthenticated('two tokens', { authorization: `Bearer ${token}, Bearer ${unknown}` })
      await expectUnauthenticated('the cookie name of the other protocol', {
        cookie: `${site.otherProtocolCookie}=${token}`,
      })
      await expectUnauthenticated('a chunked cookie', { cookie: `${site.sessionCookie}.0=${token}` })
      await expectUnauthenticated('a duplicate cookie before it', {
        cookie: `${site.sessionCookie}=${unknown}; ${cookie}`,
      })
      await expectUnauthenticated('a duplicate cookie after it', {
        cookie: `${cookie}; ${site.sessionCookie}=${unknown}`,
      })
    }),
  )

  withOwnApp('if the token and the cookie belong to different users, the token decides', async (ownApp) => {
    const [first, second] = [await ownApp.newUser(), await ownApp.newUser()]
    const inToken = await signIn(target, site, { email: first, password: ownApp.password })
    const inCookie = await signIn(target, site, { email: second, password: ownApp.password })
    const response = await inCookie.caller.get('/api/auth/session', { authorization: `Bearer ${inToken.token}` })
    assert.deepEqual([response.json().user.email, response.setCookies], [first, []])
  })
}
