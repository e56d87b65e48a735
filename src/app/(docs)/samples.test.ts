import { expect, test } from 'vitest'
import { z } from 'zod'
import { describeApi } from './document'
import { exampleOf } from './example'
import type { Schema } from './openapi'
import { bodyOf, type Call, curlSample, fetchSample, responseSample } from './samples'

const { paths, components } = await describeApi()
const calls = Object.entries(paths).flatMap(([path, item]) =>
  Object.entries(item).map(
    ([method, operation]): Call => ({ method: method.toUpperCase(), path, operation, named: components.schemas }),
  ),
)
const find = (method: string, path: string) => {
  const call = calls.find((one) => one.method === method && one.path === path)
  if (!call) throw new Error(`${method} ${path} is not described`)
  return call
}

test('a sample sends the token only where the caller matters', () => {
  expect(curlSample(find('GET', '/api/auth/session'))).toBe(
    'curl "$APP/api/auth/session" \\\n  -H "Authorization: Bearer $TOKEN"',
  )
  expect(curlSample(find('GET', '/api/health'))).toBe('curl "$APP/api/health"')
  expect(fetchSample(find('GET', '/api/health'))).toMatch(/^const response = await fetch\(`\$\{app\}\/api\/health`\)$/)
})

test('a sample with a body sends it with the right content type', () => {
  const signIn = find('POST', '/api/auth/signin')
  expect(JSON.parse(bodyOf(signIn)?.text ?? '')).toMatchObject({ email: 'ada@example.com', redirect: false })
  expect(curlSample(signIn)).toMatch(/^curl -X POST .*\n {2}-H 'Content-Type: application\/json' \\\n {2}-d '\{"email"/)
  expect(fetchSample(signIn)).toContain("method: 'POST'")
  const provider = find('POST', '/api/auth/signin/{provider}')
  expect(bodyOf(provider)).toEqual({
    type: 'application/x-www-form-urlencoded',
    text: 'csrfToken=text&callbackUrl=text',
  })
})

test('an example of the response is the first successful one, and files have none', () => {
  const session = responseSample(find('GET', '/api/auth/session'))
  expect(session?.status).toBe('200')
  expect(JSON.parse(session?.text ?? '')).toMatchObject({ user: { email: 'ada@example.com' } })
  expect(responseSample(find('GET', '/api/health/ready'))?.status).toBe('200')
  expect(responseSample(find('GET', '/api/auth/callback/{provider}'))).toBeUndefined()
})

test('no sample has an unfilled path parameter', () => {
  for (const call of calls) expect(curlSample(call).split('\n')[0]).not.toMatch(/[{}]/)
})

test('an example is valid against its schema', () => {
  const things = z.object({
    id: z.uuid(),
    at: z.iso.datetime(),
    email: z.email(),
    kind: z.enum(['a', 'b']),
    count: z.int().min(3).max(9),
    tags: z.array(z.string()),
    maybe: z.string().nullable(),
    inner: z.object({ isOn: z.boolean(), only: z.literal('x') }),
  })
  const schema = z.toJSONSchema(things) as Schema
  expect(things.safeParse(exampleOf(schema, {}))).toMatchObject({ success: true })
})
