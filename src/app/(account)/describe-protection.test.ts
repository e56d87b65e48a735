import { expect, test } from 'vitest'
import { describeProtection, type Protection } from './describe-protection'

const password: Protection = { hasPassword: true, isTwoFactorOn: false, passkeyCount: 0, providers: [] }

test('an account with a password alone is not secured, and the text says what to add', () => {
  expect(describeProtection(password)).toEqual({
    text: 'Your account is protected by a password. Add a passkey or turn on two-factor authentication.',
    isSecured: false,
  })
  expect(describeProtection({ ...password, hasPassword: false, providers: ['Google'] })).toMatchObject({
    text: expect.stringMatching(/^Your account is protected by your Google account\. Add/),
    isSecured: false,
  })
})

test.each<[Partial<Protection>, string]>([
  [{ isTwoFactorOn: true }, 'a password and two-factor authentication'],
  [{ passkeyCount: 1 }, 'a password and a passkey'],
  [{ passkeyCount: 2, providers: ['GitHub'] }, 'a password, 2 passkeys, and your GitHub account'],
])('an account with %j as well is secured', (more, parts) => {
  expect(describeProtection({ ...password, ...more })).toEqual({
    text: `Your account is protected by ${parts}.`,
    isSecured: true,
  })
})
