import assert from 'node:assert/strict'
import type { Answer } from './client.ts'

/** A refusal after RFC 9457 with our code, and nothing besides. */
export function assertProblem(answer: Answer, status: number, code: string): void {
  assert.deepEqual(
    [answer.status, answer.headers.get('content-type')],
    [status, 'application/problem+json; charset=utf-8'],
  )
  assert.equal(answer.headers.get('cache-control'), 'private, no-store')
  const { title, detail, instance, errors, ...rest } = answer.json()
  assert.deepEqual(rest, { type: `urn:plinth:problem:${code}`, status, code })
  for (const words of [title, detail]) assert.match(words, /\S/)
  assert.equal(instance, `urn:plinth:request:${answer.headers.get('x-request-id')}`)
  if (code === 'invalid_input') {
    assert.ok(Object.keys(errors).length > 0)
    for (const messages of Object.values(errors)) assert.ok(Array.isArray(messages) && messages.length > 0)
  } else assert.equal(errors, undefined)
  if (status === 429 || status === 503) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
  if (status === 405) assert.match(answer.headers.get('allow') ?? '', /OPTIONS/)
}

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

interface Session {
  user: { id: string; email: string; name: string; role: string }
  expires: string
}

/** A session as the contract has it: exactly these keys, in the future. */
export function assertSession(session: Session): void {
  assert.deepEqual(Object.keys(session).sort(), ['expires', 'user'])
  assert.deepEqual(Object.keys(session.user).sort(), ['email', 'id', 'name', 'role'])
  assert.match(session.user.id, uuid4)
  assert.match(session.user.email, /^\S+@\S+$/)
  assert.match(session.user.name, /\S/)
  assert.ok(['viewer', 'editor', 'admin'].includes(session.user.role), session.user.role)
  assert.match(session.expires, instant)
  assert.ok(Date.parse(session.expires) > Date.now())
}
