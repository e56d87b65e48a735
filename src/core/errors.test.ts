import { expect, test } from 'vitest'
import { AppError, toAppError } from './errors'

test('an AppError keeps its code, status and message', () => {
  const error = new AppError('conflict', 'That email is taken', { fields: { email: ['Already in use'] } })
  expect(error).toMatchObject({ code: 'conflict', status: 409, message: 'That email is taken' })
  expect(toAppError(error)).toBe(error)
})

test('a bug becomes "internal" and its message stays private', () => {
  const error = toAppError(new Error('column "hash" does not exist'))
  expect(error).toMatchObject({ code: 'internal', status: 500 })
  expect(error.message).not.toContain('hash')
})

test.each(['ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', '57P01', '53300', '53100', '08006', '25006'])(
  'a database outage (%s) is "unavailable", with Retry-After',
  (code) => {
    const outage = Object.assign(new Error('x'), { code })
    expect(toAppError(new Error('Failed query', { cause: outage }))).toMatchObject({
      code: 'unavailable',
      status: 503,
      retryAfter: 5,
    })
  },
)

test.each(['55P03', '57014', '25P03'])('a database timeout (%s) is "unavailable"', (code) => {
  expect(toAppError(Object.assign(new Error('x'), { code })).code).toBe('unavailable')
})

test('an invalid query is not an outage', () => {
  expect(toAppError(Object.assign(new Error('x'), { code: '42703' })).code).toBe('internal')
})

test('text that PostgreSQL cannot store is "invalid_input", not "internal"', () => {
  const refused = Object.assign(new Error('invalid byte sequence for encoding "UTF8": 0x00'), { code: '22021' })
  expect(toAppError(new Error('Failed query', { cause: refused })).code).toBe('invalid_input')
})
