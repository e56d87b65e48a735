import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem, assertSession } from './shapes.ts'
import { newCaller, personOf, rowsFor, type Site, type Target, whileSignedIn } from './target.ts'

export function describeSession(target: Target): void {
  for (const site of target.sites) describe(`GET /api/auth/session ${site.name}`, () => describeOn(target, site))
}

function describeOn(target: Target, site: Site): void {
  const { withPerson, withOwn } = rowsFor(target)

  it('is null for a stranger, and stored by nobody', async () => {
    const answer = await newCaller(target, site).get('/api/auth/session')
    assert.deepEqual([answer.status, answer.text], [200, 'null'])
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(answer.headers.get('cache-control'), 'private, no-store')
    assert.deepEqual(answer.setCookies, [])
  })

  it('answers HEAD without a body', async () => {
    const answer = await newCaller(target, site).send('HEAD', '/api/auth/session')
    assert.deepEqual([answer.status, answer.text], [200, ''])
  })

  it('says to POST which methods there are', async () => {
    const answer = await newCaller(target, site).post('/api/auth/session', {})
    assertProblem(answer, 405, 'method_not_allowed')
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS')
  })

  withPerson('says who is signed in and until when, with exactly these keys', (person) =>
    whileSignedIn(target, site, person, async ({ caller }) => {
      const answer = await caller.get('/api/auth/session')
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('cache-control'), 'private, no-store')
      assertSession(answer.json())
      assert.equal(answer.json().user.email, person.email.toLowerCase())
    }),
  )

  for (const role of ['viewer', 'editor', 'admin']) {
    withOwn(`says "${role}" at the very next request after the role was changed to it`, async (own) => {
      const email = await own.newPerson()
      await whileSignedIn(target, site, { email, password: own.password }, async ({ caller }) => {
        await own.query('update users set role = $2 where email = $1', [email, role])
        const session = (await caller.get('/api/auth/session')).json()
        assertSession(session)
        assert.equal(session.user.role, role)
      })
    })
  }

  for (const [when, statement] of [
    ['the person was suspended', 'update users set suspended_at = now() where email = $1'],
    ['the person was deleted', 'delete from users where email = $1'],
    [
      'nothing was heard for the idle time',
      `update sessions set last_seen_at = now() - interval '8 days' where user_id = (select id from users where email = $1)`,
    ],
    [
      'the longest time is over',
      `update sessions set created_at = now() - interval '31 days' where user_id = (select id from users where email = $1)`,
    ],
  ] as const) {
    withOwn(`is null when ${when}, by cookie and by token`, async (own) => {
      const email = await own.newPerson()
      await whileSignedIn(target, site, { email, password: own.password }, async ({ caller, token }) => {
        assert.equal((await personOf(target, site, token))?.email, email)
        await own.query(statement, [email])
        assert.equal((await caller.get('/api/auth/session')).text, 'null')
        assert.equal(await personOf(target, site, token), null)
      })
    })
  }
}
