import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { mendIncoming } from './incoming'

const server = createServer((asked, answer) => {
  answer.setHeader('Cache-Control', 's-maxage=31536000')
  answer.setHeader('Content-Type', 'text/plain')
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
])('the request line %s asks for %s', async (line, path) => {
  expect((await seen(line))[0]).toBe(path)
})
