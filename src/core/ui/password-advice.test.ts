import { expect, test } from 'vitest'
import { passwordAdvice } from './password-advice'

const advice = (password: string, email?: string) =>
  passwordAdvice(password, { minLength: 12, ...(email !== undefined && { email }) })

test('counts the characters that are missing, not their bytes', () => {
  expect(advice('a long walk')).toEqual({ missing: 1, verdict: '', isAccepted: false })
  expect(advice('🦊🦊🦊🦊🦊 five')).toMatchObject({ missing: 2 })
  expect(advice('Zoe\u0308 walks b')).toMatchObject({ missing: 1 })
})

test('accepts a password of the minimum length', () => {
  expect(advice('a long walk!')).toEqual({ missing: 0, verdict: 'Long enough', isAccepted: true })
})

test('says that a password of few different characters is too easy to guess', () => {
  expect(advice('abababababab')).toEqual({ missing: 0, verdict: 'Too easy to guess', isAccepted: false })
})

test('says that the password contains the email, as soon as it does', () => {
  expect(advice('Ada.Lovelace', 'ada.lovelace@example.com')).toMatchObject({
    verdict: 'Don’t include your email address',
    isAccepted: false,
  })
  expect(advice('lovelace', 'lovelace@example.com')).toMatchObject({ missing: 4, isAccepted: false })
})

test('a short name before the @ occurs in many words, so it does not count', () => {
  expect(advice('adamant walkers', 'ada@example.com')).toMatchObject({ isAccepted: true })
})
