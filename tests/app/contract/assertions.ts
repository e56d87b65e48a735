import assert from 'node:assert/strict'
import { appSlug } from '../../../src/brand.ts'
import { findRole } from '../../../src/core/auth/roles.ts'
import type { TestResponse } from './client.ts'

/** Asserts an RFC 9457 problem with our `code` and no other fields. */
export function assertProblem(response: TestResponse, status: number, code: string): void {
  assert.deepEqual(
    [response.status, response.headers.get('content-type')],
    [status, 'application/problem+json; charset=utf-8'],
  )
  assert.equal(response.headers.get('cache-control'), 'private, no-store')
  const { title, detail, instance, errors, ...rest } = response.json()
  assert.deepEqual(rest, { type: `urn:${appSlug}:problem:${code}`, status, code })
  for (const words of [title, detail]) assert.match(words, /\S/)
  assert.equal(instance, `urn:${appSlug}:request:${response.headers.get('x-request-id')}`)
  if (code === 'invalid_input') {
    assert.ok(Object.keys(errors).length > 0)
    for (const messages of Object.values(errors)) assert.ok(Array.isArray(messages) && messages.length > 0)
  } else assert.equal(errors, undefined)
  if (status === 429 || status === 503) assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  if (status === 405) assert.match(response.headers.get('allow') ?? '', /OPTIONS/)
}

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface Session {
  user: { id: string; email: string; name: string; role: string }
  expires: string
}

/** Asserts a session as documented: exactly these keys, and an expiry in the future. */
export function assertSession(session: Session): void {
  assert.deepEqual(Object.keys(session).sort(), ['expires', 'user'])
  assert.deepEqual(Object.keys(session.user).sort(), ['email', 'id', 'name', 'role'])
  assert.match(session.user.id, uuid4)
  assert.match(session.user.email, /^\S+@\S+$/)
  assert.match(session.user.name, /\S/)
  assert.ok(findRole(session.user.role), session.user.role)
  assert.match(session.expires, instant)
  assert.ok(Date.parse(session.expires) > Date.now())
}
