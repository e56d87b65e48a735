import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from './assertions.ts'
import { newCaller, type Target } from './target.ts'

export function describePart(target: Target): void {
  const [site] = target.sites

  describe('errors', () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      it(`${method} of an unknown path is a 404 problem`, async () => {
        for (const path of ['/api', '/api/nothing', '/api/health/nothing', '/api/demo/nothing'])
          assertProblem(await newCaller(target, site).send(method, path), 404, 'not_found')
      })
    }

    it('HEAD of an unknown path is 404', async () => {
      assert.equal((await newCaller(target, site).send('HEAD', '/api/nothing')).status, 404)
    })

    it('have the X-Request-Id of the request, or a new id if that one is invalid', async () => {
      const requestWithId = async (id: string) => {
        const response = await newCaller(target, site).get('/api/nothing', { 'x-request-id': id })
        assertProblem(response, 404, 'not_found')
        return response.headers.get('x-request-id') ?? ''
      }
      // A proxy in front of a remote app may set its own id.
      if (target.ownApp) assert.equal(await requestWithId('from-the-proxy-1'), 'from-the-proxy-1')
      for (const id of ['short', '<script>alert(1)</script>', 'x'.repeat(100)])
        assert.notEqual(await requestWithId(id), id)
    })

    it('and successful responses have nosniff', async () => {
      for (const path of ['/api/health', '/api/auth/session', '/api/auth/csrf', '/api/nothing']) {
        const { headers } = await newCaller(target, site).get(path)
        assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      }
    })

    // Every other error code is tested where it occurs.
    const hasAdmin = target.ownApp?.hasModule('admin') ?? false
    const untestedCodes = ['reauth_required', 'conflict', 'last_admin', 'internal']
    for (const code of hasAdmin ? untestedCodes : ['unauthenticated', 'forbidden', ...untestedCodes]) {
      it(code, { skip: 'no route of core returns it; src/core/handler.test.ts tests its shape' }, () => {})
    }
  })
}
