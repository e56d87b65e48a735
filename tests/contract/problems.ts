import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertProblem } from './shapes.ts'
import { newCaller, type Target } from './target.ts'

export function describeProblems(target: Target): void {
  const [site] = target.sites

  describe('refusals', () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      it(`${method} of an address that is not there is 404 in the words of the API`, async () => {
        for (const path of ['/api', '/api/nothing', '/api/health/nothing', '/api/demo/nothing'])
          assertProblem(await newCaller(target, site).send(method, path), 404, 'not_found')
      })
    }

    it('HEAD of an address that is not there is 404', async () => {
      assert.equal((await newCaller(target, site).send('HEAD', '/api/nothing')).status, 404)
    })

    it('carry the id that a proxy gave, and one of their own when it does not look like one', async () => {
      const ask = async (id: string) => {
        const answer = await newCaller(target, site).get('/api/nothing', { 'x-request-id': id })
        assertProblem(answer, 404, 'not_found')
        return answer.headers.get('x-request-id') ?? ''
      }
      // A proxy in front of an app that is not ours may set its own.
      if (target.own) assert.equal(await ask('from-the-proxy-1'), 'from-the-proxy-1')
      for (const id of ['short', '<script>alert(1)</script>', 'x'.repeat(100)]) assert.notEqual(await ask(id), id)
    })

    it('and answers keep browsers from guessing what they are', async () => {
      for (const path of ['/api/health', '/api/auth/session', '/api/auth/csrf', '/api/nothing']) {
        const { headers } = await newCaller(target, site).get(path)
        assert.equal(headers.get('x-content-type-options'), 'nosniff', path)
      }
    })

    // Every other code has its row where it is given.
    const hasAdmin = target.own?.hasModule('admin') ?? false
    const outOfReach = ['reauth_required', 'conflict', 'last_admin', 'internal']
    for (const code of hasAdmin ? outOfReach : ['unauthenticated', 'forbidden', ...outOfReach]) {
      it(code, { skip: 'no address of core gives it; src/core/handler.test.ts has its shape' }, () => {})
    }
  })
}
