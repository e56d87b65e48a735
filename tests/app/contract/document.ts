import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { root } from '../../../scripts/root.ts'
import { findMakeScope } from '../matrix/scopes.ts'
import { Contract, contractOf, documentPath } from './openapi-contract.ts'
import { newCaller, type Target, testsFor } from './target.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function describePart(target: Target): void {
  const { withOwnApp } = testsFor(target)
  const [site] = target.sites

  describe(`GET ${documentPath}`, () => {
    it('is public and valid OpenAPI 3.1, or 404 without the module', async () => {
      const response = await newCaller(target, site).get(documentPath)
      if (target.ownApp ? !target.ownApp.hasModule('docs') : response.status === 404)
        return assert.equal(response.status, 404)
      assert.equal(response.status, 200)
      assert.match(response.headers.get('cache-control') ?? '', /^public\b/)
      const { valid, errors } = await new Validator().validate(response.json())
      assert.ok(valid, JSON.stringify(errors))
      const head = await newCaller(target, site).send('HEAD', documentPath)
      assert.deepEqual([head.status, head.text], [200, ''])
    })

    withOwnApp('has the cookie name and the server URL of the site', async ({ hasModule }) => {
      if (!hasModule('docs')) return
      for (const one of target.sites) {
        const { components, servers } = (await newCaller(target, one).get(documentPath)).json()
        assert.deepEqual([components.securitySchemes.cookie.name, servers], [one.sessionCookie, [{ url: one.origin }]])
      }
    })

    withOwnApp('documents exactly the handlers of the build', async ({ hasModule }) => {
      const contract = await contractOf(site.url)
      assert.equal(contract !== null, hasModule('docs'))
      if (!contract) return
      const manifest = readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8')
      // Next also lists routes that it generates, for icons and the like.
      const routes = Object.entries<string>(JSON.parse(manifest)).flatMap(([file, route]) =>
        existsSync(join(root, 'src', 'app', `${file}.ts`)) && file.endsWith('/route') ? [route] : [],
      )
      // Without a module that has scopes, their routes respond 404 to everyone.
      const hasScopes = (await findMakeScope()) !== null
      const built = routes
        .filter((route) => !route.includes('[...') && (hasScopes || !route.includes('[scope]')))
        .map((route) => route.replaceAll(/\[(\w+)\]/g, '{$1}'))
      const described = new Map(
        Object.entries(contract.document.paths).map(([path, item]) => [
          path,
          Object.keys(item).map((name) => name.toUpperCase()),
        ]),
      )
      const sorted = (names: Iterable<string>) => [...names].sort()
      // Documented paths without a route file must be below the Auth.js catch-all, which declares its paths.
      const belowCatchAll = [...described.keys()].filter((path) => !built.includes(path))
      assert.deepEqual(sorted(belowCatchAll.map((path) => path.replace(/^\/api\/auth\/(\w+).*$/, '$1'))), [
        'callback',
        'csrf',
        'error',
        'providers',
        'signin',
      ])
      assert.deepEqual(sorted([...described.keys()].filter((path) => !belowCatchAll.includes(path))), sorted(built))
      for (const [path, offered] of described) {
        const filled = path.replace('{provider}', 'google').replaceAll(/\{\w+\}/g, crypto.randomUUID())
        const caller = newCaller(target, site)
        if (belowCatchAll.includes(path)) {
          // Paths of an unconfigured provider are 404, so this uses the site that has providers.
          for (const method of methods) {
            const { status } = await caller.send(method, filled)
            assert.equal(![404, 405].includes(status), offered.includes(method), `${method} ${path}: ${status}`)
          }
        } else {
          const allow = (await caller.send('OPTIONS', filled)).headers.get('allow')?.split(', ') ?? []
          const allowed = allow.filter((method) => !['HEAD', 'OPTIONS'].includes(method))
          assert.deepEqual(sorted(offered), sorted(allowed), path)
        }
      }
    })

    it('is checked by a validator that rejects wrong responses', () => {
      const schema = { type: 'object', properties: { at: { type: 'string', format: 'date-time' } }, required: ['at'] }
      const contract = new Contract({
        components: { schemas: { Thing: schema } },
        paths: {
          '/api/things/{id}': {
            get: {
              responses: {
                200: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } } },
              },
            },
          },
        },
      })
      const mismatch = (path: string, status: number, type: string, text: string, method = 'GET') =>
        contract.mismatchOf(method, path, { status, type, text })
      const json = 'application/json; charset=utf-8'
      assert.equal(mismatch('/api/things/7', 200, json, '{"at":"2027-01-31T12:00:00.000Z"}'), null)
      assert.match(mismatch('/api/things/7', 200, json, '{"at":"tomorrow"}') ?? '', /date-time/)
      assert.match(mismatch('/api/things/7', 200, json, '{}') ?? '', /required/)
      assert.match(mismatch('/api/things/7', 200, 'text/html', '<p>') ?? '', /text\/html/)
      assert.match(mismatch('/api/things/7', 201, json, '{}') ?? '', /201 is not among 200/)
      assert.match(mismatch('/api/things/7', 200, json, '{}', 'POST') ?? '', /undocumented method/)
      assert.match(mismatch('/api/nothing', 200, json, '{}') ?? '', /undocumented path/)
      assert.equal(mismatch('/api/nothing', 404, 'application/problem+json', '{}'), null)
    })
  })
}
