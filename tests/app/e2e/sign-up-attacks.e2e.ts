import { appName, appSlug } from '../../../src/brand.ts'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { emailsTo, linkIn, waitForEmail } from '../support/inbox.ts'
import { newUser } from '../support/new-user.ts'
import { password, sent, signUp, subject, uniqueEmail, usersWith } from '../support/sign-up.ts'

test('verifying in another browser asks for the password, so that nobody activates a sign-up by a third party', async ({
  page,
  browser,
  appUrl,
  clientIp,
}) => {
  const email = uniqueEmail()
  await signUp(page, email, 'the attacker knows this')
  await expect(sent(page)).toBeVisible()
  const link = linkIn(await waitForEmail(email, subject))
  const context = await browser.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': clientIp } })
  const other = await context.newPage()
  await other.goto(link)
  await other.getByLabel('Password', { exact: true }).fill('not what the attacker chose')
  await other.getByRole('button', { name: 'Confirm and sign in' }).click()
  await expect(other.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/not the password/)
  await expectAccessible(other)
  expect(await usersWith(email)).toEqual([])

  // The owner of the email signs up as well; each sign-up has its own password and its own token.
  await signUp(other, email, 'only the owner knows this')
  await expect(sent(other)).toBeVisible()
  await expect.poll(async () => (await emailsTo(email)).length).toBe(2)
  const [, second] = await emailsTo(email)
  if (!second) throw new Error('There is no second email')
  await other.goto(linkIn(second))
  await other.getByRole('button', { name: 'Confirm and sign in' }).click()
  await expect(other).toHaveURL('/dashboard')
  await context.close()

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
  const signIn = (chosen: string) =>
    page.request.post('/api/auth/signin', { data: { email, password: chosen, redirect: false } })
  expect((await signIn('the attacker knows this')).status()).toBe(401)
  expect((await signIn('only the owner knows this')).status()).toBe(200)
})

test('an existing user is notified by email, and the page does not reveal that the account exists', async ({
  page,
}) => {
  const known = await newUser()
  const unknown = uniqueEmail()
  const messages: string[] = []
  for (const email of [known, unknown]) {
    await signUp(page, email)
    await expect(sent(page)).toBeVisible()
    const text = await page.getByRole('main').innerText()
    messages.push(text.replace(email, '(address)').replace(/ in \d+ seconds/, ''))
  }
  expect(messages[0]).toBe(messages[1])
  const message = await waitForEmail(known, 'You already have an account')
  expect(message.text).not.toContain('token=')
  expect((await waitForEmail(unknown, subject)).text).toContain('/verify?token=')
})

test('opening the link changes nothing, even when email scanners do it repeatedly', async ({ page, request }) => {
  const email = uniqueEmail()
  await signUp(page, email)
  await expect(sent(page)).toBeVisible()
  const link = linkIn(await waitForEmail(email, subject))
  for (let times = 0; times < 3; times++) {
    const response = await request.get(link)
    expect(response.status()).toBe(200)
    expect(response.headers()['referrer-policy']).toBe('same-origin')
    expect(response.headers()['cache-control']).toContain('no-store')
  }
  expect(await usersWith(email)).toEqual([])
})

test('the email can be sent again after a pause, and only by the browser that signed up', async ({ page }) => {
  await page.clock.install()
  const email = uniqueEmail()
  await signUp(page, email)
  const resend = page.getByRole('button', { name: /^Resend/ })
  await expect(resend).toHaveText(/^Resend in \d+ seconds$/)
  await expect(resend).toBeDisabled()
  await waitForEmail(email, subject)
  await page.clock.fastForward(31_000)
  await expect(resend).toHaveText('Resend')
  await resend.click()
  await expect(sent(page)).toContainText('We sent it again.')
  await expect(resend).toHaveText(/ in /)
  await expect.poll(async () => (await emailsTo(email)).length).toBe(2)

  await page.context().clearCookies()
  await page.clock.fastForward(31_000)
  await resend.click()
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Your sign-up has expired. Sign up again.')
  await expect(page.getByLabel('Email')).toHaveValue(email)
  expect(await emailsTo(email)).toHaveLength(2)
})

test('verifying one sign-up in several tabs at once creates one user', async ({ page }) => {
  const email = uniqueEmail()
  await signUp(page, email)
  await expect(sent(page)).toBeVisible()
  const link = linkIn(await waitForEmail(email, subject))
  const pages = await Promise.all(Array.from({ length: 5 }, () => page.context().newPage()))
  await Promise.all(pages.map((each) => each.goto(link)))
  await Promise.all(pages.map((each) => each.getByRole('button', { name: 'Confirm and sign in' }).click()))
  await expect.poll(() => usersWith(email)).toHaveLength(1)
  await Promise.all(pages.map((each) => each.close()))
})

test('an email has text and HTML and a sender, and does not contain the name that the caller chose', async ({
  page,
}) => {
  const email = uniqueEmail()
  await signUp(page, email, password, '<b>Ada</b>, "eve@example.com" <x@y.z>')
  await expect(sent(page)).toBeVisible()
  const message = await waitForEmail(email, subject)
  expect(message.headers).toMatchObject({
    from: `${appName} <${appSlug}@example.com>`,
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@localhost>$/),
  })
  expect(message.text).toContain(linkIn(message))
  for (const part of [message.text, message.html]) expect(part).not.toMatch(/Ada|eve@|x@y/)
  expect(await emailsTo('eve@example.com')).toEqual([])
})
