import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { appSlug } from '@/brand'
import { newSessionToken } from '../../tests/app/support/new-session-token'
import { asRequest } from '../../tests/app/support/next-headers'
import { definePolicy, inScopeOrApp, type Role, roles, signedIn } from './auth/policy'
import { getActor } from './auth/session/actor'
import { hashToken } from './auth/tokens/token'
import { pool } from './db/client'
import { AppError } from './errors'
import { defineHandler, definePublicHandler, defineRoute, errorCodesOf, handlersOf } from './handler'

const writers: Role[] = ['editor', 'admin']
const { can } = definePolicy({ 'things.write': writers })
const anything = { summary: 'Try it', responses: { 200: z.unknown() } }
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

describe('a response', () => {
  test('is JSON with the API headers', async () => {
    const response = await call('GET')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ page: 2, id: '7' })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('public, max-age=60')
    expect(response.headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  test('is no-store unless the handler sets a Cache-Control', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await newSessionToken('editor')}` },
      body: { name: 'Ada' },
    })
    expect(response.headers.get('cache-control')).toBe('private, no-store')
  })

  test('may be a Response, even one with immutable headers; an error Response is no-store', async () => {
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
    const redirected = await GET(new Request('http://localhost:3000/x'), context)
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, 'http://localhost:3000/y'])
    expect(redirected.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    const failed = await POST(new Request('http://localhost:3000/x', { method: 'POST' }), context)
    expect(failed.headers.get('cache-control')).toBe('private, no-store')
    const { GET: json } = defineRoute({ GET: definePublicHandler({ ...anything, run: () => Response.json({}) }) })
    const plain = await json(new Request('http://localhost:3000/x'), context)
    expect(plain.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  test('to HEAD is the same as to GET', async () => {
    expect((await call('HEAD')).status).toBe(200)
  })
})

describe('an error', () => {
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

  test('for a method that is not allowed lists the allowed ones', async () => {
    const response = await call('DELETE')
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, OPTIONS, POST, PUT, PATCH')
    const asked = await call('OPTIONS')
    expect([asked.status, asked.headers.get('cache-control')]).toEqual([204, 'private, no-store'])
  })

  test('for an unexpected error reveals nothing', async () => {
    const response = await call('PUT')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/hash|select|at .+:\d+/)
  })

  test('that is temporary has Retry-After', async () => {
    const response = await call('PATCH')
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
  })

  test('that passes is a page that tries again, if a browser opens it as a page', async () => {
    const headers = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
    const response = await call('PATCH', { headers })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await response.text()).toContain(response.headers.get('x-request-id'))
    const failed = await call('PUT', { headers })
    expect(failed.headers.get('content-type')).toMatch(/^application\/problem\+json/)
  })

  test('in a body names the field', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await newSessionToken('editor')}` },
      body: { name: 'A' },
    })
    expect(response.status).toBe(422)
    expect((await response.json()).errors).toEqual({ name: ['Too short'] })
  })

  test('for a body that is too large comes before parsing', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await newSessionToken('editor')}` },
      body: { name: 'x'.repeat(20_000) },
    })
    expect(response.status).toBe(413)
  })
})

describe('the caller', () => {
  test('gets 401 without a session, with WWW-Authenticate', async () => {
    const response = await call('POST', { body: { name: 'Ada' } })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  test.each(roles)('is allowed or rejected by the policy as %s', async (role) => {
    const token = await newSessionToken(role)
    const response = await call('POST', { headers: { authorization: `Bearer ${token}` }, body: { name: 'Ada' } })
    expect(response.status).toBe(writers.includes(role) ? 200 : 403)
  })

  test('is authorized before the body is read', async () => {
    const response = await call('POST', {
      headers: { authorization: `Bearer ${await newSessionToken('viewer')}` },
      body: { wrong: true },
    })
    expect(response.status).toBe(403)
  })

  test('is read from the cookie when there is no Authorization header', async () => {
    const response = await call('POST', {
      headers: { cookie: `${appSlug}.session=${await newSessionToken('editor')}` },
      body: { name: 'Ada' },
    })
    expect(response.status).toBe(200)
  })

  test('is read from the cookie when Authorization has another scheme, which authenticates nothing', async () => {
    const cookie = `${appSlug}.session=${await newSessionToken('editor')}`
    for (const authorization of ['Basic YTpi', `Basic ${await newSessionToken('admin')}`, 'Digest username="a"']) {
      const send = (headers: Record<string, string>) => call('POST', { headers, body: { name: 'Ada' } })
      expect((await send({ cookie, authorization })).status, authorization).toBe(200)
      expect((await send({ authorization })).status, authorization).toBe(401)
      // Such a header does not prove that the request is same-site.
      const elsewhere = { cookie, authorization, 'sec-fetch-site': 'cross-site' }
      expect((await send(elsewhere)).status, authorization).toBe(403)
    }
  })

  test('is never read from the cookie when there is a Bearer token, however malformed', async () => {
    const cookie = `${appSlug}.session=${await newSessionToken('admin')}`
    for (const authorization of [
      'Bearer',
      'Bearer x',
      'bearerish x',
      '',
      'x',
      `Bearer ${'x'.repeat(10_000)}`,
      'Bearer %00',
    ]) {
      const response = await call('POST', { headers: { cookie, authorization }, body: { name: 'Ada' } })
      expect(response.status, authorization.slice(0, 20)).toBe(401)
    }
  })

  test('is unauthenticated when two session cookies are sent', async () => {
    const cookie = `${appSlug}.session=${await newSessionToken('admin')}; ${appSlug}.session=${await newSessionToken('editor')}`
    expect((await call('POST', { headers: { cookie }, body: { name: 'Ada' } })).status).toBe(401)
  })

  test('is rejected from another site, even with a token', async () => {
    const headers = { authorization: `Bearer ${await newSessionToken('admin')}`, 'sec-fetch-site': 'cross-site' }
    const response = await call('POST', { headers, body: { name: 'Ada' } })
    expect([response.status, (await response.json()).code]).toEqual([403, 'cross_site'])
  })

  test('from another site may read public handlers only', async () => {
    const headers = { authorization: `Bearer ${await newSessionToken('admin')}`, 'sec-fetch-site': 'cross-site' }
    const ask = async (handler: ReturnType<typeof defineHandler>) => {
      const { GET } = defineRoute({ GET: handler })
      return (await GET(new Request('http://localhost:3000/api/own', { headers }), context)).status
    }
    expect(await ask(defineHandler({ ...anything, allow: signedIn, run: () => null }))).toBe(403)
    expect(await ask(definePublicHandler({ ...anything, run: () => null }))).toBe(200)
  })
})

test.each(['script', 'image', 'iframe', 'object'])('another site cannot load data as %s', async (destination) => {
  const embed = (site: string) =>
    call('GET', { headers: { 'sec-fetch-site': site, 'sec-fetch-dest': destination, 'sec-fetch-mode': 'no-cors' } })
  for (const site of ['cross-site', 'same-site']) {
    const response = await embed(site)
    expect([response.status, (await response.json()).code]).toEqual([403, 'cross_site'])
  }
  for (const site of ['same-origin', 'none']) expect((await embed(site)).status).toBe(200)
})

test('no page, not even our own, may embed a guarded response, unless it is an image', async () => {
  const authorization = `Bearer ${await newSessionToken('viewer')}`
  const ask = async (file: string, destination: string) => {
    const { GET } = defineRoute({
      GET: defineHandler({
        ...anything,
        responses: { 200: { file } },
        allow: signedIn,
        run: () => new Response('…'),
      }),
    })
    const headers = { authorization, 'sec-fetch-site': 'same-origin', 'sec-fetch-dest': destination }
    const response = await GET(new Request('http://localhost:3000/x', { headers }), context)
    return response.status === 200 ? 200 : (await response.json()).code
  }
  for (const destination of ['image', 'script', 'style', 'iframe', 'video', 'embed', 'object'])
    expect(await ask('application/zip', destination), destination).toBe('cross_site')
  for (const destination of ['document', 'empty']) expect(await ask('application/zip', destination)).toBe(200)
  expect(await ask('image/webp', 'image')).toBe(200)
})

test('another site may link to public data, fetch it by script, and embed a public file', async () => {
  for (const destination of ['document', 'empty']) {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': destination }
    expect((await call('GET', { headers })).status).toBe(200)
  }
  const { GET } = defineRoute({
    GET: definePublicHandler({ ...anything, responses: { 200: { file: 'image/webp' } }, run: () => new Response('…') }),
  })
  const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image' }
  const request = new Request('http://localhost:3000/x', { headers })
  expect((await asRequest(headers, () => GET(request, context))).status).toBe(200)
})

test('the session is read from the database once per request', async () => {
  const authorization = `Bearer ${await newSessionToken('viewer')}`
  const { GET } = defineRoute({
    GET: defineHandler({
      ...anything,
      allow: signedIn,
      run: async () => [await getActor(), await getActor()].length,
    }),
  })
  const queries = vi.spyOn(pool, 'query')
  const response = await GET(new Request('http://localhost:3000/x', { headers: { authorization } }), context)
  expect(await response.json()).toBe(2)
  expect(queries).toHaveBeenCalledTimes(1)
  queries.mockRestore()
})

test('the permission is checked again after the body has arrived', async () => {
  let runs = 0
  const { POST, PUT } = defineRoute({
    POST: defineHandler({ ...anything, allow: can('things.write'), body: z.object({}), run: () => ++runs }),
    PUT: defineHandler({
      ...anything,
      allow: can('things.write'),
      run: async ({ readUpload }) => (await readUpload(100)).length + ++runs,
    }),
  })
  const send = async (serve: typeof POST, happens: (token: string) => Promise<unknown>) => {
    const token = await newSessionToken('editor')
    const headers = { cookie: `${appSlug}.session=${token}`, 'content-type': 'application/json' }
    const body = new ReadableStream({
      async pull(controller) {
        // At this point the caller has passed the first check.
        await happens(token)
        controller.enqueue(new TextEncoder().encode('{}'))
        controller.close()
      },
    })
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    return (await asRequest(headers, () => serve(new Request('http://localhost:3000/x', init), context))).status
  }
  const change = (set: string) => (token: string) =>
    pool.query(`update users set ${set} from sessions s where s.user_id = users.id and s.token_hash = $1`, [
      hashToken(token),
    ])
  for (const serve of [POST, PUT]) {
    expect(await send(serve, async () => {})).toBe(200)
    expect(await send(serve, change(`role = 'viewer'`))).toBe(403)
    expect(await send(serve, change('suspended_at = now()'))).toBe(401)
  }
  expect(runs).toBe(2)
})

test('a handler exposes its access', () => {
  expect(defineHandler({ ...anything, allow: signedIn, run: () => null }).access).toBe(signedIn)
  expect(definePublicHandler({ ...anything, run: () => null }).access).toBe('public')
})

describe('the API description', () => {
  test('finds the handlers behind the exports of a route, and none behind other functions', () => {
    const found = handlersOf(route)
    expect(found.map(({ method }) => method)).toEqual(['GET', 'POST', 'PUT', 'PATCH'])
    expect(found[0]?.handler.operation).toMatchObject({ summary: 'Try it', query: expect.anything() })
    expect(handlersOf({ GET: async () => new Response() })).toEqual([])
  })

  test('has the error codes of defineHandler and those of the handler itself', () => {
    const errorCodes = (method: 'GET' | 'POST', handler: ReturnType<typeof defineHandler>) =>
      errorCodesOf(method, handler.access, handler.operation).sort()
    const open = definePublicHandler({ ...anything, run: () => null })
    expect(errorCodes('GET', open)).toEqual(['cross_site', 'internal'])
    const file = definePublicHandler({
      ...anything,
      responses: { 200: { file: 'image/webp' } },
      run: () => new Response(),
    })
    expect(errorCodes('GET', file)).toEqual(['internal'])
    expect(errorCodes('POST', open)).toEqual(['cross_site', 'internal'])
    const guarded = { ...anything, run: () => null, errors: ['conflict'] as const }
    const own = defineHandler({ ...guarded, allow: signedIn })
    expect(errorCodes('GET', own)).toEqual(['conflict', 'cross_site', 'internal', 'unauthenticated', 'unavailable'])
    expect(errorCodes('POST', own)).toContain('forbidden')
    const body = z.object({})
    const ofBody = ['invalid_input', 'malformed', 'too_large', 'unsupported_media_type']
    const all = errorCodes('POST', defineHandler({ ...guarded, allow: can('things.write'), body }))
    expect(all).toEqual(expect.arrayContaining([...ofBody, 'cross_site', 'forbidden', 'unauthenticated']))
    const optional = errorCodes('POST', definePublicHandler({ ...guarded, body, isBodyOptional: true }))
    for (const code of ofBody) expect(optional).not.toContain(code)
  })
})

test('an optional body that is unreadable or invalid counts as empty', async () => {
  const { POST } = defineRoute({
    POST: definePublicHandler({
      ...anything,
      body: z.object({ name: z.string().default('nobody') }),
      isBodyOptional: true,
      bodyLimit: 100,
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
  for (const body of ['', '{', 'null', '[]', '{"name":1}', JSON.stringify({ name: 'Ada'.repeat(50) })])
    expect(await send('application/json', body), body).toEqual([200, 'nobody'])
})

test('a permission of a scope or the app is decided in the app when the path has no parameters', async () => {
  const scoped = definePolicy({ 'things.read': inScopeOrApp('editor') })
  const { GET } = defineRoute({
    GET: defineHandler({ ...anything, allow: scoped.can('things.read'), run: ({ actor }) => actor.role }),
  })
  const headers = { authorization: `Bearer ${await newSessionToken('editor')}` }
  const response = await asRequest(headers, () =>
    GET(new Request('http://localhost:3000/x', { headers }), { params: Promise.resolve(undefined) }),
  )
  expect([response.status, await response.json()]).toEqual([200, 'editor'])
})
