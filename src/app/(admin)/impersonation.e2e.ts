import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { greeting } from '../../../tests/app/support/greeting.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { sessionOf } from '../../../tests/app/support/sign-in.ts'
import { passwordField } from './e2e-dialogs.ts'
import { alertMessage, createUser, signInAsAdmin, uniqueWord } from './e2e-users.ts'

const impersonateButton = (page: Page) => page.getByRole('button', { name: 'Impersonate', exact: true })

async function impersonate(page: Page, id: string): Promise<void> {
  await page.goto(`/admin/users/${id}/impersonate`)
  await impersonateButton(page).click()
  await expect(page).toHaveURL('/dashboard')
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin impersonates a user, sees a banner on every page, cannot change their account, and stops', async ({
      page,
      password,
    }) => {
      const admin = await signInAsAdmin(page, password)
      const user = await createUser()
      await page.goto(`/admin/users/${user.id}/impersonate`)
      await expect(page.getByRole('heading', { name: `Impersonate ${user.name}?` })).toBeVisible()
      await expect(page.getByRole('main')).toContainText('for up to 30 minutes')
      await impersonateButton(page).click()
      await expect(greeting(page, 'Grace')).toBeVisible()
      expect((await sessionOf(page)).user).toMatchObject({ id: user.id, role: 'viewer' })
      const banner = page.getByRole('region', { name: 'Impersonation' })
      for (const path of ['/dashboard', '/account/profile', '/account/sessions']) {
        await page.goto(path)
        await expect(banner, path).toContainText(`You’re impersonating ${user.name} (${user.email})`)
        if (javaScriptEnabled) await expectAccessible(page)
      }
      expect((await page.goto('/admin/users'))?.status()).toBe(404)

      await page.goto('/account/profile')
      await page.getByLabel('Name').fill(uniqueWord())
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(alertMessage(page)).toContainText('You can’t do this while impersonating')
      expect((await sessionOf(page)).user.name).toBe(user.name)

      await page.goto('/dashboard')
      await banner.getByRole('button', { name: 'Stop' }).click()
      await expect(greeting(page, 'Ada')).toBeVisible()
      await expect(banner).toHaveCount(0)
      expect((await sessionOf(page)).user).toMatchObject({ id: admin.id, role: 'admin' })
      expect(
        await query('select kind, actor_id from audit_events where target_id = $1 and kind like $2 order by id', [
          user.id,
          'impersonation.%',
        ]),
      ).toEqual([
        { kind: 'impersonation.started', actor_id: admin.id },
        { kind: 'impersonation.ended', actor_id: admin.id },
      ])
      expect(await query('select id from sessions where user_id = $1', [user.id])).toEqual([])
    })
  })
}

test('the banner says how many minutes are left, and then the session ends', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const user = await createUser()
  await impersonate(page, user.id)
  const banner = page.getByRole('region', { name: 'Impersonation' })
  const startedAgo = (minutes: number) =>
    query(`update sessions set created_at = now() - make_interval(mins => $2) where user_id = $1`, [user.id, minutes])
  await startedAgo(20)
  await page.reload()
  await expect(banner).toContainText(/· (9|10) min left\./)
  await startedAgo(30)
  await page.reload()
  await expect(page).toHaveURL(/\/signin/)
  expect(await sessionOf(page)).toBeNull()
})

test('static pages show the impersonation banner, too', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const user = await createUser()
  const notice = page.getByText('You’re impersonating someone.')
  await page.goto('/signed-out')
  await expect(notice).toBeHidden()
  await impersonate(page, user.id)
  await expect(notice).toBeHidden()
  await page.goto('/signed-out')
  await expect(notice).toBeVisible()
  await expectAccessible(page)
})

test('admins and suspended users cannot be impersonated, and it requires reauthentication', async ({
  page,
  password,
}) => {
  const admin = await signInAsAdmin(page, password)
  const [other, suspended, user] = [await createUser({ role: 'admin' }), await createUser(), await createUser()]
  await query('update users set suspended_at = now() where id = $1', [suspended.id])
  for (const [id, reason] of [
    [other.id, 'Admins can’t be impersonated.'],
    [admin.id, 'Admins can’t be impersonated.'],
    [suspended.id, 'Suspended users can’t be impersonated.'],
  ] as const) {
    await page.goto(`/admin/users/${id}/impersonate`)
    await expect(page.getByRole('main')).toContainText(reason)
    await expect(impersonateButton(page)).toHaveCount(0)
  }
  await expireReauthentication(admin.email)
  await page.goto(`/admin/users/${user.id}/impersonate`)
  await impersonateButton(page).click()
  await expect(passwordField(page)).toHaveAccessibleDescription(/Enter your password/)
  expect((await sessionOf(page)).user.id).toBe(admin.id)
  await passwordField(page).fill(password)
  await impersonateButton(page).click()
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.id).toBe(user.id)
})
