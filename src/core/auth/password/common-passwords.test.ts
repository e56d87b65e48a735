import { expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords'

test.each([
  'qwerty123456',
  '1qaz2wsx3edc',
  'Password12345',
  'P4ssword2026!',
  'passwordpassword',
  'password password',
  '!!!sunshine2026',
  'Administrator',
  '123456123456',
  'LETMEIN_2026',
])('%s is a common password', async (password) => {
  expect(await isCommonPassword(password)).toBe(true)
})

test.each([
  'correct horse battery staple 9',
  'a long walk by the sea',
  'harbors-need-one-7',
  'jk4m-9xzt-q2vw',
  'sunshine on a rainy day',
  'émigré au café du coin',
])('%s is not a common password', async (password) => {
  expect(await isCommonPassword(password)).toBe(false)
})
