import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import { root } from '../../scripts/root.ts'
import { address, Contract, contractOf } from './described.ts'
import { newCaller, rowsFor, type Target } from './target.ts'

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

export function describeDocument(target: Target): void {
  const { withOwn } = rowsFor(target)
  const [site] = target.sites

  describe(`GET ${address}`, () => {
    it('is OpenAPI 3.1 for anybody, or is not there without the module', async () => {
      const answer = await newCaller(target, site).get(address)
      if (target.own ? !target.own.hasModule('docs') : answer.status === 404) return assert.equal(answer.status, 404)
      assert.equal(answer.status, 200)
      assert.match(answer.headers.get('cache-control') ?? '', /^public\b/)
      const { valid, errors } = await new Validator().validate(answer.json())
      assert.ok(valid, JSON.stringify(errors))
      const head = await newCaller(target, site).send('HEAD', address)
      assert.deepEqual([head.status, head.text], [200, ''])
    })

    withOwn('names the cookie that this address sets', async ({ hasModule }) => {
      if (!hasModule('docs')) return
      for (const one of target.sites) {
        const { components, servers } = (await newCaller(target, one).get(address)).json()
        assert.deepEqual([components.securitySchemes.cookie.name, servers], [one.sessionCookie, [{ url: one.origin }]])
      }
    })

    withOwn('has every handler of the build and nothing else', async ({ hasModule }) => {
      const contract = await contractOf(site.url)
      assert.equal(contract !== null, hasModule('docs'))
      if (!contract) return
      const manifest = readFileSync(join(root, '.next', 'app-path-routes-manifest.json'), 'utf8')
      // Next makes routes of its own of icons and the like.
      const routes = Object.entries<string>(JSON.parse(manifest)).flatMap(([file, route]) =>
        existsSync(join(root, 'src', 'app', `${file}.ts`)) && file.endsWith('/route') ? [route] : [],
      )
      const built = routes
        .filter((route) => !route.includes('[...'))
        .map((route) => route.replaceAll(/\[(\w+)\]/g, '{$1}'))
      const described = new Map(
        Object.entries(contract.document.paths).map(([path, item]) => [
          path,
          Object.keys(item).map((name) => name.toUpperCase()),
        ]),
      )
      const inWords = (names: Iterable<string>) => [...names].sort()
      // What is no route of its own must be below one that takes everything: there the app itself says what it knows.
      const below = [...described.keys()].filter((path) => !built.includes(path))
      assert.deepEqual(inWords(below.map((path) => path.replace(/^\/api\/auth\/(\w+).*$/, '$1'))), [
        'callback',
        'csrf',
        'error',
        'providers',
        'signin',
      ])
      assert.deepEqual(inWords([...described.keys()].filter((path) => !below.includes(path))), inWords(built))
      for (const [path, offered] of described) {
        const filled = path.replace('{provider}', 'google').replaceAll(/\{\w+\}/g, crypto.randomUUID())
        const caller = newCaller(target, site)
        if (below.includes(path)) {
          // Of a provider that is not configured there is nothing, so the site with providers is asked.
          for (const method of methods) {
            const { status } = await caller.send(method, filled)
            assert.equal(![404, 405].includes(status), offered.includes(method), `${method} ${path}: ${status}`)
          }
        } else {
          const allow = (await caller.send('OPTIONS', filled)).headers.get('allow')?.split(', ') ?? []
          const answered = allow.filter((method) => !['HEAD', 'OPTIONS'].includes(method))
          assert.deepEqual(inWords(offered), inWords(answered), path)
        }
      }
    })

    it('would not let a wrong answer pass', () => {
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
      const fault = (path: string, status: number, type: string, text: string, method = 'GET') =>
        contract.faultOf(method, path, { status, type, text })
      const json = 'application/json; charset=utf-8'
      assert.equal(fault('/api/things/7', 200, json, '{"at":"2027-01-31T12:00:00.000Z"}'), null)
      assert.match(fault('/api/things/7', 200, json, '{"at":"tomorrow"}') ?? '', /date-time/)
      assert.match(fault('/api/things/7', 200, json, '{}') ?? '', /required/)
      assert.match(fault('/api/things/7', 200, 'text/html', '<p>') ?? '', /text\/html/)
      assert.match(fault('/api/things/7', 201, json, '{}') ?? '', /201 is not among 200/)
      assert.match(fault('/api/things/7', 200, json, '{}', 'POST') ?? '', /method that is not there/)
      assert.match(fault('/api/nothing', 200, json, '{}') ?? '', /not there/)
      assert.equal(fault('/api/nothing', 404, 'application/problem+json', '{}'), null)
    })
  })
}
