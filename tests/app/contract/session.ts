import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { roles } from '../../../src/core/auth/roles.ts'
import { assertProblem, assertSession } from './assertions.ts'
import { newCaller, type Site, type Target, testsFor, userOf, whileSignedIn } from './target.ts'

export function describePart(target: Target): void {
  for (const site of target.sites) describe(`GET /api/auth/session ${site.name}`, () => describeOn(target, site))
}

function describeOn(target: Target, site: Site): void {
  const { withUser, withOwnApp } = testsFor(target)

  it('is null for an unauthenticated caller, and not cached', async () => {
    const response = await newCaller(target, site).get('/api/auth/session')
    assert.deepEqual([response.status, response.text], [200, 'null'])
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(response.headers.get('cache-control'), 'private, no-store')
    assert.deepEqual(response.setCookies, [])
  })

  it('responds to HEAD without a body', async () => {
    const response = await newCaller(target, site).send('HEAD', '/api/auth/session')
    assert.deepEqual([response.status, response.text], [200, ''])
  })

  it('responds to POST with 405 and Allow', async () => {
    const response = await newCaller(target, site).post('/api/auth/session', {})
    assertProblem(response, 405, 'method_not_allowed')
    assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })

  withUser('returns the user and the expiry, with exactly these keys', (user) =>
    whileSignedIn(target, site, user, async ({ caller }) => {
      const response = await caller.get('/api/auth/session')
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('cache-control'), 'private, no-store')
      assertSession(response.json())
      assert.equal(response.json().user.email, user.email.toLowerCase())
    }),
  )

  for (const role of roles) {
    withOwnApp(`returns the role "${role}" at the next request after a role change`, async (ownApp) => {
      const email = await ownApp.newUser()
      await whileSignedIn(target, site, { email, password: ownApp.password }, async ({ caller }) => {
        await ownApp.query('update users set role = $2 where email = $1', [email, role])
        const session = (await caller.get('/api/auth/session')).json()
        assertSession(session)
        assert.equal(session.user.role, role)
      })
    })
  }

  for (const [when, statement] of [
    ['the user was suspended', 'update users set suspended_at = now() where email = $1'],
    ['the user was deleted', 'delete from users where email = $1'],
    [
      'the idle timeout is over',
      `update sessions set last_seen_at = now() - interval '8 days' where user_id = (select id from users where email = $1)`,
    ],
    [
      'the absolute lifetime is over',
      `update sessions set created_at = now() - interval '31 days' where user_id = (select id from users where email = $1)`,
    ],
  ] as const) {
    withOwnApp(`is null when ${when}, by cookie and by token`, async (ownApp) => {
      const email = await ownApp.newUser()
      await whileSignedIn(target, site, { email, password: ownApp.password }, async ({ caller, token }) => {
        assert.equal((await userOf(target, site, token))?.email, email)
        await ownApp.query(statement, [email])
        assert.equal((await caller.get('/api/auth/session')).text, 'null')
        assert.equal(await userOf(target, site, token), null)
      })
    })
  }
}
