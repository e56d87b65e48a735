import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { newCaller, rowsFor, type Site, signIn, type Target, whileSignedIn } from './target.ts'

export function describeCaller(target: Target): void {
  for (const site of target.sites) describe(`who the caller is, ${site.name}`, () => describeOn(target, site))
}

function describeOn(target: Target, site: Site): void {
  const { withPerson, withOwn } = rowsFor(target)
  const ask = async (headers: Record<string, string>) => {
    const answer = await newCaller(target, site).get('/api/auth/session', headers)
    assert.equal(answer.status, 200)
    return answer
  }
  const unknown = 'x'.repeat(43)

  for (const [what, headers] of [
    ['a cookie that nobody was given', { cookie: `${site.sessionCookie}=${unknown}` }],
    ['an empty cookie', { cookie: `${site.sessionCookie}=` }],
    ['a token that nobody was given', { authorization: `Bearer ${unknown}` }],
    ['a token that cannot be one', { authorization: "Bearer ' or 1=1 --" }],
    ['a scheme without a token', { authorization: 'Bearer' }],
  ] as const) {
    it(`${what} is nobody, and no cookie is set or cleared`, async () => {
      const answer = await ask(headers)
      assert.deepEqual([answer.text, answer.setCookies], ['null', []])
    })
  }

  withPerson('cookie and token: which of them counts, and in which spelling', (person) =>
    whileSignedIn(target, site, person, async ({ token }) => {
      const cookie = `${site.sessionCookie}=${token}`
      const right = async (headers: Record<string, string>) => {
        const answer = await ask(headers)
        assert.equal(answer.json()?.user.email, person.email.toLowerCase(), JSON.stringify(Object.keys(headers)))
        assert.deepEqual(answer.setCookies, [])
      }
      await right({ cookie })
      await right({ cookie: `theme=dark; ${cookie}; other=1` })
      await right({ authorization: `Bearer ${token}` })
      await right({ authorization: `bearer ${token}` })

      const nobody = async (what: string, headers: Record<string, string>) => {
        const answer = await ask(headers)
        assert.deepEqual([answer.text, answer.setCookies], ['null', []], what)
      }
      await nobody('an unknown token beside a good cookie', { cookie, authorization: `Bearer ${unknown}` })
      await nobody('a malformed token beside a good cookie', { cookie, authorization: 'Bearer' })
      await nobody('another scheme beside a good cookie', { cookie, authorization: `Basic ${token}` })
      await nobody('the token without a scheme', { cookie, authorization: token })
      await nobody('two tokens', { authorization: `Bearer ${token}, Bearer ${unknown}` })
      await nobody('the name of the other protocol', { cookie: `${site.foreignCookie}=${token}` })
      await nobody('a part of a cookie', { cookie: `${site.sessionCookie}.0=${token}` })
      await nobody('another one planted before it', { cookie: `${site.sessionCookie}=${unknown}; ${cookie}` })
      await nobody('another one planted after it', { cookie: `${cookie}; ${site.sessionCookie}=${unknown}` })
    }),
  )

  withOwn('of two people, one in the token and one in the cookie, the token decides', async (own) => {
    const [first, second] = [await own.newPerson(), await own.newPerson()]
    const inToken = await signIn(target, site, { email: first, password: own.password })
    const inCookie = await signIn(target, site, { email: second, password: own.password })
    const answer = await inCookie.caller.get('/api/auth/session', { authorization: `Bearer ${inToken.token}` })
    assert.deepEqual([answer.json().user.email, answer.setCookies], [first, []])
  })
}
