import { appSlug } from '../../../src/brand.ts'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { emailsTo, linkIn, waitForEmail, waitForSentEmails } from '../support/inbox.ts'
import { newUser } from '../support/new-user.ts'
import { choosePassword, requestReset } from '../support/reset-password.ts'

const subject = 'Reset your password'
const chosen = 'an entirely new one'

test('a user resets the password with the link from the email, and all sessions end', async ({
  page,
  password,
  appUrl,
  devUrl,
  clientIp,
}) => {
  const email = await newUser()
  const signIn = (tried: string) =>
    page.request.post('/api/auth/signin', { data: { email, password: tried, redirect: false } })
  const before = await signIn(password)
  const token = new RegExp(`${appSlug}\\.session=([\\w-]+)`).exec(before.headers()['set-cookie'] ?? '')?.[1]
  const session = async () =>
    (await fetch(`${appUrl}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })).json()
  expect(await session()).toMatchObject({ user: { email } })
  await page.context().clearCookies()

  await page.goto('/signin')
  await page.getByRole('link', { name: 'Forgot password?' }).click()
  await expectAccessible(page)
  await requestReset(page, email)
  await expect(page.getByRole('main').getByRole('status')).toBeFocused()
  await expectAccessible(page)
  const { id } = await waitForEmail(email, subject)
  await page.goto(`${devUrl}/dev/inbox?mail=${id}`)
  await page.frameLocator('iframe').getByRole('link', { name: 'Reset password' }).click()
  await expect(page.getByRole('main')).toContainText(email)
  await expectAccessible(page)
  await choosePassword(page, 'too short')
  await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/at least 12/)
  await choosePassword(page, chosen)
  await expect(page).toHaveURL('/signin?notice=password_changed')
  await expect(page.getByRole('main').getByRole('status')).toHaveText(/Password changed/)
  expect(await session()).toBeNull()
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain(`${appSlug}.session`)
  expect((await signIn(password)).status()).toBe(401)
  expect((await signIn(chosen)).status()).toBe(200)
  const notice = await waitForEmail(email, 'Your password was changed')
  for (const part of [notice.text, notice.html]) {
    expect(part).toMatch(/Device[\s\S]*Chrome on /)
    expect(part).toContain(clientIp)
  }
  expect(notice.text).toMatch(/\nWhen: [A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}\s[AP]M UTC\n/)
})

test('an unknown email gets the same message, and no email is sent', async ({ page }) => {
  const known = await newUser()
  const unknown = `unknown-${crypto.randomUUID()}@example.com`
  const messages: string[] = []
  for (const email of [known, unknown]) {
    await requestReset(page, email)
    const text = await page.getByRole('main').innerText()
    messages.push(text.replace(email, '(address)').replace(/ in \d+ seconds/, ''))
  }
  expect(messages[0]).toBe(messages[1])
  await waitForEmail(known, subject)
  await waitForSentEmails()
  expect(await emailsTo(unknown)).toEqual([])
})

test('a user without a password can set one with a reset link', async ({ page }) => {
  const email = await newUser({ hasPassword: false })
  await requestReset(page, email)
  await page.goto(linkIn(await waitForEmail(email, subject)))
  await choosePassword(page, chosen)
  await expect(page).toHaveURL(/notice=password_changed/)
  const response = await page.request.post('/api/auth/signin', { data: { email, password: chosen, redirect: false } })
  expect(response.status()).toBe(200)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a password can be reset', { tag: '@smoke' }, async ({ page }) => {
    const email = await newUser()
    await requestReset(page, email)
    await page.goto(linkIn(await waitForEmail(email, subject)))
    await choosePassword(page, 'short')
    await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/at least 12/)
    await choosePassword(page, chosen)
    await expect(page).toHaveURL(/notice=password_changed/)
  })
})
