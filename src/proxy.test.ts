import { NextRequest } from 'next/server'
import { expect, test } from 'vitest'
import config from '../next.config'
import { proxy } from './proxy'

const limit = 160 * 1024

async function post(headers: Record<string, string>, body: BodyInit = 'x') {
  const init = { method: 'POST', body, headers: { host: 'app.example.com', ...headers }, duplex: 'half' } as const
  const response = await proxy(new NextRequest('http://localhost:3000/signin', init))
  return response.headers.has('x-middleware-next') ? 'passed on' : response.status
}

test('an action with a foreign Origin is rejected, as Next would; one with our own is passed on', async () => {
  for (const origin of ['null', 'https://evil.example', 'no origin at all', 'https://app.example.com:444'])
    expect(await post({ origin }), origin).toBe(403)
  expect(await post({})).toBe('passed on')
  expect(await post({ origin: 'https://app.example.com' })).toBe('passed on')
  const behind = { host: 'inner:3000', 'x-forwarded-host': 'app.example.com, inner:3000' }
  expect(await post({ ...behind, origin: 'https://app.example.com' })).toBe('passed on')
  expect(await post({ ...behind, origin: 'http://inner:3000' })).toBe(403)
})

test('a body above the action limit is 413, with and without Content-Length', async () => {
  const stream = (size: number) => new Blob(['x'.repeat(size)]).stream()
  expect(await post({}, stream(limit))).toBe('passed on')
  expect(await post({}, stream(limit + 1))).toBe(413)
  expect(await post({ 'content-length': String(limit) })).toBe('passed on')
  expect(await post({ 'content-length': String(limit + 1) })).toBe(413)
  expect(config.experimental?.serverActions?.bodySizeLimit).toBe('160kb')
})

test('a read is never rejected', async () => {
  const headers = { origin: 'https://evil.example' }
  const response = await proxy(new NextRequest('http://localhost:3000/signin', { headers }))
  expect(response.headers.get('content-security-policy')).toContain("'nonce-")
})
