import type { Page } from '@playwright/test'
import { expect, expectAccessible, startSession, test, waitForHydration } from '../../../tests/app/support/e2e-test.ts'
import { linkIn, waitForEmail, waitForSentEmails } from '../../../tests/app/support/inbox.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { query } from '../../../tests/app/support/query.ts'
import {
  authorizeAt,
  continueWith,
  newBrowserPage,
  sessionOf,
  signInAsNewUser,
} from '../../../tests/app/support/sign-in.ts'

async function requestChange(page: Page, email: string): Promise<void> {
  await page.goto('/account/email')
  await page.getByLabel('New email').fill(email)
  await page.getByRole('button', { name: 'Send confirmation link' }).click()
}

const randomEmail = () => `Moved.${crypto.randomUUID().slice(0, 8)}@Example.com`

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user changes their email: the new one is verified, the old one is notified', async ({ page, password }) => {
      const formerEmail = await signInAsNewUser(page, password)
      const typed = randomEmail()
      const email = typed.toLowerCase()
      await requestChange(page, typed)
      await expect(page.getByRole('main').getByRole('status')).toContainText(email)
      expect((await sessionOf(page)).user.email).toBe(formerEmail)
      const link = linkIn(await waitForEmail(email, 'Confirm your new email'))

      await page.goto(link)
      expect((await sessionOf(page)).user.email).toBe(formerEmail)
      await page.getByRole('button', { name: 'Confirm email' }).click()
      await expect(page.getByRole('status')).toContainText(email)
      expect((await sessionOf(page)).user.email).toBe(email)
      await waitForEmail(formerEmail, 'Your email was changed')
      await page.goto(link)
      await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
      await page.context().clearCookies()
      await startSession(page, email, password)
    })
  })
}

test('an email of another user gets the same response as any other, and cannot be taken over', async ({
  page,
  password,
}) => {
  const other = await newUser()
  const formerEmail = await signInAsNewUser(page, password)
  await requestChange(page, other.toUpperCase())
  await expect(page.getByRole('main').getByRole('status')).toContainText(`We sent a link to ${other}`)
  const notice = await waitForEmail(other, 'This email already has an account')
  expect(notice.text).not.toContain('token=')
  expect((await sessionOf(page)).user.email).toBe(formerEmail)
})

test('the last requested email counts: links for earlier requests no longer work', async ({ page, password }) => {
  await signInAsNewUser(page, password)
  const [first, second] = [randomEmail().toLowerCase(), randomEmail().toLowerCase()]
  for (const email of [first, second]) {
    await requestChange(page, email)
    await waitForEmail(email, 'Confirm your new email')
  }
  await page.goto(linkIn(await waitForEmail(first, 'Confirm your new email')))
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
  await page.goto(linkIn(await waitForEmail(second, 'Confirm your new email')))
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await expect(page.getByRole('status')).toContainText(second)
  expect((await sessionOf(page)).user.email).toBe(second)
})

test('the link works for the user who requested it, after sign-in if needed; any other user sees an error', async ({
  page,
  password,
  appUrl,
}) => {
  const formerEmail = await signInAsNewUser(page, password)
  const email = randomEmail().toLowerCase()
  await requestChange(page, email)
  const link = linkIn(await waitForEmail(email, 'Confirm your new email'))

  const other = await newBrowserPage(page, appUrl)
  await signInAsNewUser(other, password)
  await other.goto(link)
  await expect(other.getByRole('heading', { name: 'This link is for another account' })).toBeVisible()
  await expectAccessible(other)
  await other.context().close()

  const phone = await newBrowserPage(page, appUrl)
  await phone.goto(link)
  await phone.getByLabel('Email').fill(formerEmail)
  await phone.getByLabel('Password', { exact: true }).fill(password)
  await phone.getByRole('button', { name: 'Sign in', exact: true }).click()
  await phone.getByRole('button', { name: 'Confirm email' }).click()
  await expect(phone.getByRole('status')).toContainText(email)
  await phone.context().close()
})

test('a user who reports the change as not theirs gets the old email back, and every session ends', async ({
  page,
  password,
  appUrl,
}) => {
  const formerEmail = await signInAsNewUser(page, password)
  const email = randomEmail().toLowerCase()
  await requestChange(page, email)
  await page.goto(linkIn(await waitForEmail(email, 'Confirm your new email')))
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await expect(page.getByRole('status')).toContainText(email)

  const owner = await newBrowserPage(page, appUrl)
  await owner.goto(linkIn(await waitForEmail(formerEmail, 'Your email was changed')))
  await expect(owner.getByText(`Your email goes back to ${formerEmail}`)).toBeVisible()
  await owner.getByRole('button', { name: 'Lock everyone out' }).click()
  await expect(owner.getByRole('status')).toContainText(formerEmail)
  expect(await sessionOf(page)).toBeNull()
  expect(await query('select 1 from users where email = $1', [formerEmail])).toHaveLength(1)
  await owner.context().close()
})

test('a password reset link sent before the change no longer works', async ({ page, password }) => {
  const formerEmail = await signInAsNewUser(page, password)
  await page.goto('/forgot')
  await page.getByLabel('Email').fill(formerEmail)
  await page.getByRole('button', { name: /link/i }).click()
  const reset = linkIn(await waitForEmail(formerEmail, 'Reset your password'))
  const email = randomEmail().toLowerCase()
  await requestChange(page, email)
  await page.goto(linkIn(await waitForEmail(email, 'Confirm your new email')))
  await page.getByRole('button', { name: 'Confirm email' }).click()
  await expect(page.getByRole('status')).toContainText(email)
  await page.goto(reset)
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
})

test('a user who cancels the change keeps their email', async ({ page, password }) => {
  const formerEmail = await signInAsNewUser(page, password)
  const email = randomEmail().toLowerCase()
  await requestChange(page, email)
  const link = linkIn(await waitForEmail(email, 'Confirm your new email'))
  await page.goto('/account/email')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel change' }).click()
  await expect(page.getByText('Waiting for you to confirm')).toHaveCount(0)
  expect((await sessionOf(page)).user.email).toBe(formerEmail)
  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
})

test('a user without a password connects a second provider, sets a password, and can then disconnect both', async ({
  page,
}) => {
  test.slow()
  const email = randomEmail().toLowerCase()
  await continueWith(page, 'Google', email)
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/account/connections')
  await expectAccessible(page)
  await waitForHydration(page)
  await page.getByRole('link', { name: 'Disconnect… Google' }).click()
  const dialog = page.getByRole('dialog', { name: 'Disconnect Google?' })
  await dialog.getByRole('button', { name: 'Disconnect' }).click()
  await expect(dialog.getByRole('alert')).toContainText('your only sign-in method')
  await expectAccessible(page)
  await dialog.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Connect GitHub' }).click()
  await page.getByRole('button', { name: 'Connect GitHub' }).click()
  await authorizeAt(page, 'GitHub', email)
  await expect(page.getByRole('heading', { name: 'GitHub is connected' })).toBeVisible()

  await page.goto('/account/password')
  await expectAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill('short')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/Use at least/)
  await page.getByLabel('Password', { exact: true }).fill('an entirely new one')
  await page.getByRole('button', { name: 'Set password' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText('Password set')
  for (const name of ['Disconnect… Google', 'Disconnect… GitHub']) {
    await page.goto('/account/connections')
    await waitForHydration(page)
    await page.getByRole('link', { name }).click()
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
    await expect(page).toHaveURL('/account/connections')
    await expect(page.getByRole('link', { name })).toHaveCount(0)
  }
  await waitForSentEmails()
  await page.context().clearCookies()
  await startSession(page, email, 'an entirely new one')
})
