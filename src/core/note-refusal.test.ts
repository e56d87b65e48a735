import { afterEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { asRequest } from '../../tests/support/next-headers'
import { signedInAs } from '../../tests/support/people'
import { defineAction } from './action'
import { definePolicy } from './auth/policy'
import { definePublicHandler, defineRoute } from './handler'
import { log } from './log'

const { can } = definePolicy({ 'things.rename': ['admin'] })
const input = z.object({ name: z.string().min(2, 'Too short') })
const rename = defineAction({ allow: can('things.rename'), input, run: async () => ({}) })
const { POST } = defineRoute({
  POST: definePublicHandler({ summary: 'Try it', body: input, answers: { 200: z.unknown() }, run: () => null }),
})

const said = { warn: vi.spyOn(log, 'warn'), info: vi.spyOn(log, 'info') }
afterEach(() => vi.clearAllMocks())

test('who tries what they may not is written down, with who it was and which door', async () => {
  const headers = { authorization: `Bearer ${await signedInAs('viewer')}`, 'sec-fetch-site': 'same-origin' }
  await asRequest(headers, () => rename({ name: 'Ada' }))
  expect(said.warn).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({
      code: 'forbidden',
      door: 'action unknown (things.rename)',
      userId: expect.stringMatching(/^\w{8}-/),
    }),
    'refused',
  )
})

test('so is what another site sends', async () => {
  await asRequest({ 'sec-fetch-site': 'cross-site' }, () => rename({ name: 'Ada' }))
  expect(said.warn).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'cross_site' }), 'refused')
})

test('of input that does not fit, the names of its fields are kept and nothing that was typed', async () => {
  const body = JSON.stringify({ name: 'x', canary: 'a-canary' })
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost:3000/api/things?token=a-canary', { method: 'POST', headers, body })
  await POST(request, { params: Promise.resolve({}) })
  expect(said.info).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ code: 'invalid_input', door: 'POST /api/things', fields: ['name'] }),
    'refused',
  )
  expect(JSON.stringify(said.info.mock.calls)).not.toContain('a-canary')
})

test('what goes well is not', async () => {
  const headers = { authorization: `Bearer ${await signedInAs('admin')}`, 'sec-fetch-site': 'same-origin' }
  expect(await asRequest(headers, () => rename({ name: 'Ada' }))).toMatchObject({ ok: true })
  expect([said.warn, said.info].flatMap(({ mock }) => mock.calls)).toEqual([])
})
