import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { freePort } from '../../scripts/ports.ts'
import type { RunningServer } from '../support/server.ts'
import { newClient } from './client.ts'
import { assertProblem } from './shapes.ts'
import { newCaller, rowsFor, type Target } from './target.ts'

export function describeHealth(target: Target): void {
  const { withOwn } = rowsFor(target)
  const [site] = target.sites

  describe('GET /api/health', () => {
    it('is one word, stored by nobody, without a cookie', async () => {
      const answer = await newCaller(target, site).get('/api/health')
      assert.deepEqual([answer.status, answer.text], [200, '{"status":"ok"}'])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.deepEqual(answer.setCookies, [])
    })

    it('is the same for a caller with a cookie and a token that mean nothing', async () => {
      const headers = { cookie: `${site.sessionCookie}=${'x'.repeat(43)}`, authorization: 'Bearer nobody' }
      const answer = await newCaller(target, site).get('/api/health', headers)
      assert.deepEqual([answer.status, answer.text, answer.setCookies], [200, '{"status":"ok"}', []])
    })

    it('answers HEAD without a body', async () => {
      const answer = await newCaller(target, site).send('HEAD', '/api/health')
      assert.deepEqual([answer.status, answer.text], [200, ''])
    })

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      it(`says to ${method} which methods there are`, async () => {
        const answer = await newCaller(target, site).send(method, '/api/health')
        assertProblem(answer, 405, 'method_not_allowed')
        assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS')
      })
    }
  })

  describe('GET /api/health/ready', () => {
    it('says that the database answers', async () => {
      const answer = await newCaller(target, site).get('/api/health/ready')
      assert.deepEqual([answer.status, answer.json()], [200, { status: 'ok', checks: { database: 'ok' } }])
      assert.equal(answer.headers.get('cache-control'), 'no-store')
    })

    it('answers HEAD without a body', async () => {
      const answer = await newCaller(target, site).send('HEAD', '/api/health/ready')
      assert.deepEqual([answer.status, answer.text], [200, ''])
    })

    withOwn(
      'is 503 while the node drains, and closes the connection, while everything else is answered',
      async (own) => {
        const node = await own.startNode({ DRAIN_MS: '60000' })
        try {
          const caller = newClient(node.url)
          node.signal('SIGTERM')
          const deadline = Date.now() + 10_000
          let answer = await caller.get('/api/health/ready')
          while (answer.status === 200 && Date.now() < deadline) answer = await caller.get('/api/health/ready')
          assert.deepEqual([answer.status, answer.json()], [503, { status: 'unavailable', checks: { database: 'ok' } }])
          assert.deepEqual([answer.headers.get('retry-after'), answer.headers.get('cache-control')], ['5', 'no-store'])
          assert.equal(answer.headers.get('connection'), 'close')
          assert.equal((await caller.get('/api/health')).status, 200)
          assert.equal((await caller.get('/api/auth/session')).status, 200)
        } finally {
          await node.kill()
        }
      },
    )
  })

  describe('while the database is away', () => {
    let node: RunningServer | undefined
    before(async () => {
      const away = `postgres://nobody:nothing@127.0.0.1:${await freePort()}/none`
      node = await target.own?.startNode({ DATABASE_URL: away })
    })
    after(() => node?.stop())
    const caller = () => newClient(node?.url ?? '')
    const token = 'x'.repeat(43)

    withOwn('GET /api/health says all the same that the process is alive', async () => {
      assert.equal((await caller().get('/api/health')).status, 200)
    })

    withOwn('GET /api/health/ready is 503, with what is missing', async () => {
      const answer = await caller().get('/api/health/ready')
      assert.deepEqual([answer.status, answer.json()], [503, { status: 'unavailable', checks: { database: 'fail' } }])
      assert.deepEqual([answer.headers.get('retry-after'), answer.headers.get('cache-control')], ['5', 'no-store'])
    })

    for (const [how, headers] of [
      ['the cookie', { cookie: `plinth.session=${token}` }],
      ['a token', { authorization: `Bearer ${token}` }],
    ] as const) {
      withOwn(`GET /api/auth/session with ${how} is 503, never null, and the cookie stays`, async () => {
        const answer = await caller().get('/api/auth/session', headers)
        assertProblem(answer, 503, 'unavailable')
        assert.deepEqual(answer.setCookies, [])
      })
    }

    for (const redirect of [true, false]) {
      withOwn(`POST /api/auth/signin with redirect: ${redirect} is 503`, async () => {
        const body = { email: 'ada@example.com', password: 'whatever it is', redirect }
        const answer = await caller().post('/api/auth/signin', body)
        assertProblem(answer, 503, 'unavailable')
        assert.deepEqual(answer.setCookies, [])
      })
    }

    withOwn('POST /api/auth/signout is 503, and the cookie stays: the session has not ended', async () => {
      const answer = await caller().post('/api/auth/signout', undefined, { cookie: `plinth.session=${token}` })
      assertProblem(answer, 503, 'unavailable')
      assert.deepEqual(answer.setCookies, [])
    })
  })
}
