import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, test } from 'vitest'
import { catalogue } from '@/core/errors'
import { root } from '../../../scripts/root.ts'
import { GET } from './api/openapi.json/route'
import { describeApi } from './document'
import { addressOf, findDescribed } from './routes'

const api = await describeApi()
const operations = Object.entries(api.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
)
const find = (name: string) => operations.find((one) => one.name === name)?.operation

async function served() {
  const response = await GET(new Request('http://localhost:3000/api/openapi.json'), { params: Promise.resolve({}) })
  return { response, document: await response.json() }
}

test('the document is OpenAPI 3.1, and a wrong one would not pass', async () => {
  const { document } = await served()
  expect(await new Validator().validate(document)).toMatchObject({ valid: true })
  const broken = { ...document, paths: { '/x': { get: { responses: { 200: {} } } } } }
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false })
})

test('the document is for anybody, may be kept for a while, and is made once', async () => {
  const { response } = await served()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('public, max-age=300')
})

test('the document holds no setting but the address and the name of the cookie', async () => {
  const { document } = await served()
  expect(document.servers).toEqual([{ url: 'http://localhost:3000' }])
  expect(document.components.securitySchemes.cookie.name).toBe('plinth.session')
  const text = JSON.stringify(document)
  for (const [name, value] of Object.entries(process.env)) {
    if (value && value.length >= 12 && /SECRET|URL|PASSWORD|KEY|TOKEN/.test(name) && name !== 'AUTH_URL')
      expect(text.includes(value), name).toBe(false)
  }
})

test('every route file is described, and nothing else is', () => {
  const catchAll = /\[\.\.\./
  const offered = globSync('src/app/**/route.ts', { cwd: root })
    .map((file) => `/${file.replaceAll('\\', '/')}`)
    .filter((file) => !catchAll.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      const methods = [...text.matchAll(/^ {2}(GET|POST|PUT|PATCH|DELETE): /gm)].map((match) => match[1])
      return methods.map((method) => `${method} ${addressOf(file).path}`)
    })
  const ofAuthJs = ['GET csrf', 'GET providers', 'GET error', 'GET callback/{provider}', 'POST signin/{provider}']
  const expected = [...offered, ...ofAuthJs.map((name) => name.replace(' ', ' /api/auth/'))]
  expect(operations.map(({ name }) => name).sort()).toEqual(expected.sort())
})

describe('an address', () => {
  test('is made of folders, without groups, and with names in braces', () => {
    expect(addressOf('/src/app/(nobody)/api/things/[id]/(inner)/more/route.ts')).toEqual({
      owner: 'Core',
      path: '/api/things/{id}/more',
      isCatchAll: false,
    })
    expect(addressOf('/src/app/(docs)/api/openapi.json/route.ts').owner).toBe('API reference')
  })

  test('of a catch-all is what stands before it', () => {
    expect(addressOf('/src/app/api/[[...path]]/route.ts')).toMatchObject({ path: '/api', isCatchAll: true })
    expect(addressOf('/src/app/api/auth/[...rest]/route.ts')).toMatchObject({ path: '/api/auth', isCatchAll: true })
  })
})

describe.each(operations.map(({ name, operation }) => [name, operation] as const))('%s', (name, operation) => {
  test('says in a few words what it does, what it answers, and who may', async () => {
    expect(operation.summary).toMatch(/^[A-Z].{5,60}[^.]$/)
    const good = Object.entries(operation.responses).filter(([status]) => Number(status) < 400)
    expect(good.length).toBeGreaterThan(0)
    for (const [status, { content, headers }] of good) {
      if (status.startsWith('3')) expect(headers).toHaveProperty('Location')
      else expect(Object.keys(content ?? {}).length).toBe(1)
    }
    const { access } = (await findDescribed()).find((one) => `${one.method} ${one.path}` === name) ?? {}
    const isGuarded = access !== 'public'
    expect(operation['x-permission'] !== undefined).toBe(isGuarded)
    expect('401' in operation.responses || !isGuarded).toBe(true)
    expect(operation.security.some((way) => 'bearer' in way) || !isGuarded).toBe(true)
    if (isGuarded) expect(operation.description).toMatch(/signed in|permission/)
  })

  test('names every part of its path, and gives each code under its own status', () => {
    const inPath = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name)
    expect(inPath).toEqual([...name.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
    for (const [status, { description }] of Object.entries(operation.responses)) {
      for (const [, code = ''] of description.matchAll(/`(\w+)`: /g))
        expect(catalogue[code as keyof typeof catalogue]?.status).toBe(Number(status))
    }
  })
})

test('names of operations are told apart', () => {
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
})

test('input and answers are the schemas that handlers check', () => {
  const signIn = find('POST /api/auth/signin')
  const body = signIn?.requestBody?.content['application/json']?.schema
  expect([body?.required, body?.properties?.redirect?.default]).toEqual([['email', 'password'], true])
  expect(Object.keys(signIn?.responses ?? {})).toEqual(
    expect.arrayContaining(['200', '302', '400', '401', '403', '413', '415', '422', '429', '500', '503']),
  )
  expect(find('POST /api/auth/signout')?.requestBody?.required).toBe(false)
  expect(Object.keys(find('GET /api/health')?.responses ?? {})).toEqual(['200', '403', '500'])
  expect(find('GET /api/auth/callback/{provider}')?.parameters[0]?.schema.enum).toEqual(['google', 'github'])
  expect(api.components.schemas.Session?.properties?.user?.$ref).toBe('#/components/schemas/Person')
})

test('every code that there is is in the one schema of a refusal', () => {
  expect(api.components.schemas.Problem?.properties?.code?.enum).toEqual(Object.keys(catalogue))
})
