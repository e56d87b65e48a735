import { expect, expectAccessible, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { waitForShortcuts } from '../../../tests/app/support/palette.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, sessionOf } from '../../../tests/app/support/sign-in.ts'
import { chooseFromMenu, passwordField, toast, waitForRouter } from './e2e-dialogs.ts'
import {
  createUser,
  createUsers,
  expectNoHorizontalScroll,
  notFoundHeading,
  reauthenticate,
  signInAsAdmin,
  uniqueWord,
} from './e2e-users.ts'

const isSuspended = async (id: string) =>
  (await query<{ is: boolean }>('select suspended_at is not null as is from users where id = $1', [id]))[0]?.is
const rolesOf = async (...ids: string[]) => {
  const rows = await query<{ id: string; role: string }>('select id, role from users where id = any($1)', [ids])
  return ids.map((id) => rows.find((row) => row.id === id)?.role)
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin suspends a user, and undoes it with the toast', async ({ page, password, appUrl }) => {
      await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, email, password)
      await page.goto(`/admin/users/${id}/suspend`)
      await expect(page.getByRole('heading', { name: `Suspend ${name}?`, level: 1 })).toBeVisible()
      await expect(page.getByRole('main')).toContainText('Signs them out everywhere.')
      await expect(passwordField(page)).toHaveCount(0)
      await page.getByRole('button', { name: 'Suspend', exact: true }).click()
      await expect(page).toHaveURL(new RegExp(`/admin/users/${id}\\?done=suspended`))
      await expect(toast(page)).toContainText('User suspended.')
      expect(await isSuspended(id)).toBe(true)
      expect(await sessionOf(other)).toBeNull()
      await toast(page).getByRole('button', { name: 'Undo' }).click()
      await expect(toast(page)).toContainText('User restored.')
      expect(await isSuspended(id)).toBe(false)
      await startSession(other, email, password)
      await other.context().close()
    })

    test('a role is changed from the list, which keeps its filters, and the change is undone', async ({
      page,
      password,
    }) => {
      await signInAsAdmin(page, password)
      const { id, name } = await createUser()
      const list = `/admin/users?search=${encodeURIComponent(name)}`
      await page.goto(`/admin/users/${id}/role?from=${encodeURIComponent(list)}`)
      await page.getByLabel('Role', { exact: true }).selectOption('editor')
      await page.getByRole('button', { name: 'Change role' }).click()
      await expect(toast(page)).toContainText('Role changed to Editor.')
      expect(new URL(page.url()).pathname).toBe('/admin/users')
      expect(new URL(page.url()).searchParams.get('search')).toBe(name)
      expect(await rolesOf(id)).toEqual(['editor'])
      await toast(page).getByRole('button', { name: 'Undo' }).click()
      await expect(toast(page)).toContainText('Role change undone.')
      expect(new URL(page.url()).searchParams.get('search')).toBe(name)
      expect(await rolesOf(id)).toEqual(['viewer'])
    })

    test('without a recent reauthentication, the dialog asks for the password; a wrong one does nothing', async ({
      page,
      password,
    }) => {
      const admin = await signInAsAdmin(page, password)
      const { id } = await createUser()
      await expireReauthentication(admin.email)
      await page.goto(`/admin/users/${id}/suspend`)
      const submit = page.getByRole('button', { name: 'Suspend', exact: true })
      for (const [typed, message] of [
        ['', /Enter your password/],
        ['not the password', /Incorrect password/],
      ] as const) {
        await passwordField(page).fill(typed)
        await submit.click()
        await expect(passwordField(page)).toHaveAccessibleDescription(message)
        await expect(passwordField(page)).toHaveValue('')
        if (javaScriptEnabled) await expect(passwordField(page)).toBeFocused()
        expect(await isSuspended(id)).toBe(false)
      }
      await passwordField(page).fill(password)
      await submit.click()
      await expect(toast(page)).toContainText('User suspended.')
      expect(await isSuspended(id)).toBe(true)
      // It holds for an hour, for other actions, too.
      await page.goto(`/admin/users/${id}/restore`)
      await expect(passwordField(page)).toHaveCount(0)
      await page.getByRole('button', { name: 'Restore' }).click()
      await expect(toast(page)).toContainText('User restored.')
    })

    test('an admin with a second factor is asked for the code, too, or goes to the page for other ways', async ({
      page,
      password,
    }) => {
      const [account] = await query<{ table: string | null }>(`select to_regclass('account_totp')::text as table`)
      test.skip(!account?.table, 'the account module, which provides the second factor, is not installed')
      const admin = await signInAsAdmin(page, password)
      const { id } = await createUser()
      await query(`insert into account_totp (user_id, secret, confirmed_at) values ($1, 'encrypted', now())`, [
        admin.id,
      ])
      await expireReauthentication(admin.email)
      await page.goto(`/admin/users/${id}/suspend`)
      await passwordField(page).fill(password)
      await page.getByRole('button', { name: 'Suspend', exact: true }).click()
      await expect(page.getByLabel('Authentication code')).toHaveAccessibleDescription(/Enter the code/)
      expect(await isSuspended(id)).toBe(false)
      await page.getByRole('link', { name: 'Try another way' }).click()
      await expect(page).toHaveURL(`/confirm?callbackUrl=${encodeURIComponent(`/admin/users/${id}/suspend`)}`)
      await reauthenticate(page, password)
      await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
      expect(await isSuspended(id)).toBe(false)
    })

    test('an admin suspends selected users, sees the first five, and undoes it', async ({ page, password }) => {
      const admin = await signInAsAdmin(page, password)
      const users = await createUsers(uniqueWord(), 6)
      const ids = [...users.map(({ id }) => id), admin.id]
      await page.goto(`/admin/users/suspend?${ids.map((id) => `ids=${id}`).join('&')}`)
      await expect(page.getByRole('heading', { name: 'Suspend 6 users?', level: 1 })).toBeVisible()
      await expect(page.getByRole('list', { name: 'Selected users' }).getByRole('listitem')).toHaveCount(5)
      await expect(page.getByRole('main')).toContainText('and 1 more')
      await expect(page.getByRole('main')).toContainText('You’re left out.')
      await page.getByRole('button', { name: 'Suspend 6 users' }).click()
      await expect(page).toHaveURL(/\/admin\/users\?done=suspended&count=6/)
      await expect(toast(page)).toContainText('6 users suspended.')
      for (const { id } of users) expect(await isSuspended(id)).toBe(true)
      expect(await isSuspended(admin.id)).toBe(false)
      await toast(page).getByRole('button', { name: 'Undo' }).click()
      await expect(toast(page)).toContainText('6 users restored.')
      for (const { id } of users) expect(await isSuspended(id)).toBe(false)
    })

    test('an admin changes the role of selected users, and signs them out', async ({ page, password, appUrl }) => {
      await signInAsAdmin(page, password)
      const [one, two] = [await createUser(), await createUser({ role: 'editor' })]
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, one.email, password)
      await page.goto(`/admin/users/role?ids=${one.id},${two.id}`)
      await page.getByLabel('Role', { exact: true }).selectOption('admin')
      await page.getByRole('button', { name: 'Change role' }).click()
      await expect(toast(page)).toContainText('2 users changed to Admin.')
      expect(await rolesOf(one.id, two.id)).toEqual(['admin', 'admin'])
      await toast(page).getByRole('button', { name: 'Undo' }).click()
      await expect(toast(page)).toContainText('Role change undone.')
      expect(await rolesOf(one.id, two.id)).toEqual(['viewer', 'editor'])

      await page.goto(`/admin/users/sign-out?ids=${one.id}&ids=${two.id}`)
      await page.getByRole('button', { name: 'Sign out 2 users' }).click()
      await expect(toast(page)).toContainText('Signed out everywhere.')
      expect(await sessionOf(other)).toBeNull()
      await other.context().close()
    })

    test('deleting a user requires typing their email, and returns to the list', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      await page.goto(`/admin/users/${id}/delete`)
      const field = page.getByLabel('Type their email to confirm')
      await field.fill('yes')
      await page.getByRole('button', { name: 'Delete user' }).click()
      await expect(field).toHaveAccessibleDescription(/Type this user’s email exactly/)
      await expect(field).toHaveValue('yes')
      await field.fill(email)
      await page.getByRole('button', { name: 'Delete user' }).click()
      await expect(page).toHaveURL('/admin/users?done=deleted')
      await expect(toast(page)).toContainText('User deleted.')
      await expect(page.getByRole('main')).not.toContainText(name)
      expect((await page.goto(`/admin/users/${id}/delete`))?.status()).toBe(404)
    })
  })
}

test('what is not possible says why, instead of a button', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  const [user, suspended] = [await createUser(), await createUser()]
  await query('update users set suspended_at = now() where id = $1', [suspended.id])
  for (const [path, reason] of [
    [`${admin.id}/suspend`, 'You can’t suspend yourself.'],
    [`${admin.id}/delete`, 'Delete your own account in Settings.'],
    [`${admin.id}/two-factor`, 'Ask another admin.'],
    [`${admin.id}/impersonate`, 'Admins can’t be impersonated.'],
    [`${suspended.id}/suspend`, 'suspended already'],
    [`${suspended.id}/reset`, 'Restore this user before sending a reset link.'],
    [`${user.id}/restore`, 'This user isn’t suspended.'],
    [`${user.id}/two-factor`, 'no two-factor authentication'],
    [`suspend?ids=${admin.id}`, 'only yourself'],
    [`suspend?ids=${crypto.randomUUID()}`, 'no longer exist'],
  ] as const) {
    await page.goto(`/admin/users/${path}`)
    await expect(page.getByRole('main'), path).toContainText(reason)
    await expect(page.getByRole('main').getByRole('button'), path).toHaveCount(0)
  }
  await page.goto(`/admin/users/suspend?ids=nonsense`)
  await expect(page).toHaveURL('/admin/users')
  await page.goto(`/admin/users/nobody/suspend`)
  await expect(notFoundHeading(page)).toBeVisible()
})

test('a URL that was made up shows no text of its own, and leads nowhere else', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const { id } = await createUser()
  for (const params of ['done=Your+account+is+locked', 'done=role&to=king', 'done=constructor']) {
    await page.goto(`/admin/users?${params}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
    await expect(toast(page)).toHaveCount(0)
  }
  // The token of an undo names no one, and cannot be made up.
  await query('update users set suspended_at = now() where id = $1', [id])
  await page.goto(`/admin/users?done=suspended&undo=${'x'.repeat(119)}`)
  await toast(page).getByRole('button', { name: 'Undo' }).click()
  await expect(toast(page).getByRole('alert')).toContainText('It’s too late to undo this.')
  expect(await isSuspended(id)).toBe(true)

  await page.goto(`/admin/users/${id}/restore?from=${encodeURIComponent('https://evil.example/')}`)
  await expect(page.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', `/admin/users/${id}`)
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(toast(page)).toContainText('User restored.')
  expect(new URL(page.url()).pathname).toBe(`/admin/users/${id}`)
})

test('a toast leaves after a few seconds, but not while it is focused, and a reload does not repeat it', async ({
  page,
  password,
}) => {
  await signInAsAdmin(page, password)
  const { id } = await createUser()
  await page.clock.install()
  await page.goto(`/admin/users/${id}/suspend`)
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await expect(toast(page)).toContainText('User suspended.')
  await toast(page).getByRole('button', { name: 'Undo' }).focus()
  await page.clock.runFor(20_000)
  await expect(toast(page)).toBeVisible()
  await toast(page)
    .getByRole('button', { name: 'Undo' })
    .evaluate((button) => button.blur())
  await page.clock.runFor(20_000)
  await expect(toast(page)).toHaveCount(0)
  await expect(page).toHaveURL(`/admin/users/${id}`)
  await page.reload()
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
  await expect(toast(page)).toHaveCount(0)
})

test('a toast with an undo button stays long enough to reach it, and “z” presses it', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const { id } = await createUser()
  await page.clock.install()
  await page.goto(`/admin/users/${id}/suspend`)
  await page.getByRole('button', { name: 'Suspend', exact: true }).click()
  await expect(toast(page)).toContainText('User suspended.')
  await page.clock.runFor(15_000)
  await waitForShortcuts(page)
  await page.keyboard.press('z')
  await page.clock.runFor(1_000)
  await expect(toast(page)).toContainText('User restored.')
  expect(await isSuspended(id)).toBe(false)
})

test('from within the app a dialog opens over the page, with focus on the safe button, and Escape closes it', async ({
  page,
  password,
}) => {
  await signInAsAdmin(page, password)
  const email = `invited-${uniqueWord()}@example.com`
  const other = `other-${email}`
  await query(`insert into admin_invitations (email, role) values ($1, 'viewer'), ($2, 'viewer')`, [email, other])
  await page.goto('/admin/invitations')
  await waitForRouter(page)
  const menu = `Actions for ${email}`
  await chooseFromMenu(page, menu, 'Revoke…')
  const dialog = page.getByRole('dialog', { name: `Revoke the invitation of ${email}?` })
  await expect(dialog).toBeVisible()
  await expect(page).toHaveURL(/\/admin\/invitations\/[\w-]+\/revoke$/)
  await expect(dialog.getByRole('link', { name: 'Cancel' })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL('/admin/invitations')
  await expect(page.getByRole('button', { name: menu })).toBeFocused()

  await chooseFromMenu(page, menu, 'Revoke…')
  await dialog.getByRole('link', { name: 'Cancel' }).click()
  await expect(dialog).toHaveCount(0)
  await expect(page).toHaveURL('/admin/invitations')

  // What has opened the dialog is gone: the focus is not lost.
  await chooseFromMenu(page, `Actions for ${other}`, 'Revoke…')
  const otherDialog = page.getByRole('dialog', { name: `Revoke the invitation of ${other}?` })
  await otherDialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(otherDialog).toHaveCount(0)
  await expect(page.getByText(other)).toHaveCount(0)
  await expect(page.locator('#main')).toBeFocused()

  // A reload shows the same form as a page.
  await chooseFromMenu(page, menu, 'Revoke…')
  await expect(dialog).toBeVisible()
  await page.reload()
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('heading', { name: `Revoke the invitation of ${email}?`, level: 1 })).toBeVisible()
  await page.getByRole('button', { name: 'Revoke' }).click()
  await expect(page).toHaveURL('/admin/invitations?done=revoked')
  await expect(page.getByRole('row').filter({ hasText: email })).toHaveCount(0)
})

test('a dialog whose action succeeds closes, and Back does not open it again', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const email = `invited-${uniqueWord()}@example.com`
  await query(`insert into admin_invitations (email, role) values ($1, 'viewer')`, [email])
  await page.goto('/dashboard')
  await page.goto('/admin/invitations')
  await waitForRouter(page)
  await chooseFromMenu(page, `Actions for ${email}`, 'Revoke…')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await expect(toast(page)).toContainText('Invitation revoked.')
  await expect(dialog).toHaveCount(0)
  await expect(page.getByRole('row').filter({ hasText: email })).toHaveCount(0)
  await page.goBack()
  await expect(page).toHaveURL('/admin/invitations')
  await expect(dialog).toHaveCount(0)
})

test('the dialogs are accessible as pages, and do not scroll horizontally on a narrow screen', async ({
  page,
  password,
}) => {
  test.slow()
  const admin = await signInAsAdmin(page, password)
  const { id } = await createUser({ name: `${'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)} ${uniqueWord()}` })
  await expireReauthentication(admin.email)
  await page.setViewportSize({ width: 320, height: 640 })
  for (const path of [
    `users/${id}/role`,
    `users/${id}/reset`,
    `users/${id}/impersonate`,
    `users/${id}/sign-out`,
    `users/${id}/suspend`,
    `users/${id}/restore`,
    `users/${id}/delete`,
    `users/suspend?ids=${id}`,
    'invitations/new',
    'invitations',
  ]) {
    await page.goto(`/admin/${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
  }
})

for (const role of ['viewer', 'editor']) {
  test(`the dialogs are 404 for a user with the role ${role}`, async ({ page, password }) => {
    const { id, email } = await createUser({ role })
    await startSession(page, email, password)
    for (const path of [
      ...['role', 'reset', 'impersonate', 'sign-out', 'suspend', 'restore', 'two-factor', 'delete'].map(
        (act) => `users/${id}/${act}`,
      ),
      ...['role', 'sign-out', 'suspend'].map((act) => `users/${act}?ids=${id}`),
      'invitations/new',
      `invitations/${crypto.randomUUID()}/revoke`,
    ])
      expect((await page.goto(`/admin/${path}`))?.status(), path).toBe(404)
  })
}
