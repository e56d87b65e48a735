import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as nextConstants from 'next/dist/lib/constants'
import { filterInternalHeaders } from 'next/dist/server/lib/server-ipc/utils'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { isUnreadAction, markFailure, noteAction } from './failed-pages'
import { hardenHttp } from './harden'

const actionPolicy = "default-src 'self'; script-src 'nonce-abc'"
let isUnreadDuringAction: boolean | undefined
const server = createServer((request, response) => {
  if (request.url === '/page') response.setHeader('Content-Security-Policy', "default-src 'self'")
  response.setHeader('Cache-Control', 's-maxage=31536000')
  response.setHeader('Content-Type', 'text/plain')
  if (request.url === '/feed') {
    response.setHeader('Content-Security-Policy', "script-src 'nonce-abc'")
    response.setHeader('Cache-Control', 'public, max-age=300')
  }
  if (request.url === '/action') {
    noteAction(actionPolicy)
    response.setHeader('Content-Security-Policy', actionPolicy)
    isUnreadDuringAction = isUnreadAction('POST', actionPolicy)
  }
  if (request.url === '/redirect') response.statusCode = 307
  if (request.url === '/failed') response.statusCode = 500
  if (request.url === '/static') response.setHeader('ETag', '"etag"')
  response.setHeader('X-Request-Id', String(request.headers['x-request-id']))
  response.end(JSON.stringify([request.url, request.headers.authorization, request.headers]))
})
beforeAll(async () => {
  hardenHttp()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

type SeenRequest = [url: string, authorization: string | null, headers: Record<string, string>]

const headersSeen = async (headers: Record<string, string>) => (await seen('/', headers))[2]

function seen(path: string, headers: Record<string, string | string[]> = {}): Promise<SeenRequest> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve) =>
    request({ host: '127.0.0.1', port, path, headers }, (response) =>
      response.on('data', (text) => resolve(JSON.parse(text))),
    ).end(),
  )
}

test('every response has nosniff', async () => {
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

test('every response has HSTS', async () => {
  const { port } = server.address() as AddressInfo
  for (const method of ['GET', 'POST']) {
    const { headers } = await fetch(`http://127.0.0.1:${port}/`, { method })
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  }
})

test('a response without a policy gets the default policy; one with a policy keeps it', async () => {
  const { port } = server.address() as AddressInfo
  for (const method of ['GET', 'POST']) {
    const policyOf = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method })).headers.get('content-security-policy')
    expect(await policyOf('/data')).toMatch(/^default-src 'none';.* object-src 'none';.* frame-ancestors 'none'$/)
    expect(await policyOf('/page')).toBe("default-src 'self'")
  }
})

test.each(['POST', 'PUT', 'DELETE'])('the response to %s is no-store and has a charset', async (method) => {
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`, { method })
  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('the response to a read keeps its own Cache-Control', async () => {
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  expect(headers.get('cache-control')).toBe('s-maxage=31536000')
})

test('a page that failed because of an outage is 503 with Retry-After, or because of its request 400; any other is 500', async () => {
  const { port } = server.address() as AddressInfo
  const ask = async (id: string) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/failed`, { headers: { 'x-request-id': id } })
    return [status, headers.get('retry-after')]
  }
  markFailure('first', 503)
  expect(await ask('first')).toEqual([503, '5'])
  expect(await ask('first')).toEqual([500, null])
  markFailure('second', 400)
  expect(await ask('second')).toEqual([400, null])
  expect(await ask('third')).toEqual([500, null])
})

test('that an action has begun is known until its response is over, and takes no memory after that', async () => {
  const { port } = server.address() as AddressInfo
  await (await fetch(`http://127.0.0.1:${port}/action`, { method: 'POST' })).text()
  expect(isUnreadDuringAction).toBe(false)
  await expect.poll(() => isUnreadAction('POST', actionPolicy)).toBe(true)
})

test('two Authorization headers are ignored, one is left as it is', async () => {
  expect((await seen('/'))[1]).toBeNull()
  expect((await seen('/', { authorization: 'Bearer one' }))[1]).toBe('Bearer one')
  expect((await seen('/', { authorization: ['Bearer one', 'Bearer two'] }))[1]).toBe('')
  expect((await seen('/', { authorization: ['', 'Bearer two'] }))[1]).toBe('')
  expect((await seen('/', { authorization: ['Bearer one', ''] }))[1]).toBe('')
})

test('every header that Next sends to itself is dropped, by Next or here', async () => {
  const names = Object.entries(nextConstants).flatMap(([key, value]) =>
    key.endsWith('_HEADER') && typeof value === 'string' && !value.includes('/') ? [value] : [],
  )
  expect(names.length).toBeGreaterThan(7)
  const headers = await headersSeen(Object.fromEntries(names.map((name) => [name, 'forged'])))
  filterInternalHeaders(headers)
  // The first is for browsers to send, the second is part of responses.
  const harmless = ['x-nextjs-deployment-id', 'x-next-cache-tags']
  expect(names.filter((name) => name in headers && !harmless.includes(name))).toEqual([])
})

test('a caller can forge neither internal headers of Next nor the IP of the socket', async () => {
  const headers = {
    'x-middleware-prefetch': '1',
    'x-action-forwarded': '1',
    'x-plinth-socket-address': '192.0.2.1',
    'x-plinth-process-secret': 'guess',
    'x-kept': '1',
  }
  const first = await headersSeen(headers)
  expect(first).toMatchObject({ 'x-kept': '1', 'x-plinth-socket-address': '127.0.0.1' })
  expect(first).not.toHaveProperty('x-middleware-prefetch')
  expect(first).not.toHaveProperty('x-action-forwarded')
  // A request that Next forwards to this process has the headers of the original one.
  const own = { ...headers, 'x-plinth-process-secret': String(first['x-plinth-process-secret']) }
  expect(await headersSeen(own)).toMatchObject(own)
})

test('a publicly cacheable file has no nonce in its policy', async () => {
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/feed`)
  expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'/)
})

test('the redirect of an RSC request has Vary and no-store', async () => {
  const { port } = server.address() as AddressInfo
  const ask = async (headers: Record<string, string>) =>
    (await fetch(`http://127.0.0.1:${port}/redirect`, { headers, redirect: 'manual' })).headers
  expect((await ask({ rsc: '1' })).get('vary')).toMatch(/^RSC, /)
  expect((await ask({ rsc: '1' })).get('cache-control')).toBe('private, no-store')
  expect((await ask({})).get('vary')).toBeNull()
})

test.each([
  ['/_global-error', '/_not-found'],
  ['/_global-error?x=1', '/_not-found?x=1'],
  ['/%5Fglobal-error.rsc', '/_not-found.rsc'],
  ['/_global-errors', '/_global-errors'],
  ['/path?x=http://evil.example/', '/path?x=http://evil.example/'],
  ['http://evil.example/path?x=1', '/path?x=1'],
  ['HTTPS://user@evil.example:444/', '/'],
  ['http://evil.example', '/'],
  ['http://evil.example?x=1', '/?x=1'],
  ['/a?b?c=%61', '/a?b?c=%61'],
  ['/_global/-error', '/_global/-error'],
  ['/%61dm%49n%2Dx?y=%61', '/admIn-x?y=%61'],
  ['/a%2Fb%2e%2E%5c%00%2561%zz%', '/a%2Fb%2e%2E%5c%00%2561%zz%'],
])('the request URL %s becomes %s', async (line, path) => {
  expect((await seen(line))[0]).toBe(path)
})

test('query parameters beyond the limit are ignored', async () => {
  const parts = Array.from({ length: 300 }, (_, index) => `k${index}=1`)
  expect((await seen(`/path?${parts.join('&')}`))[0]).toBe(`/path?${parts.slice(0, 200).join('&')}`)
  const few = `/a&b?${parts.slice(0, 200).join('&')}?x`
  expect((await seen(few))[0]).toBe(few)
  expect((await seen('/?'))[0]).toBe('/?')
  const path = `/${'a&'.repeat(300)}`
  expect((await seen(path))[0]).toBe(path)
})

test('If-None-Match with the ETag of a static page gives 304, and never for anything else', async () => {
  const { port } = server.address() as AddressInfo
  const ask = async (path: string, headers: Record<string, string>) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    return [response.status, (await response.text()).length > 0, response.headers.get('etag')]
  }
  for (const etag of ['"etag"', 'W/"etag"', '"older", "etag"'])
    expect(await ask('/static', { 'If-None-Match': etag }), etag).toEqual([304, false, '"etag"'])
  for (const etag of ['', '"other"', 'etag', '"eta', 'W/'])
    expect(await ask('/static', { 'If-None-Match': etag }), etag).toEqual([200, true, '"etag"'])
  expect(await ask('/static', { 'If-None-Match': '"etag"', rsc: '1' })).toEqual([200, true, null])
  expect(await ask('/page', { 'If-None-Match': '"etag"' })).toEqual([200, true, null])
})
