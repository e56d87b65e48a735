import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { AppError } from '../errors'
import { definePublicHandler, defineRoute } from '../handler'
import { corsHeaders } from './cors'

const anything = { summary: 'Try it', responses: { 200: z.unknown() } }
let runs = 0
const route = defineRoute({
  GET: definePublicHandler({ ...anything, run: () => ({ runs: ++runs }) }),
  POST: definePublicHandler({
    ...anything,
    run: () => {
      runs++
      throw new AppError('rate_limited', undefined, { retryAfter: 3 })
    },
  }),
})
const context = { params: Promise.resolve({}) }
const allowedOrigin = 'https://a.test'

function call(method: 'GET' | 'POST' | 'OPTIONS', headers: Record<string, string>) {
  return route[method](new Request('http://localhost:3000/api/x', { method, headers }), context)
}

const cors = (response: Response) =>
  [...response.headers.keys()].filter((name) => name.startsWith('access-control-')).sort()

beforeEach(() => {
  runs = 0
})
afterEach(() => {
  delete process.env.CORS_ORIGINS
  delete process.env.CORS_CREDENTIALS
})

describe('without CORS_ORIGINS', () => {
  test('no CORS headers are sent', async () => {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const response = await call(method, { origin: 'https://evil.test', 'access-control-request-method': 'POST' })
      expect(cors(response)).toEqual([])
    }
  })
})

describe('an allowed origin', () => {
  beforeEach(() => {
    process.env.CORS_ORIGINS = `${allowedOrigin}, https://b.test:8443`
  })

  test('may read responses, and caches keep them apart', async () => {
    const response = await call('GET', { origin: allowedOrigin })
    expect(response.headers.get('access-control-allow-origin')).toBe(allowedOrigin)
    expect(response.headers.get('vary')).toBe('Origin')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('may read errors too', async () => {
    const response = await call('POST', { origin: allowedOrigin, 'sec-fetch-site': 'cross-site' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([429, allowedOrigin])
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After')
  })

  test('may send the cookie only with CORS_CREDENTIALS', async () => {
    process.env.CORS_CREDENTIALS = 'true'
    expect((await call('GET', { origin: allowedOrigin })).headers.get('access-control-allow-credentials')).toBe('true')
  })

  test('is rejected when it sends a cookie without CORS_CREDENTIALS', async () => {
    const headers = { origin: allowedOrigin, 'sec-fetch-site': 'same-site', cookie: 'a=b' }
    expect((await call('POST', headers)).status).toBe(403)
    expect(runs).toBe(0)
    process.env.CORS_CREDENTIALS = 'true'
    expect((await call('POST', headers)).status).toBe(429)
  })

  test('gets a preflight response without running the handler', async () => {
    const headers = {
      origin: allowedOrigin,
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'x-odd',
      'access-control-request-private-network': 'true',
    }
    const response = await call('OPTIONS', headers)
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST')
    expect(response.headers.get('access-control-allow-headers')).toBe('Authorization, Content-Type')
    expect(response.headers.get('access-control-max-age')).toBe('600')
    expect(response.headers.get('access-control-allow-private-network')).toBeNull()
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(runs).toBe(0)
  })
})

describe('an origin that only looks like an allowed one', () => {
  beforeEach(() => {
    process.env.CORS_ORIGINS = allowedOrigin
  })

  test.each([
    'https://a.test.evil.example',
    'https://evil-a.test',
    'http://a.test',
    'https://a.test:444',
    'https://A.TEST',
    'null',
    'https://a.test.',
    'https://a.test%60.evil.example',
    'https://a.test, https://evil.example',
  ])('%s gets no CORS headers, and may not write', async (origin) => {
    const response = await call('GET', { origin })
    expect(cors(response)).toEqual([])
    expect(response.headers.get('vary')).toBe('Origin')
    expect((await call('POST', { origin })).status).toBe(403)
  })

  test('only an exact match is allowed', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom(allowedOrigin, `${allowedOrigin}/`, ` ${allowedOrigin}x`)),
        (origin) => {
          // A browser cannot send what a header cannot hold.
          if (!/^[\x21-\x7e]+$/.test(origin)) return true
          const headers = corsHeaders(new Request('http://localhost:3000/', { headers: { origin } }))
          return 'Access-Control-Allow-Origin' in headers === (origin === allowedOrigin)
        },
      ),
    )
  })
})
