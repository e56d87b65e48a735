import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mendIncoming } from './incoming'
import { noteOutage } from './outages'

const server = createServer((asked, answer) => {
  if (asked.url === '/page') answer.setHeader('Content-Security-Policy', "default-src 'self'")
  answer.setHeader('Cache-Control', 's-maxage=31536000')
  answer.setHeader('Content-Type', 'text/plain')
  if (asked.url === '/failed') answer.statusCode = 500
  if (asked.url === '/sealed') answer.setHeader('ETag', '"mark"')
  answer.setHeader('X-Request-Id', String(asked.headers['x-request-id']))
  answer.end(JSON.stringify([asked.url, asked.headers.authorization]))
})
beforeAll(async () => {
  mendIncoming()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

function seen(path: string, headers: Record<string, string | string[]> = {}): Promise<[string, string | null]> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve) =>
    request({ host: '127.0.0.1', port, path, headers }, (answer) =>
      answer.on('data', (text) => resolve(JSON.parse(text))),
    ).end(),
  )
}

test('browsers are forbidden to guess what an answer is', async () => {
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/`)
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
})

test('what another site had sent is refused, and is no fault of ours; a fault of ours is', async () => {
  const { port } = server.address() as AddressInfo
  const status = async (path: string, init: RequestInit) =>
    (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', ...init })).status
  for (const Origin of ['null', 'https://evil.example', 'no origin at all', `http://127.0.0.1:${port + 1}`])
    expect(await status('/failed', { headers: { Origin } }), Origin).toBe(403)
  expect(await status('/failed', { headers: { Origin: `http://127.0.0.1:${port}` } })).toBe(500)
  const behind = { Origin: 'https://app.example.com', 'X-Forwarded-Host': 'app.example.com, inner:3000' }
  expect(await status('/failed', { headers: behind })).toBe(500)
  expect(await status('/failed', {})).toBe(500)
  expect(await status('/failed', { method: 'GET', headers: { Origin: 'null' } })).toBe(500)
})

test('browsers come back by https only, whatever the answer was', async () => {
  const { port } = server.address() as AddressInfo
  for (const method of ['GET', 'POST']) {
    const { headers } = await fetch(`http://127.0.0.1:${port}/`, { method })
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains')
  }
})

test('what has no policy of its own loads nothing and is in no frame; what has one keeps it', async () => {
  const { port } = server.address() as AddressInfo
  for (const method of ['GET', 'POST']) {
    const policyOf = async (path: string) =>
      (await fetch(`http://127.0.0.1:${port}${path}`, { method })).headers.get('content-security-policy')
    expect(await policyOf('/data')).toMatch(/^default-src 'none';.* object-src 'none';.* frame-ancestors 'none'$/)
    expect(await policyOf('/page')).toBe("default-src 'self'")
  }
})

test.each(['POST', 'PUT', 'DELETE'])('the answer to %s is stored nowhere, and says its charset', async (method) => {
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`, { method })
  expect(headers.get('cache-control')).toBe('private, no-store')
  expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
})

test('what is only read says itself whether it may be stored', async () => {
  const { port } = server.address() as AddressInfo
  const { headers } = await fetch(`http://127.0.0.1:${port}/`)
  expect(headers.get('cache-control')).toBe('s-maxage=31536000')
})

test('a page that failed because the database is away is 503 and may be tried again; any other is 500', async () => {
  const { port } = server.address() as AddressInfo
  const ask = async (id: string) => {
    const { status, headers } = await fetch(`http://127.0.0.1:${port}/failed`, { headers: { 'x-request-id': id } })
    return [status, headers.get('retry-after')]
  }
  noteOutage('first')
  expect(await ask('first')).toEqual([503, '5'])
  expect(await ask('first')).toEqual([500, null])
  expect(await ask('second')).toEqual([500, null])
})

test('of two Authorization headers none counts, and one is left as it is', async () => {
  expect((await seen('/'))[1]).toBeNull()
  expect((await seen('/', { authorization: 'Bearer one' }))[1]).toBe('Bearer one')
  expect((await seen('/', { authorization: ['Bearer one', 'Bearer two'] }))[1]).toBe('')
  expect((await seen('/', { authorization: ['', 'Bearer two'] }))[1]).toBe('')
})

test.each([
  ['/path?x=http://evil.example/', '/path?x=http://evil.example/'],
  ['http://evil.example/path?x=1', '/path?x=1'],
  ['HTTPS://user@evil.example:444/', '/'],
  ['http://evil.example', '/'],
  ['http://evil.example?x=1', '/?x=1'],
  ['/%61dm%49n%2Dx?y=%61', '/admIn-x?y=%61'],
  ['/a%2Fb%2e%2E%5c%00%2561%zz%', '/a%2Fb%2e%2E%5c%00%2561%zz%'],
])('the request line %s asks for %s', async (line, path) => {
  expect((await seen(line))[0]).toBe(path)
})

test('of a query with very many parts only the first count', async () => {
  const parts = Array.from({ length: 300 }, (_, index) => `k${index}=1`)
  expect((await seen(`/path?${parts.join('&')}`))[0]).toBe(`/path?${parts.slice(0, 200).join('&')}`)
  const few = `/a&b?${parts.slice(0, 200).join('&')}?x`
  expect((await seen(few))[0]).toBe(few)
  expect((await seen('/?'))[0]).toBe('/?')
  const path = `/${'a&'.repeat(300)}`
  expect((await seen(path))[0]).toBe(path)
})

test('whoever has kept a static page is told that it is still good, and nobody is told so of anything else', async () => {
  const { port } = server.address() as AddressInfo
  const ask = async (path: string, headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers })
    return [answer.status, (await answer.text()).length > 0, answer.headers.get('etag')]
  }
  for (const mark of ['"mark"', 'W/"mark"', '"older", "mark"'])
    expect(await ask('/sealed', { 'If-None-Match': mark }), mark).toEqual([304, false, '"mark"'])
  for (const mark of ['', '"other"', 'mark', '"mar', 'W/'])
    expect(await ask('/sealed', { 'If-None-Match': mark }), mark).toEqual([200, true, '"mark"'])
  expect(await ask('/sealed', { 'If-None-Match': '"mark"', rsc: '1' })).toEqual([200, true, null])
  expect(await ask('/page', { 'If-None-Match': '"mark"' })).toEqual([200, true, null])
})
