import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { newSessionToken } from '../../../tests/app/support/new-session-token'
import { asRequest } from '../../../tests/app/support/next-headers'
import { defineAction } from '../action'
import { definePolicy } from '../auth/policy'
import { definePublicHandler, defineRoute } from '../handler'
import { log } from '../log'

const { can } = definePolicy({ 'things.rename': ['admin'] })
const input = z.object({ name: z.string().min(2, 'Too short') })
const rename = defineAction({ allow: can('things.rename'), input, run: async () => ({}) })
const { POST } = defineRoute({
  POST: definePublicHandler({ summary: 'Try it', body: input, responses: { 200: z.unknown() }, run: () => null }),
})

const logged = { warn: vi.spyOn(log, 'warn'), info: vi.spyOn(log, 'info') }
afterEach(() => vi.clearAllMocks())

test('a forbidden call is logged with the user and the entry point', async () => {
  const headers = { authorization: `Bearer ${await newSessionToken('viewer')}`, 'sec-fetch-site': 'same-origin' }
  await asRequest(headers, () => rename({ name: 'Ada' }))
  expect(logged.warn).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({
      code: 'forbidden',
      entry: 'action unknown (things.rename)',
      userId: expect.stringMatching(/^\w{8}-/),
    }),
    'request rejected',
  )
})

test('a cross-site request is logged as a warning', async () => {
  await asRequest({ 'sec-fetch-site': 'cross-site' }, () => rename({ name: 'Ada' }))
  expect(logged.warn).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'cross_site' }),
    'request rejected',
  )
})

test('for invalid input only the field names are logged, never the values', async () => {
  const body = JSON.stringify({ name: 'x', canary: 'a-canary' })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost:3000/api/things?token=a-canary', { method: 'POST', headers, body })
  await POST(request, { params: Promise.resolve({}) })
  expect(logged.info).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'invalid_input', entry: 'POST /api/things', fields: ['name'] }),
    'request rejected',
  )
  expect(JSON.stringify(logged.info.mock.calls)).not.toContain('a-canary')
})

test('a successful call is not logged', async () => {
  const headers = { authorization: `Bearer ${await newSessionToken('admin')}`, 'sec-fetch-site': 'same-origin' }
  expect(await asRequest(headers, () => rename({ name: 'Ada' }))).toMatchObject({ ok: true })
  expect([logged.warn, logged.info].flatMap(({ mock }) => mock.calls)).toEqual([])
})
