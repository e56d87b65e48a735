import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { appSlug } from '@/brand'
import { errorCatalog } from '@/core/errors'
import { findScopeProvider } from '@/scope-provider'
import { root } from '../../../scripts/root.ts'
import { GET } from './api/openapi.json/route'
import { describeApi } from './document'
import { findOperations, parseRouteFile } from './routes'

const api = await describeApi()
const operations = Object.entries(api.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)
const find = (name: string) => operations.find((one) => one.name === name)?.operation

async function fetchDocument() {
  const response = await GET(new Request('http://localhost:3000/api/openapi.json'), { params: Promise.resolve({}) })
  return { response, document: await response.json() }
}

test('the document is valid OpenAPI 3.1, and the validator rejects a broken one', async () => {
  const { document } = await fetchDocument()
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  const broken = { ...document, paths: { '/x': { get: { responses: { 200: {} } } } } }
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})

test('the document is public and cacheable', async () => {
  const { response } = await fetchDocument()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=300')
})

test('the document contains no settings except the URL and the cookie name', async () => {
  const { document } = await fetchDocument()
  expect(document.servers).toEqual([{ url: 'http://localhost:3000' }])
  expect(document.components.securitySchemes.cookie.name).toBe(`${appSlug}.session`)
  const text = JSON.stringify(document)
  for (const [name, value] of Object.entries(process.env)) {
    if (value && value.length >= 12 && /SECRET|URL|PASSWORD|KEY|TOKEN/.test(name) && name !== 'AUTH_URL')
      expect(text.includes(value), name).toBe(false)
  }
})

test('exactly the existing route files are documented', () => {
  const catchAll = /\[\.\.\./
  const offered = globSync('src/app/**/route.ts', { cwd: root })
    .map((file) => `/${file.replaceAll('\\', '/')}`)
    .filter((file) => !catchAll.test(file))
    // Without a module that has scopes, their routes respond 404 to everyone.
    .filter((file) => !file.includes('[scope]') || findScopeProvider())
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const methods = [...text.matchAll(/^ {2}(GET|POST|PUT|PATCH|DELETE): /gm)].map((match) => match[1])
      return methods.map((method) => `${method} ${parseRouteFile(file).path}`)
    })
  const ofAuthJs = ['GET csrf', 'GET providers', 'GET error', 'GET callback/{provider}', 'POST signin/{provider}']
  const expected = [...offered, ...ofAuthJs.map((name) => name.replace(' ', ' /api/auth/'))]
  expect(operations.map(({ name }) => name).sort()).toEqual(expected.sort())
})

describe('the path of a route file', () => {
  test('consists of the folders, without route groups, with parameters in braces', () => {
    expect(parseRouteFile('/src/app/(nobody)/api/things/[id]/(inner)/more/route.ts')).toEqual({
      owner: 'Core',
      path: '/api/things/{id}/more',
      isCatchAll: false,
    })
    expect(parseRouteFile('/src/app/(docs)/api/openapi.json/route.ts').owner).toBe('API reference')
  })

  test('of a catch-all is the part before it', () => {
    expect(parseRouteFile('/src/app/api/[[...path]]/route.ts')).toMatchObject({ path: '/api', isCatchAll: true })
    expect(parseRouteFile('/src/app/api/auth/[...rest]/route.ts')).toMatchObject({
      path: '/api/auth',
      isCatchAll: true,
    })
  })
})

describe.each(operations.map(({ name, operation }) => [name, operation] as const))('%s', (name, operation) => {
  test('has a short summary, a successful response, and its access rule', async () => {
    expect(operation.summary).toMatch(/^[A-Z].{5,60}[^.]$/)
    const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
    expect(good.length).toBeGreaterThan(0)
    for (const [status, { content, headers }] of good) {
      if (status.startsWith('3')) expect(headers).toHaveProperty('Location')
      else expect(Object.keys(content ?? {}).length).toBe(1)
    }
    const { access } = (await findOperations()).find((one) => `${one.method} ${one.path}` === name) ?? {}
    const isGuarded = access !== 'public'
    expect(operation['x-permission'] !== undefined).toBe(isGuarded)
    expect('401' in operation.responses || !isGuarded).toBe(true)
    expect(operation.security.some((scheme) => 'bearer' in scheme) || !isGuarded).toBe(true)
    if (isGuarded) expect(operation.description).toMatch(/signed in|permission/)
  })

  test('declares every path parameter, and lists each error code under its status', () => {
    const inPath = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name)
    expect(inPath).toEqual([...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
    for (const [status, { description }] of Object.entries(operation.responses)) {
      for (const [, code = ''] of description.matchAll(/`(\w+)`: /g))
        expect(errorCatalog[code as keyof typeof errorCatalog]?.status).toBe(Number(status))
    }
  })
})

test('operation ids are unique', () => {
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

test('request and response schemas are those that the handlers validate', () => {
  const signIn = find('POST /api/auth/signin')
  const body = signIn?.requestBody?.content['application/json']?.schema
  expect([body?.required, body?.properties?.redirect?.default]).toEqual([['email', 'password'], true])
  expect(Object.keys(signIn?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '302', '400', '401', '403', '413', '415', '422', '429', '500', '503']),
  )
  expect(find('POST /api/auth/signout')?.requestBody?.required).toBe(false)
  expect(Object.keys(find('GET /api/health')?.responses ?? {})).toEqual(['200', '403', '500'])
  expect(find('GET /api/auth/callback/{provider}')?.parameters[0]?.schema.enum).toEqual(
    expect.arrayContaining(['google', 'github']),
  )
  expect(api.components.schemas.Session?.properties?.user?.$ref).toBe('#/components/schemas/SessionUser')
})

test('the Problem schema lists every error code', () => {
  expect(api.components.schemas.Problem?.properties?.code?.enum).toEqual(Object.keys(errorCatalog))
})
