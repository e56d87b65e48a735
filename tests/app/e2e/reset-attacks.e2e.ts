import { appSlug } from '../../../src/brand.ts'
import { expect, expectAccessible, randomIp, test } from '../support/e2e-test.ts'
import { emailsTo, linkIn, waitForEmail, waitForSentEmails } from '../support/inbox.ts'
import { newUser } from '../support/new-user.ts'
import { query } from '../support/query.ts'
import { choosePassword, requestReset } from '../support/reset-password.ts'

const subject = 'Reset your password'
const chosen = 'an entirely new one'

test('a link works once, even for ten concurrent submits, and not after it has expired', async ({ page }) => {
  const email = await newUser()
  await requestReset(page, email)
  const link = linkIn(await waitForEmail(email, subject))
  const pages = await Promise.all(Array.from({ length: 10 }, () => page.context().newPage()))
  await Promise.all(pages.map((each) => each.goto(link)))
  await Promise.all(pages.map((each, index) => choosePassword(each, `password number ${index}`)))
  const urls = await Promise.all(
    pages.map(async (each) => {
      await expect(each.getByText(/Password changed|was already used/)).toBeVisible()
      return new URL(each.url()).pathname
    }),
  )
  expect(urls.filter((path) => path === '/signin')).toHaveLength(1)
  await Promise.all(pages.map((each) => each.close()))

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Send a new link' }).click()
  await requestReset(page, email)
  await expect.poll(async () => (await emailsTo(email)).filter((sent) => sent.subject === subject).length).toBe(2)
  await query(
    `update tokens set expires_at = now() - interval '1 second' where user_id = (select id from users where email = $1)`,
    [email],
  )
  await page.goto(linkIn(await waitForEmail(email, subject)))
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
})

test('using one reset link invalidates all others', async ({ page }) => {
  const email = await newUser()
  await page.clock.install()
  await requestReset(page, email)
  const first = await waitForEmail(email, subject)
  const resend = page.getByRole('button', { name: /^Resend/ })
  await expect(resend).toBeDisabled()
  await page.clock.fastForward(31_000)
  await resend.click()
  await expect.poll(async () => (await emailsTo(email)).length).toBe(2)
  await page.goto(linkIn((await emailsTo(email))[1] ?? first))
  await choosePassword(page, chosen)
  await expect(page).toHaveURL(/notice=password_changed/)
  await page.goto(linkIn(first))
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
})

test('tokens and jobs in the database contain neither the token of the link nor the email', async ({ page }) => {
  const email = await newUser()
  await requestReset(page, email)
  const token = new URL(linkIn(await waitForEmail(email, subject))).searchParams.get('token') ?? ''
  expect(token).toMatch(/^[\w-]{43}$/)
  const rows = await query<{ row: string }>(
    'select t::text as row from tokens t union all select j::text from jobs.job j',
  )
  const everything = rows.map(({ row }) => row).join('\n')
  expect(everything).not.toContain(token)
  expect(everything).not.toContain(email)
})

test('the fourth request from one IP in an hour gets the same response, and sends no email', async ({ page }) => {
  const email = await newUser()
  for (let times = 0; times < 4; times++) await requestReset(page, email)
  await expect.poll(async () => (await emailsTo(email)).length).toBe(3)
  await waitForSentEmails()
  expect(await emailsTo(email)).toHaveLength(3)
})

test('a suspended user gets no email', async ({ page }) => {
  const email = await newUser({ isSuspended: true })
  await requestReset(page, email)
  await waitForSentEmails()
  expect(await emailsTo(email)).toEqual([])
})

test.describe('after a hundred wrong passwords', () => {
  test('the password works only on a trusted device, until it is reset', async ({ page, password, appUrl }) => {
    const email = await newUser()
    const attempt = (tried: string, cookie = '') =>
      fetch(`${appUrl}/api/auth/signin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': randomIp(), cookie },
        body: JSON.stringify({ email, password: tried, redirect: false }),
      })
    const trustedDevice =
      new RegExp(`${appSlug}\\.device=[^;]+`).exec((await attempt(password)).headers.get('set-cookie') ?? '')?.[0] ?? ''
    const failures = 'update passwords set failures = $2 where user_id = (select id from users where email = $1)'
    await query(failures, [email, 99])
    expect((await attempt('wrong')).status).toBe(401)
    await waitForEmail(email, 'Someone is trying to guess your password')
    const rejected = await attempt(password)
    const wrong = await attempt('wrong')
    expect(rejected.status).toBe(401)
    const { instance: _, ...body } = await rejected.json()
    expect(await wrong.json()).toMatchObject(body)
    expect((await attempt(password, trustedDevice)).status).toBe(200)

    await query(failures, [email, 100])
    expect((await attempt(password)).status).toBe(401)
    await requestReset(page, email)
    await page.goto(linkIn(await waitForEmail(email, subject)))
    await choosePassword(page, chosen)
    await expect(page).toHaveURL(/notice=password_changed/)
    expect((await attempt(chosen)).status).toBe(200)
  })
})
