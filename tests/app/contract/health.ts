import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findFreePort } from '../../../scripts/ports.ts'
import { appSlug } from '../../../src/brand.ts'
import { createDatabase, dropDatabase } from '../support/database.ts'
import type { RunningServer } from '../support/server.ts'
import { assertProblem } from './assertions.ts'
import { newClient } from './client.ts'
import { newCaller, type Target, testsFor } from './target.ts'

export function describePart(target: Target): void {
  const { withOwnApp } = testsFor(target)
  const [site] = target.sites

  describe('GET /api/health', () => {
    it('is status ok, not cached, without a cookie', async () => {
      const response = await newCaller(target, site).get('/api/health')
      assert.deepEqual([response.status, response.text], [200, '{"status":"ok"}'])
      assert.equal(response.headers.get('cache-control'), 'no-store')
      assert.deepEqual(response.setCookies, [])
    })

    it('is the same for a caller with an invalid cookie and token', async () => {
      const headers = { cookie: `${site.sessionCookie}=${'x'.repeat(43)}`, authorization: 'Bearer nobody' }
      const response = await newCaller(target, site).get('/api/health', headers)
      assert.deepEqual([response.status, response.text, response.setCookies], [200, '{"status":"ok"}', []])
    })

    it('responds to HEAD without a body', async () => {
      const response = await newCaller(target, site).send('HEAD', '/api/health')
      assert.deepEqual([response.status, response.text], [200, ''])
    })

    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      it(`responds to ${method} with 405 and Allow`, async () => {
        const response = await newCaller(target, site).send(method, '/api/health')
        assertProblem(response, 405, 'method_not_allowed')
        assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS')
      })
    }
  })

  describe('GET /api/health/ready', () => {
    it('reports that the database is reachable', async () => {
      const response = await newCaller(target, site).get('/api/health/ready')
      assert.deepEqual([response.status, response.json()], [200, { status: 'ok', checks: { database: 'ok' } }])
      assert.equal(response.headers.get('cache-control'), 'no-store')
    })

    it('responds to HEAD without a body', async () => {
      const response = await newCaller(target, site).send('HEAD', '/api/health/ready')
      assert.deepEqual([response.status, response.text], [200, ''])
    })

    withOwnApp(
      'is 503 and closes the connection while the process drains, and everything else still works',
      async (ownApp) => {
        const node = await ownApp.startNode({ DRAIN_MS: '60000' })
        try {
          const caller = newClient(node.url)
          node.signal('SIGTERM')
          const deadline = Date.now() + 10_000
          let response = await caller.get('/api/health/ready')
          while (response.status === 200 && Date.now() < deadline) response = await caller.get('/api/health/ready')
          assert.deepEqual(
            [response.status, response.json()],
            [503, { status: 'unavailable', checks: { database: 'ok' } }],
          )
          assert.deepEqual(
            [response.headers.get('retry-after'), response.headers.get('cache-control')],
            ['5', 'no-store'],
          )
          assert.equal(response.headers.get('connection'), 'close')
          assert.equal((await caller.get('/api/health')).status, 200)
          assert.equal((await caller.get('/api/auth/session')).status, 200)
        } finally {
          await node.kill()
        }
      },
    )
  })

  withOwnApp(
    'GET /api/health/ready is 503 on a database without the tables, and names the migrations',
    async (ownApp) => {
      const server = process.env.DATABASE_URL ?? ''
      const database = await createDatabase(server)
      const node = await ownApp.startNode({ DATABASE_URL: database.url, WORKER: 'apart' })
      try {
        const response = await newClient(node.url).get('/api/health/ready')
        const { status, checks } = response.json()
        assert.deepEqual([response.status, status, checks.database], [503, 'unavailable', 'ok'])
        assert.ok(checks.pendingMigrations.includes('core/0000_init'), checks.pendingMigrations)
        assert.match(node.output(), /migrations are pending/)
      } finally {
        await node.stop()
        await dropDatabase(server, database.name)
      }
    },
  )

  describe('while the database is down', () => {
    let node: RunningServer | undefined
    before(async () => {
      const unreachableUrl = `postgres://nobody:nothing@127.0.0.1:${await findFreePort()}/none`
      node = await target.ownApp?.startNode({ DATABASE_URL: unreachableUrl })
    })
    after(() => node?.stop())
    const caller = () => newClient(node?.url ?? '')
    const token = 'x'.repeat(43)

    withOwnApp('GET /api/health still reports that the process is alive', async () => {
      assert.equal((await caller().get('/api/health')).status, 200)
    })

    withOwnApp('GET /api/health/ready is 503, with the failed check', async () => {
      const response = await caller().get('/api/health/ready')
      assert.deepEqual(
        [response.status, response.json()],
        [503, { status: 'unavailable', checks: { database: 'fail' } }],
      )
      assert.deepEqual([response.headers.get('retry-after'), response.headers.get('cache-control')], ['5', 'no-store'])
    })

    for (const [how, headers] of [
      ['the cookie', { cookie: `${appSlug}.session=${token}` }],
      ['a token', { authorization: `Bearer ${token}` }],
    ] as const) {
      withOwnApp(`GET /api/auth/session with ${how} is 503, never null, and the cookie is not cleared`, async () => {
        const response = await caller().get('/api/auth/session', headers)
        assertProblem(response, 503, 'unavailable')
        assert.deepEqual(response.setCookies, [])
      })
    }

    for (const redirect of [true, false]) {
      withOwnApp(`POST /api/auth/signin with redirect: ${redirect} is 503`, async () => {
        const body = { email: 'ada@example.com', password: 'whatever it is', redirect }
        const response = await caller().post('/api/auth/signin', body)
        assertProblem(response, 503, 'unavailable')
        assert.deepEqual(response.setCookies, [])
      })
    }

    withOwnApp(
      'POST /api/auth/signout is 503, and the cookie is not cleared, because the session has not ended',
      async () => {
        const response = await caller().post('/api/auth/signout', undefined, { cookie: `${appSlug}.session=${token}` })
        assertProblem(response, 503, 'unavailable')
        assert.deepEqual(response.setCookies, [])
      },
    )
  })
}
