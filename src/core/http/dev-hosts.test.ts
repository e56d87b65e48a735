import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { rejectForeignHosts } from './dev-hosts'

const seen: string[] = []
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url}`)
  response.end('the password of the seeded users')
})
beforeAll(async () => {
  vi.stubEnv('DEV_HOSTS', '192.168.1.20, Laptop.local')
  vi.stubEnv('AUTH_URL', 'https://tunnel.example.com')
  rejectForeignHosts()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await new Promise((resolve) => server.close(resolve))
})

function ask(host: string): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; text: string }> {
  const { port } = server.address() as AddressInfo
  return new Promise((resolve, reject) =>
    request({ host: '127.0.0.1', port, path: '/signin', method: 'POST', headers: { Host: host } }, (response) => {
      let text = ''
      response.on('data', (part) => (text += part))
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }))
    })
      .on('error', reject)
      .end(),
  )
}

test.each([
  'localhost',
  'localhost:3000',
  'LOCALHOST:3000',
  'app.localhost:3000',
  '127.0.0.1:3000',
  '[::1]:3000',
  '192.168.1.20:3000',
  'laptop.local',
  'tunnel.example.com',
])('the host %s is allowed', async (host) => {
  expect((await ask(host)).status).toBe(200)
})

test.each([
  'evil.example:3000',
  'localhost.evil.example',
  'evillocalhost',
  '127.0.0.1.evil.example',
  '192.168.1.21:3000',
  '0.0.0.0:3000',
])('the host %j is rejected, and the message says how to allow it', async (host) => {
  seen.length = 0
  const { status, headers, text } = await ask(host)
  expect([status, headers['content-type'], headers.connection]).toEqual([
    403,
    'application/problem+json; charset=utf-8',
    'close',
  ])
  expect(JSON.parse(text)).toMatchObject({ code: 'forbidden', detail: expect.stringContaining('DEV_HOSTS=') })
  expect(text).not.toContain('password')
  expect(seen).toEqual(['GET /404'])
})
