import { afterEach, expect, test } from 'vitest'
import { asRequest } from '../../../tests/support/next-headers'
import { db } from '../db/client'
import { signups, users } from '../db/schema'
import { requestSignUp } from './sign-up'

const ada = { email: 'ada@example.com', name: 'Ada', password: 'a long walk by the sea' }

afterEach(async () => {
  delete process.env.AUTH_SIGNUP
  await db.delete(signups)
})

test.each(['invite', 'closed'])(
  'with AUTH_SIGNUP=%s nobody joins by themselves, whatever page they post to',
  async (setting) => {
    process.env.AUTH_SIGNUP = setting
    await expect(asRequest({}, () => requestSignUp(ada))).rejects.toMatchObject({ code: 'forbidden' })
    expect(await db.select({ id: signups.id }).from(signups)).toEqual([])
  },
)

test('signing up makes no person, only a sign-up with a hash, and puts one mail into the queue', async () => {
  await asRequest({}, () => requestSignUp({ ...ada, email: ' Ada@Example.COM ', name: '' }))
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
  const rows = await db.select({ email: signups.email, name: signups.name, hash: signups.passwordHash }).from(signups)
  expect(rows).toEqual([{ email: 'ada@example.com', name: 'ada', hash: expect.stringMatching(/^\$argon2id\$/) }])
})

test('signing up as an admin is not a thing', async () => {
  const given = { ...ada, email: 'eve@example.com', role: 'admin', emailVerifiedAt: new Date() }
  await asRequest({}, () => requestSignUp(given))
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
})

test.each([
  'v1＠t.test',
  'v1@ｔ.test',
  'а@example.com',
  'a@b@c',
  'a@example.com\r\nBcc: x@evil.example',
  'a@example.com, x@evil.example',
])('%j is no address to sign up with, and no mail is sent', async (email) => {
  await expect(asRequest({}, () => requestSignUp({ ...ada, email }))).rejects.toMatchObject({
    code: 'invalid_input',
    fields: { email: [expect.any(String)] },
  })
  expect(await db.select({ id: signups.id }).from(signups)).toEqual([])
})

test('the fourth sign-up with one address in an hour is refused', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const once = () => asRequest({}, () => requestSignUp({ ...ada, email }))
  for (let times = 0; times < 3; times++) await once()
  await expect(once()).rejects.toMatchObject({ code: 'rate_limited' })
})
