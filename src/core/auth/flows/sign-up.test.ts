import { sql } from 'drizzle-orm'
import { afterEach, expect, test } from 'vitest'
import { asRequest } from '../../../../tests/app/support/next-headers'
import { db } from '../../db/client'
import { signups, users } from '../../db/schema'
import { requestSignUp, resendSignUp } from './sign-up'

const ada = { email: 'ada@example.com', name: 'Ada', password: 'a long walk by the sea' }

afterEach(async () => {
  delete process.env.AUTH_SIGNUP
  await db.delete(signups)
})

test.each(['invite', 'closed'])('with AUTH_SIGNUP=%s, requesting a sign-up is forbidden', async (setting) => {
  process.env.AUTH_SIGNUP = setting
  await expect(asRequest({}, () => requestSignUp(ada))).rejects.toMatchObject({ code: 'forbidden' })
  expect(await db.select({ id: signups.id }).from(signups)).toEqual([])
})

test('signing up creates no user, only a sign-up with a password hash', async () => {
  await asRequest({}, () => requestSignUp({ ...ada, email: ' Ada@Example.COM ', name: '' }))
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
  const rows = await db.select({ email: signups.email, name: signups.name, hash: signups.passwordHash }).from(signups)
  expect(rows).toEqual([{ email: 'ada@example.com', name: 'ada', hash: expect.stringMatching(/^\$argon2id\$/) }])
})

test('signing up ignores a role and a verification date in the input', async () => {
  const input = { ...ada, email: 'eve@example.com', role: 'admin', emailVerifiedAt: new Date() }
  await asRequest({}, () => requestSignUp(input))
  expect(await db.select({ id: users.id }).from(users)).toEqual([])
})

test.each([
  'v1＠t.test',
  'v1@ｔ.test',
  'а@example.com',
  'a@b@c',
  'a@example.com\r\nBcc: x@evil.example',
  'a@example.com, x@evil.example',
])('%j is rejected as an email, and no sign-up is stored', async (email) => {
  await expect(asRequest({}, () => requestSignUp({ ...ada, email }))).rejects.toMatchObject({
    code: 'invalid_input',
    fields: { email: [expect.any(String)] },
  })
  expect(await db.select({ id: signups.id }).from(signups)).toEqual([])
})

test('the fourth sign-up with one email in an hour is rejected', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const signUp = () => asRequest({}, () => requestSignUp({ ...ada, email }))
  for (let times = 0; times < 3; times++) await signUp()
  await expect(signUp()).rejects.toMatchObject({ code: 'rate_limited' })
})

test('the browser that signed up can have the email sent again, within the limit of signing up', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  const sent = await asRequest({}, async () => {
    await requestSignUp({ ...ada, email })
    return [await resendSignUp(` ${email} `), await resendSignUp(email), await resendSignUp(email)]
  })
  expect(sent).toEqual([true, true, false])
  const [signup] = await db.select({ id: signups.id }).from(signups)
  const { rows } = await db.execute(
    sql`select 1 from jobs.job where name = 'mail.signup' and data ->> 'signupId' = ${signup?.id ?? ''}`,
  )
  expect(rows).toHaveLength(3)
})

test('another browser gets the same error for an email that signed up and for one that did not', async () => {
  const email = `${crypto.randomUUID()}@example.com`
  await asRequest({}, () => requestSignUp({ ...ada, email }))
  for (const typed of [email, 'nobody@example.com', 'no email at all'])
    await expect(asRequest({}, () => resendSignUp(typed))).rejects.toMatchObject({
      code: 'not_found',
      message: 'Your sign-up has expired. Sign up again.',
    })
})
