import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from './assertions.ts'
import type { TestResponse } from './client.ts'
import { newCaller, type Target, testsFor, whileSignedIn } from './target.ts'

const path = '/api/search'

function assertResults(response: TestResponse): { title: string; results: Record<string, string>[] }[] {
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), 'private, no-store')
  const { groups, isComplete, ...rest } = response.json()
  assert.deepEqual([isComplete, rest], [true, {}])
  for (const { title, results } of groups) {
    assert.equal(typeof title, 'string')
    assert.ok(results.length > 0 && results.length <= 5, title)
    for (const { label, hint, href } of results) {
      assert.deepEqual([typeof label, typeof hint], ['string', 'string'])
      assert.match(href, /^\/[^/]/)
    }
  }
  return groups
}

export function describePart(target: Target): void {
  const { withUser, withOwnApp } = testsFor(target)
  const [site] = target.sites

  describe(`GET ${path}`, () => {
    it('is 401 for an unauthenticated caller', async () => {
      for (const query of ['', '?q=a'])
        assertProblem(await newCaller(target, site).get(path + query), 401, 'unauthenticated')
    })

    it('responds to POST with 405 and Allow', async () => {
      const response = await newCaller(target, site).post(path, {})
      assertProblem(response, 405, 'method_not_allowed')
      assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
    })

    withUser('returns groups of at most five results, none without a text, and 422 for an invalid text', (user) =>
      whileSignedIn(target, site, user, async ({ caller }) => {
        assert.deepEqual(assertResults(await caller.get(path)), [])
        assert.deepEqual(assertResults(await caller.get(`${path}?q=%20`)), [])
        assertResults(await caller.get(`${path}?q=a`))
        assertProblem(await caller.get(`${path}?q=${'a'.repeat(101)}`), 422, 'invalid_input')
        assertProblem(await caller.get(`${path}?q=%00`), 422, 'invalid_input')
      }),
    )

    withOwnApp('finds users only for admins, at every request, by cookie and by token', async (ownApp) => {
      const email = await ownApp.newUser()
      await whileSignedIn(target, site, { email, password: ownApp.password }, async ({ caller, token }) => {
        for (const role of ['editor', 'admin', 'viewer']) {
          await ownApp.query('update users set role = $2 where email = $1', [email, role])
          const query = `${path}?q=${encodeURIComponent(email)}`
          const byToken = await newCaller(target, site).get(query, { authorization: `Bearer ${token}` })
          for (const response of [await caller.get(query), byToken]) {
            const hints = assertResults(response).flatMap(({ results }) => results.map(({ hint }) => hint))
            const isFound = role === 'admin' && ownApp.hasModule('admin')
            assert.equal(hints.includes(email), isFound, role)
          }
        }
      })
    })
  })
}
