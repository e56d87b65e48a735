import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { corsHeaders } from './cors'
import { AppError } from './errors'
import { definePublicHandler, defineRoute } from './handler'

const anything = { summary: 'Try it', answers: { 200: z.unknown() } }
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
const friend = 'https://a.test'

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

describe('while no other site is allowed', () => {
  test('nobody is told anything', async () => {
    for (const method of ['GET', 'OPTIONS'] as const) {
      const response = await call(method, { origin: 'https://evil.test', 'access-control-request-method': 'POST' })
      expect(cors(response)).toEqual([])
    }
  })
})

describe('a site on the list', () => {
  beforeEach(() => {
    process.env.CORS_ORIGINS = `${friend}, https://b.test:8443`
  })

  test('may read answers, and caches keep them apart', async () => {
    const response = await call('GET', { origin: friend })
    expect(response.headers.get('access-control-allow-origin')).toBe(friend)
    expect(response.headers.get('vary')).toBe('Origin')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('may read refusals too', async () => {
    const response = await call('POST', { origin: friend, 'sec-fetch-site': 'cross-site' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([429, friend])
    expect(response.headers.get('access-control-expose-headers')).toContain('Retry-After')
  })

  test('may send the cookie only where the deployer said so', async () => {
    process.env.CORS_CREDENTIALS = 'true'
    expect((await call('GET', { origin: friend })).headers.get('access-control-allow-credentials')).toBe('true')
  })

  test('asks first, and is answered without running anything', async () => {
    const headers = {
      origin: friend,
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

describe('a site that only looks like one on the list', () => {
  beforeEach(() => {
    process.env.CORS_ORIGINS = friend
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
  ])('%s is told nothing, and may not write', async (origin) => {
    const response = await call('GET', { origin })
    expect(cors(response)).toEqual([])
    expect(response.headers.get('vary')).toBe('Origin')
    expect((await call('POST', { origin })).status).toBe(403)
  })

  test('only an exact member is allowed, whatever is tried', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl(), fc.string(), fc.constantFrom(friend, `${friend}/`, ` ${friend}x`)),
        (origin) => {
          // What a header cannot hold, a browser cannot send.
          if (!/^[\x21-\x7e]+$/.test(origin)) return true
          const headers = corsHeaders(new Request('http://localhost:3000/', { headers: { origin } }))
          return 'Access-Control-Allow-Origin' in headers === (origin === friend)
        },
      ),
    )
  })
})
