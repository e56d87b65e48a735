import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { asRequest } from '../../tests/support/next-headers'
import { signedInAs } from '../../tests/support/people'
import { requireActor } from './auth/actor'
import { definePolicy, roles, signedIn } from './auth/policy'
import { pool } from './db/client'
import { AppError } from './errors'
import { defineHandler, definePublicHandler, defineRoute, handlersOf, refusalsOf } from './handler'

const { can } = definePolicy({ 'things.write': ['editor', 'admin'] })
const anything = { summary: 'Try it', answers: { 200: z.unknown() } }
const context = { params: Promise.resolve({ id: '7' }) }

const route = defineRoute({
  GET: definePublicHandler({
    ...anything,
    query: z.object({ page: z.coerce.number().int().min(1) }),
    params: z.object({ id: z.string() }),
    cache: 'public, max-age=60',
    run: ({ query, params }) => ({ ...query, ...params }),
  }),
  POST: defineHandler({
    ...anything,
    allow: can('things.write'),
    body: z.object({ name: z.string().min(2, 'Too short') }),
    run: ({ body, actor }) => ({ name: body.name, by: actor.role }),
  }),
  PUT: definePublicHandler({
    ...anything,
    run: () => {
      throw new Error('select hash from passwords failed')
    },
  }),
  PATCH: definePublicHandler({
    ...anything,
    run: () => {
      throw new AppError('rate_limited', undefined, { retryAfter: 30 })
    },
  }),
})

function call(
  method: keyof typeof route,
  { url = '/x?page=2', headers = {}, body }: { url?: string; headers?: Record<string, string>; body?: unknown } = {},
) {
  const all = { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers }
  const request = new Request(`http://localhost:3000${url}`, {
    method,
    headers: all,
    body: body === undefined ? null : JSON.stringify(body),
  })
  return asRequest(all, () => route[method](request, context))
}

describe('an answer', () => {
  test('is JSON with its headers', async () => {
    const response = await call('GET')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ page: 2, id: '7' })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('is stored by nobody unless the handler says so', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await signedInAs('editor')}` },
      body: { name: 'Ada' },
    })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('may be a Response, even one whose headers cannot be changed; a refusal in that form is stored by nobody', async () => {
    const { GET, POST } = defineRoute({
      GET: definePublicHandler({
        ...anything,
        cache: 'public, max-age=60',
        run: () => Response.redirect('http://localhost:3000/y'),
      }),
      POST: definePublicHandler({
        ...anything,
        cache: 'public, max-age=60',
        run: () => new Response('no', { status: 410 }),
      }),
    })
    const moved = await GET(new Request('http://localhost:3000/x'), context)
    expect([moved.status, moved.headers.get('location')]).toEqual([302, 'http://localhost:3000/y'])
    expect(moved.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    const gone = await POST(new Request('http://localhost:3000/x', { method: 'POST' }), context)
    expect(gone.headers.get('cache-control')).toBe('private, no-store')
    const { GET: json } = defineRoute({ GET: definePublicHandler({ ...anything, run: () => Response.json({}) }) })
    const plain = await json(new Request('http://localhost:3000/x'), context)
    expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('to HEAD is the one to GET', async () => {
    expect((await call('HEAD')).status).toBe(200)
  })
})

describe('a refusal', () => {
  test('is problem+json with code, title, status, detail and instance', async () => {
    const response = await call('GET', { url: '/x?page=none' })
    expect(response.status).toBe(422)
    expect(response.headers.get('content-type')).toBe('application/problem+json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    const body = await response.json()
    expect(Object.keys(body).sort()).toEqual(['code', 'detail', 'errors', 'instance', 'status', 'title', 'type'])
    expect(body).toMatchObject({ code: 'invalid_input', status: 422, errors: { page: [expect.any(String)] } })
    expect(body.instance).toContain(response.headers.get('x-request-id'))
  })

  test('of a method says which ones there are', async () => {
    const response = await call('DELETE')
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, PUT, PATCH')
    const asked = await call('OPTIONS')
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([204, 'private, no-store'])
  })

  test('for a bug says nothing about it', async () => {
    const response = await call('PUT')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/hash|select|at .+:\d+/)
  })

  test('that passes says when to try again', async () => {
    const response = await call('PATCH')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
  })

  test('of a body names the field', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await signedInAs('editor')}` },
      body: { name: 'A' },
    })
    expect(response.status).toBe(422)
    expect((await response.json()).errors).toEqual({ name: ['Too short'] })
  })

  test('of a large body comes before it is parsed', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await signedInAs('editor')}` },
      body: { name: 'x'.repeat(20_000) },
    })
    expect(response.status).toBe(413)
  })
})

describe('who may', () => {
  test('is answered with 401 to nobody, and asks for a token', async () => {
    const response = await call('POST', { body: { name: 'Ada' } })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test.each(roles)('follows the table for %s', async (role) => {
    const token = await signedInAs(role)
    const response = await call('POST', { headers: { authorization: `Bearer ${token}` }, body: { name: 'Ada' } })
    expect(response.status).toBe(role === 'viewer' ? 403 : 200)
  })

  test('is decided before the body is looked at', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await signedInAs('viewer')}` },
      body: { wrong: true },
    })
    expect(response.status).toBe(403)
  })

  test('is read from the cookie when there is no Authorization header', async () => {
    const response = await call('POST', {
      headers: { cookie: `plinth.session=${await signedInAs('editor')}` },
      body: { name: 'Ada' },
    })
    expect(response.status).toBe(200)
  })

  test('is never taken from the cookie when there is one, however broken', async () => {
    const cookie = `plinth.session=${await signedInAs('admin')}`
    for (const authorization of ['Bearer', 'Bearer x', 'Basic YTpi', `Bearer ${'x'.repeat(10_000)}`, 'Bearer %00']) {
      const response = await call('POST', { headers: { cookie, authorization }, body: { name: 'Ada' } })
      expect(response.status, authorization.slice(0, 20)).toBe(401)
    }
  })

  test('is nobody when two cookies of the name arrive', async () => {
    const cookie = `plinth.session=${await signedInAs('admin')}; plinth.session=${await signedInAs('editor')}`
    expect((await call('POST', { headers: { cookie }, body: { name: 'Ada' } })).status).toBe(401)
  })

  test('does not matter for a request from another site', async () => {
    const headers = { authorization: `Bearer ${await signedInAs('admin')}`, 'sec-fetch-site': 'cross-site' }
    const response = await call('POST', { headers, body: { name: 'Ada' } })
    expect([response.status, (await response.json()).code]).toEqual([403, 'cross_site'])
  })

  test('shows nothing to another site, which may read what is for everybody', async () => {
    const headers = { authorization: `Bearer ${await signedInAs('admin')}`, 'sec-fetch-site': 'cross-site' }
    const ask = async (handler: ReturnType<typeof defineHandler>) => {
      const { GET } = defineRoute({ GET: handler })
      return (await GET(new Request('http://localhost:3000/api/own', { headers }), context)).status
    }
    expect(await ask(defineHandler({ ...anything, allow: signedIn, run: () => null }))).toBe(403)
    expect(await ask(definePublicHandler({ ...anything, run: () => null }))).toBe(200)
  })
})

test.each(['script', 'image', 'iframe', 'object'])('data is no %s for a page of another site', async (destination) => {
  const embed = (site: string) =>
    call('GET', { headers: { 'sec-fetch-site': site, 'sec-fetch-dest': destination, 'sec-fetch-mode': 'no-cors' } })
  for (const site of ['cross-site', 'same-site']) {
    const response = await embed(site)
    expect([response.status, (await response.json()).code]).toEqual([403, 'cross_site'])
  }
  for (const site of ['same-origin', 'none']) expect((await embed(site)).status).toBe(200)
})

test('another site may lead to data, may ask for it by script, and may show a file', async () => {
  for (const destination of ['document', 'empty']) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': destination }
    expect((await call('GET', { headers })).status).toBe(200)
  }
  const { GET } = defineRoute({
    GET: definePublicHandler({ ...anything, answers: { 200: { file: 'image/webp' } }, run: () => new Response('…') }),
  })
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
  const request = new Request('http://localhost:3000/x', { headers })
  expect((await asRequest(headers, () => GET(request, context))).status).toBe(200)
})

test('who is calling is asked of the database once, however many places ask', async () => {
  const authorization = `Bearer ${await signedInAs('viewer')}`
  const { GET } = defineRoute({
    GET: defineHandler({
      ...anything,
      allow: signedIn,
      run: async () => [await requireActor(), await requireActor()].length,
    }),
  })
  const queries = vi.spyOn(pool, 'query')
  const response = await GET(new Request('http://localhost:3000/x', { headers: { authorization } }), context)
  expect(await response.json()).toBe(2)
  expect(queries).toHaveBeenCalledTimes(1)
  queries.mockRestore()
})

test('requireActor returns the caller, and refuses nobody', async () => {
  const authorization = `Bearer ${await signedInAs('viewer')}`
  await expect(asRequest({ authorization }, requireActor)).resolves.toMatchObject({ role: 'viewer' })
  await expect(asRequest({}, requireActor)).rejects.toMatchObject({ code: 'unauthenticated' })
})

test('a handler knows who may, for those who list handlers', () => {
  expect(defineHandler({ ...anything, allow: signedIn, run: () => null }).access).toBe(signedIn)
  expect(definePublicHandler({ ...anything, run: () => null }).access).toBe('public')
})

describe('those who describe the API', () => {
  test('find the handlers behind the exports of a route, and none behind other functions', () => {
    const found = handlersOf(route)
    expect(found.map(({ method }) => method)).toEqual(['GET', 'POST', 'PUT', 'PATCH'])
    expect(found[0]?.handler.operation).toMatchObject({ summary: 'Try it', query: expect.anything() })
    expect(handlersOf({ GET: async () => new Response() })).toEqual([])
  })

  test('know what a call is refused with before it runs, and what it refuses by itself', () => {
    const refusals = (method: 'GET' | 'POST', handler: ReturnType<typeof defineHandler>) =>
      refusalsOf(method, handler.access, handler.operation).sort()
    const open = definePublicHandler({ ...anything, run: () => null })
    expect(refusals('GET', open)).toEqual(['cross_site', 'internal'])
    const file = definePublicHandler({
      ...anything,
      answers: { 200: { file: 'image/webp' } },
      run: () => new Response(),
    })
    expect(refusals('GET', file)).toEqual(['internal'])
    expect(refusals('POST', open)).toEqual(['cross_site', 'internal'])
    const guarded = { ...anything, run: () => null, refuses: ['conflict'] as const }
    const own = defineHandler({ ...guarded, allow: signedIn })
    expect(refusals('GET', own)).toEqual(['conflict', 'cross_site', 'internal', 'unauthenticated', 'unavailable'])
    expect(refusals('POST', own)).toContain('forbidden')
    const body = z.object({})
    const ofBody = ['invalid_input', 'malformed', 'too_large', 'unsupported_media_type']
    const all = refusals('POST', defineHandler({ ...guarded, allow: can('things.write'), body }))
    expect(all).toEqual(expect.arrayContaining([...ofBody, 'cross_site', 'forbidden', 'unauthenticated']))
    const optional = refusals('POST', definePublicHandler({ ...guarded, body, isBodyOptional: true }))
    expect(optional).not.toContain('unsupported_media_type')
  })
})

test('a body that may be left out is read when it is JSON, and counts as empty otherwise', async () => {
  const { POST } = defineRoute({
    POST: definePublicHandler({
      ...anything,
      body: z.object({ name: z.string().default('nobody') }),
      isBodyOptional: true,
      run: ({ body }) => body.name,
    }),
  })
  const send = async (type: string | undefined, body: string) => {
    const headers = type === undefined ? undefined : { 'content-type': type }
    const request = new Request('http://localhost:3000/x', { method: 'POST', body, ...(headers && { headers }) })
    const response = await POST(request, context)
    return [response.status, response.status === 200 && (await response.json())]
  }
  expect(await send('application/json', '{"name":"Ada"}')).toEqual([200, 'Ada'])
  expect(await send('application/x-www-form-urlencoded', 'name=Ada')).toEqual([200, 'nobody'])
  expect(await send(undefined, '')).toEqual([200, 'nobody'])
  expect(await send('application/json', '{')).toEqual([400, false])
})
