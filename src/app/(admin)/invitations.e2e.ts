import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { greeting } from '../../../tests/app/support/greeting.ts'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, sessionOf } from '../../../tests/app/support/sign-in.ts'
import { appName } from '../../brand.ts'
import { chooseFromMenu, passwordField, toast, waitForRouter } from './e2e-dialogs.ts'
import { signInAsAdmin } from './e2e-users.ts'

/** Who invites is in the subject. */
const subjectBy = ({ name }: { name: string }) => `${name} invited you to ${appName}`
const randomEmail = () => `invited-${crypto.randomUUID()}@example.com`
const newPassword = 'a long walk by the sea'

const row = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email })

/** Invites through the dialog, or through its page if scripts do not run. */
async function invite(page: Page, emails: string, role = 'viewer'): Promise<void> {
  await page.goto('/admin/invitations')
  await page.getByRole('link', { name: 'Invite users' }).first().click()
  await page.getByLabel('Emails').fill(emails)
  await page.getByLabel('Role', { exact: true }).selectOption(role)
  await page.getByRole('button', { name: 'Send invitations' }).click()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin invites two users; one joins with the role of the invitation', { tag: '@smoke' }, async ({
      page,
      password,
      appUrl,
    }) => {
      const subject = subjectBy(await signInAsAdmin(page, password))
      const [one, two] = [randomEmail(), randomEmail()]
      await invite(page, `${one}\n${two}`, 'editor')
      await expect(toast(page)).toContainText('2 invitations sent.')
      await expect(page.getByRole('dialog')).toHaveCount(0)
      if (javaScriptEnabled) await expectAccessible(page)
      for (const email of [one, two]) {
        await expect(row(page, email)).toContainText('Editor')
        await expect(row(page, email)).toContainText('Pending')
      }
      const entry = page.getByRole('navigation', { name: 'Main' }).getByRole('listitem')
      await expect(entry.filter({ hasText: 'Invitations' })).toHaveText(/^Invitations[\d,]+\+?$/)
      const tab = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Invited' })
      await expect(tab).toHaveAttribute('aria-current', 'page')
      await expect(tab).toHaveText(/[1-9]/)
      expect((await waitForEmail(two, subject)).text).toContain(`Your email: ${two}\nYour role: Editor`)

      const other = await newBrowserPage(page, appUrl)
      await other.goto(linkIn(await waitForEmail(one, subject)))
      await expect(other.getByRole('main')).toContainText(`You were invited as ${one}`)
      await other.getByLabel('Name').fill('Grace')
      await other.getByLabel('Password', { exact: true }).fill('short')
      await other.getByRole('button', { name: 'Join' }).click()
      await expect(other.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/Use at least/)
      await expect(other.getByLabel('Name')).toHaveValue('Grace')
      await other.getByLabel('Password', { exact: true }).fill(newPassword)
      await other.getByRole('button', { name: 'Join' }).click()
      await expect(greeting(other, 'Grace')).toBeVisible()
      expect((await sessionOf(other)).user).toMatchObject({ email: one, role: 'editor' })

      await other.goto(linkIn(await waitForEmail(one, subject)))
      await expect(other.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
      await page.goto('/admin/invitations')
      await expect(row(page, two)).toHaveCount(1)
      await expect(row(page, one)).toHaveCount(0)
      await other.context().close()
    })

    test('an invitation is resent, and revoked', async ({ page, password, appUrl }) => {
      const subject = subjectBy(await signInAsAdmin(page, password))
      const email = randomEmail()
      await invite(page, email)
      await expect(toast(page)).toContainText('Invitation sent.')
      const first = linkIn(await waitForEmail(email, subject))
      await query(`update admin_invitations set sent_at = now() - interval '8 days' where email = $1`, [email])
      await page.goto('/admin/invitations')
      await expect(row(page, email)).toContainText('Expired')
      if (javaScriptEnabled) await expectAccessible(page)
      await chooseFromMenu(page, `Actions for ${email}`, 'Resend…')
      await page.getByRole('button', { name: 'Resend' }).click()
      await expect(toast(page)).toContainText('Invitation resent.')
      await expect(row(page, email)).toContainText('Pending')
      await expect(row(page, email)).not.toContainText('Expired')

      const other = await newBrowserPage(page, appUrl)
      await other.goto(first)
      await expect(other.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(other)
      const second = await expect
        .poll(async () => linkIn(await waitForEmail(email, subject)))
        .not.toBe(first)
        .then(async () => linkIn(await waitForEmail(email, subject)))
      await other.goto(second)
      await expect(other.getByRole('main')).toContainText(email)
      if (javaScriptEnabled) await expectAccessible(other)

      await chooseFromMenu(page, `Actions for ${email}`, 'Revoke…')
      await page.getByRole('button', { name: 'Revoke' }).click()
      await expect(toast(page)).toContainText('Invitation revoked.')
      await expect(row(page, email)).toHaveCount(0)
      await other.reload()
      await expect(other.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
      await other.context().close()
    })
  })
}

test('the dialog starts with the emails, and Escape returns to the link that opened it', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  await page.goto('/admin/invitations')
  await waitForRouter(page)
  const link = page.getByRole('link', { name: 'Invite users' }).first()
  await link.click()
  const dialog = page.getByRole('dialog', { name: 'Invite users' })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByLabel('Emails')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL('/admin/invitations')
  await expect(link).toBeFocused()
})

test('existing users and invalid emails are rejected with a message at the field', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  await page.goto('/admin/invitations/new')
  const field = page.getByLabel('Emails')
  const known = await newUser()
  for (const [typed, message] of [
    [known, /Already a user/],
    ['ada', /Not a valid email: ada/],
    [' ', /at least one/],
  ] as const) {
    await field.fill(typed)
    await page.getByRole('button', { name: 'Send invitations' }).click()
    await expect(field).toHaveAccessibleDescription(message)
    await expect(field).toBeFocused()
  }
  await expectAccessible(page)
})

test('inviting requires a recent reauthentication, which the dialog asks for', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  await expireReauthentication(admin.email)
  const email = randomEmail()
  await page.goto('/admin/invitations')
  await waitForRouter(page)
  await page.getByRole('link', { name: 'Invite users' }).first().click()
  await expect(page.getByRole('dialog')).toBeVisible()
  await page.getByLabel('Emails').fill(email)
  await passwordField(page).fill('not the password')
  await page.getByRole('button', { name: 'Send invitations' }).click()
  await expect(passwordField(page)).toHaveAccessibleDescription(/Incorrect password/)
  await expect(page.getByLabel('Emails')).toHaveValue(email)
  expect(await query('select 1 from admin_invitations where email = $1', [email])).toEqual([])
  await passwordField(page).fill(password)
  await page.getByRole('button', { name: 'Send invitations' }).click()
  await expect(toast(page)).toContainText('Invitation sent.')
  await expect(row(page, email)).toHaveCount(1)
})
