import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { sessionOf, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

const row = (page: Page, title: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`^${title}`) })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('the security page shows the state of each sign-in method, and leads to its page', async ({
      page,
      password,
    }) => {
      const email = await signInAsNewUser(page, password)
      await page.goto('/account/security')
      await expect(page.getByText('Your account is protected by a password. Add a passkey')).toBeVisible()
      await expect(row(page, 'Password')).toContainText('Changed')
      await expect(row(page, 'Two-factor authentication')).toContainText('Off')
      await expect(row(page, 'Passkeys')).toContainText('None')
      await expect(row(page, 'Recovery codes')).toHaveCount(0)
      for (const [name, path] of [
        ['Change… password', '/account/password'],
        ['Turn on… two-factor authentication', '/account/two-factor'],
        ['Add… passkeys', '/account/passkeys'],
        ['Manage… connected accounts', '/account/connections'],
      ] as const) {
        await page.goto('/account/security')
        await page.getByRole('link', { name }).click()
        await expect(page).toHaveURL(path)
        const current = page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Security' })
        await expect(current).toHaveAttribute('aria-current', 'true')
      }

      await query(
        `insert into account_totp (user_id, secret, confirmed_at) select id, 'encrypted', now() from users where email = $1`,
        [email],
      )
      await query(
        `insert into accounts (provider, provider_account_id, user_id) select 'google', id::text, id from users where email = $1`,
        [email],
      )
      await query('delete from passwords where user_id = (select id from users where email = $1)', [email])
      await page.goto('/account/security')
      await expect(
        page.getByText('Your account is protected by two-factor authentication and your Google account.'),
      ).toBeVisible()
      await expect(row(page, 'Password')).toContainText('Not set')
      await expect(row(page, 'Two-factor authentication')).toContainText('On')
      await expect(row(page, 'Recovery codes')).toContainText('0 codes left')
      await expect(row(page, 'Connected accounts')).toContainText('Google')
    })
  })
}

test('the security page is accessible on a phone, and does not ask for the password', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  await expireReauthentication(email)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/account/security')
  await expect(page).toHaveURL('/account/security')
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  expect((await sessionOf(page)).user.email).toBe(email)
})
