import type { Page } from '@playwright/test'
import { expect, expectAccessible, signIn, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, sessionOf } from '../../../tests/app/support/sign-in.ts'
import {
  alertMessage,
  createUser,
  expectNoHorizontalScroll,
  notFoundHeading,
  rows,
  section,
  signInAsAdmin,
} from './e2e-users.ts'

const fact = (page: Page, name: string) => page.locator(`dt:text-is("${name}") + dd`)
const activity = (page: Page) => section(page, 'Recent activity').getByRole('listitem')
const sessionItems = (page: Page) => section(page, 'Active sessions').getByRole('listitem')
const tab = (page: Page, name: string | RegExp) =>
  page.getByRole('navigation', { name: /^Pages about/ }).getByRole('link', { name })
/** The result of the last action, which is announced. */
const result = (page: Page) => page.getByRole('status').locator('[data-slot="toast"]')

/** Opens a dialog by its link on the page. Without JavaScript, or before the router is ready, it is a page of its own. */
async function openDialog(page: Page, link: string, title: string): Promise<void> {
  await page.getByRole('link', { name: link, exact: true }).click()
  await expect(page.getByRole('heading', { name: title })).toBeVisible()
}

/** Does what the open dialog asks for. */
const submit = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true }).click()

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a role change takes effect at the next request of the signed-in user', { tag: '@smoke' }, async ({
      page,
      password,
      appUrl,
    }) => {
      const admin = await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, email, password)
      // Checks the status: Next renders the not-found page only with JavaScript.
      const openUsersPage = async () => (await other.goto('/admin/users'))?.status()
      expect(await openUsersPage()).toBe(404)

      const change = async (from: string, to: string) => {
        await page.goto(`/admin/users/${id}`)
        await openDialog(page, 'Change role', `Change the role of ${name}`)
        await page.getByLabel('Role', { exact: true }).selectOption({ label: to })
        await submit(page, 'Change role')
        await expect(result(page)).toContainText(`Role changed to ${to}.`)
        await expect(page.getByRole('main').getByText(to, { exact: true }).first()).toBeVisible()
        await expect(activity(page).first()).toContainText(`${admin.name} changed Grace’s role from ${from} to ${to}`)
      }
      await change('Viewer', 'Admin')
      expect(await openUsersPage()).toBe(200)
      await expect(other.getByRole('heading', { name: 'Users', level: 1 })).toBeAttached()
      expect((await sessionOf(other)).user.role).toBe('admin')

      await change('Admin', 'Viewer')
      expect(await openUsersPage()).toBe(404)
      expect((await sessionOf(other)).user).toMatchObject({ email, role: 'viewer' })
      await other.context().close()
    })

    test('a user is suspended and restored on their page, which says so', async ({ page, password, appUrl }) => {
      const admin = await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, email, password)
      await page.goto(`/admin/users/${id}`)
      await openDialog(page, 'Suspend', `Suspend ${name}?`)
      await submit(page, 'Suspend')
      await expect(result(page)).toContainText('User suspended.')
      await expect(section(page, 'Danger zone')).toContainText('This user can’t sign in')
      await expect(section(page, 'Active sessions')).toContainText('No active sessions')
      await expect(fact(page, 'Suspended')).toBeVisible()
      await expect(activity(page).first()).toContainText(`${admin.name} suspended Grace`)
      expect(await sessionOf(other)).toBeNull()
      // A reset link is useless for a user who cannot sign in.
      await expect(page.getByRole('link', { name: 'Send password reset' })).toHaveCount(0)
      await expect(section(page, 'Sign-in & security')).toContainText('Restore this user before sending a reset link')

      await openDialog(page, 'Restore', `Restore ${name}?`)
      await submit(page, 'Restore')
      await expect(result(page)).toContainText('User restored.')
      await expect(section(page, 'Danger zone').getByRole('link', { name: 'Suspend' })).toBeVisible()
      await expect(activity(page).first()).toContainText(`${admin.name} restored Grace`)
      await startSession(other, email, password)
      await other.context().close()
    })

    test('deleting a user requires typing their email', { tag: '@smoke' }, async ({ page, password, appUrl }) => {
      await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, email, password)
      const field = page.getByLabel('Type their email to confirm')
      for (const wrong of ['', 'yes', 'admin@example.com']) {
        await page.goto(`/admin/users/${id}`)
        await openDialog(page, 'Delete', `Delete ${name}?`)
        await field.fill(wrong)
        await submit(page, 'Delete user')
        await expect(field).toHaveAttribute('aria-invalid', 'true')
        await expect(field).toHaveAccessibleDescription(/Type this user’s email exactly/)
        await expect(field).toHaveValue(wrong)
        if (javaScriptEnabled) await expect(field).toBeFocused()
      }
      expect((await sessionOf(other)).user.email).toBe(email)

      await field.fill(email.toUpperCase())
      await submit(page, 'Delete user')
      await expect(page).toHaveURL('/admin/users?done=deleted')
      await expect(result(page)).toContainText('User deleted.')
      expect(await sessionOf(other)).toBeNull()
      await signIn(other, email, password)
      await expect(alertMessage(other)).toHaveText('Incorrect email or password')
      await page.goto(`/admin/users?search=${email}`)
      await expect(page.getByText('No users match')).toBeVisible()
      for (const path of ['', '/sessions', '/activity'])
        expect((await page.goto(`/admin/users/${id}${path}`))?.status()).toBe(404)
      await other.context().close()
    })

    test('one session is ended, then all, and the page confirms it', async ({ page, password, appUrl }) => {
      const admin = await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      const others = [
        await newBrowserPage(page, appUrl),
        await newBrowserPage(page, appUrl),
        await newBrowserPage(page, appUrl),
      ]
      for (const other of others) await startSession(other, email, password)
      const countAlive = async () => {
        const sessions = await Promise.all(others.map(sessionOf))
        return sessions.filter((session) => session !== null).length
      }
      await page.goto(`/admin/users/${id}`)
      await expect(sessionItems(page)).toHaveCount(3)
      await expect(sessionItems(page).first()).toContainText(/Chrome on .*10\.[\d.]+.* · Signed in with a password/)
      await expect(tab(page, /^Sessions\s*3$/)).toBeVisible()
      await sessionItems(page).first().getByRole('button', { name: 'Sign out' }).click()
      await expect(sessionItems(page)).toHaveCount(2)
      expect(await countAlive()).toBe(2)

      await tab(page, /^Sessions/).click()
      await expect(page).toHaveURL(`/admin/users/${id}/sessions`)
      await expect(sessionItems(page)).toHaveCount(2)
      await openDialog(page, 'Sign out everywhere', `Sign ${name} out everywhere?`)
      await submit(page, 'Sign out everywhere')
      await expect(result(page)).toContainText('Signed out everywhere.')
      expect(new URL(page.url()).pathname).toBe(`/admin/users/${id}/sessions`)
      await expect(section(page, 'Active sessions')).toContainText('No active sessions')
      expect(await countAlive()).toBe(0)
      await page.goto(`/admin/users/${id}`)
      await expect(activity(page).first()).toContainText(`${admin.name} signed Grace out everywhere`)
      for (const other of others) await other.context().close()
    })

    test('the second factor is removed: sign-in needs no code, and the user is notified', async ({
      page,
      password,
      appUrl,
    }) => {
      const [account] = await query<{ table: string | null }>(`select to_regclass('account_totp')::text as table`)
      test.skip(!account?.table, 'the account module, which provides the second factor, is not installed')
      const admin = await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      await page.goto(`/admin/users/${id}`)
      await expect(fact(page, 'Passkeys')).toHaveText('None')
      await expect(fact(page, 'Two-factor')).toHaveText('Off')
      await expect(page.getByRole('link', { name: 'Turn off two-factor' })).toHaveCount(0)

      const other = await newBrowserPage(page, appUrl)
      await startSession(other, email, password)
      await query(`insert into account_totp (user_id, secret, confirmed_at) values ($1, 'encrypted', now())`, [id])
      const third = await newBrowserPage(page, appUrl)
      await signIn(third, email, password)
      await expect(third.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()

      await page.reload()
      await expect(fact(page, 'Two-factor')).toHaveText('On')
      await openDialog(page, 'Turn off two-factor', `Turn off two-factor for ${name}?`)
      await submit(page, 'Turn off two-factor')
      await expect(result(page)).toContainText('Two-factor turned off.')
      await expect(fact(page, 'Two-factor')).toHaveText('Off')
      await expect(page.getByRole('link', { name: 'Turn off two-factor' })).toHaveCount(0)
      await expect(section(page, 'Recent activity')).toContainText(
        `${admin.name} turned off two-factor authentication for Grace`,
      )
      expect(await sessionOf(other)).toBeNull()
      const notice = await waitForEmail(email, 'Two-factor authentication is off')
      expect(notice.text).toContain('Done by: An admin')
      expect(notice.text).not.toMatch(/Device|IP address/)
      await startSession(third, email, password)
      for (const each of [other, third]) await each.context().close()
    })

    test('everything else an admin can do is in a menu, and leads to a dialog', async ({ page, password, appUrl }) => {
      await signInAsAdmin(page, password)
      const { id, name, email } = await createUser()
      const other = await newBrowserPage(page, appUrl)
      await startSession(other, email, password)
      const menu = page.getByRole('group', { name: 'More actions' })
      for (const [item, title] of [
        ['Send password reset…', `Send ${name} a password reset?`],
        ['Sign out everywhere…', `Sign ${name} out everywhere?`],
        ['Suspend…', `Suspend ${name}?`],
        ['Delete…', `Delete ${name}?`],
      ] as const) {
        await page.goto(`/admin/users/${id}/activity`)
        await expect(menu).toBeHidden()
        await page.getByRole('button', { name: 'More actions' }).click()
        await menu.getByRole('link', { name: item }).click()
        await expect(page.getByRole('heading', { name: title })).toBeVisible()
        // Back to the tab that it was opened from.
        await page.getByRole('link', { name: 'Cancel' }).click()
        await expect(page).toHaveURL(`/admin/users/${id}/activity`)
      }
      await other.context().close()
    })
  })
}

test('the user page shows all details', async ({ page, context, password }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInAsAdmin(page, password)
  const { id, name, email } = await createUser({ role: 'editor' })
  const [joined] = await query<{ on: string }>(
    `update users set email_verified_at = null, created_at = now() - interval '3 days' where id = $1
     returning to_char(created_at at time zone 'UTC', 'Mon FMDD, YYYY') as on`,
    [id],
  )
  await query('delete from passwords where user_id = $1', [id])
  await page.goto(`/admin/users?search=${email}`)
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`/admin/users/${id}\\?`))
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  await expect(page).toHaveTitle(new RegExp(`^${name} · `))
  const main = page.getByRole('main')
  await expect(main.getByText(email).first()).toBeVisible()
  await expect(main.getByText('Verified', { exact: true })).toHaveCount(0)
  await expect(main.getByText('Editor', { exact: true }).first()).toBeVisible()
  await expect(main.getByText('Active', { exact: true })).toBeVisible()
  await expect(main.getByText('Unverified')).toBeVisible()
  await expect(main.getByText('Never signed in')).toBeVisible()
  await expect(fact(page, 'Joined')).toHaveText(joined?.on ?? '')
  await expect(fact(page, 'Joined').locator('time')).toHaveAttribute('title', /, \d{4}, .+ UTC$/)
  await expect(fact(page, 'Email verified')).toHaveText('No')
  await expect(fact(page, 'Password')).toHaveText('Not set')
  await expect(fact(page, 'Connected')).toHaveText('None')
  await expect(fact(page, 'User ID')).toContainText(id)
  await page.getByRole('button', { name: 'Copy user ID' }).click()
  await expect(fact(page, 'User ID').getByText('Copied')).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)
  await expect(section(page, 'Active sessions')).toContainText('No active sessions')
  await expect(section(page, 'Recent activity')).toContainText('No activity yet')
  await expect(section(page, 'Recent activity').getByRole('link', { name: 'View all' })).toHaveCount(0)

  const other = await createUser()
  await query(`insert into accounts (user_id, provider, provider_account_id) values ($1, 'github', $2)`, [
    other.id,
    other.id,
  ])
  await page.goto(`/admin/users/${other.id}`)
  await expect(fact(page, 'Password')).toHaveText('Set')
  await expect(fact(page, 'Connected')).toHaveText('GitHub')
  await expect(main.getByText('Unverified')).toHaveCount(0)
  await expect(main.getByText('Verified', { exact: true })).toBeAttached()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Users' }).click()
  await expect(page).toHaveURL('/admin/users')

  for (const invalidPath of [
    crypto.randomUUID(),
    'nobody',
    `${id}x`,
    `${id}/nothing`,
    `${crypto.randomUUID()}/sessions`,
  ]) {
    const response = await page.goto(`/admin/users/${invalidPath}`)
    await expect(notFoundHeading(page)).toBeVisible()
    expect(response?.status()).toBe(404)
  }
})

test('modules add tabs with a number, and each tab is a page of its own', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const { id, name } = await createUser({ role: 'editor' })
  const [tables] = await query<{ posts: string | null; tokens: string | null }>(
    `select to_regclass('content_posts')::text as posts, to_regclass('account_api_tokens')::text as tokens`,
  )
  if (tables?.posts)
    await query(
      `insert into content_posts (author_id, title) select $1, 'Post ' || number from generate_series(1, 27) number`,
      [id],
    )
  if (tables?.tokens)
    await query(
      `insert into account_api_tokens (user_id, hash, name, role, expires_at)
       values ($1, decode(md5(random()::text), 'hex'), 'Deploy script', 'viewer', now() + interval '30 days')`,
      [id],
    )
  await page.goto(`/admin/users/${id}`)
  await expect(tab(page, 'Overview')).toHaveAttribute('aria-current', 'page')
  await tab(page, 'Activity').click()
  await expect(page).toHaveURL(`/admin/users/${id}/activity`)
  await expect(tab(page, 'Activity')).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()

  await expect(tab(page, /^Posts/)).toHaveCount(tables?.posts ? 1 : 0)
  if (tables?.posts) {
    await tab(page, /^Posts\s*27$/).click()
    await expect(page).toHaveURL(`/admin/users/${id}/posts`)
    const posts = section(page, 'Posts').getByRole('listitem')
    await expect(posts).toHaveCount(25)
    await expect(posts.first()).toContainText('Draft')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Older posts' }).click()
    await expect(posts).toHaveCount(2)
    await expect(posts.first().getByRole('link')).toHaveAttribute('href', /^\/content\/[\w-]+$/)
  }
  await page.goto(`/admin/users/${id}/activity`)
  await expect(tab(page, /^API tokens/)).toHaveCount(tables?.tokens ? 1 : 0)
  if (tables?.tokens) {
    await tab(page, /^API tokens\s*1$/).click()
    await expect(page).toHaveURL(`/admin/users/${id}/tokens`)
    await expect(section(page, 'API tokens').getByRole('listitem')).toContainText(/Deploy script\s*viewer.*Never used/i)
    await expectAccessible(page)
  }
})

for (const role of ['viewer', 'editor']) {
  test(`the pages of a user are 404 for a user with the role ${role}, and do not tell the name`, async ({
    page,
    password,
  }) => {
    const { email } = await createUser({ role })
    const { id, name } = await createUser()
    await startSession(page, email, password)
    for (const path of ['', '/sessions', '/activity', '/posts', '/tokens']) {
      const response = await page.goto(`/admin/users/${id}${path}`)
      expect(response?.status(), path).toBe(404)
      expect(await response?.text(), path).not.toContain(name)
    }
  })
}

test('admins cannot suspend or delete themselves, and are warned before they lower their own role', async ({
  page,
  password,
}) => {
  const admin = await signInAsAdmin(page, password)
  await page.goto(`/admin/users?search=${admin.email}`)
  await expect(rows(page).getByRole('checkbox')).toBeDisabled()
  await page.getByRole('link', { name: admin.name, exact: true }).click()
  await expect(page.getByRole('heading', { name: admin.name, level: 1 })).toBeVisible()
  await expect(page.getByText('You', { exact: true })).toBeVisible()
  await expect(page.getByText('This session', { exact: true })).toBeVisible()
  await expect(section(page, 'Danger zone')).toHaveCount(0)
  await page.getByRole('button', { name: 'More actions' }).click()
  await expect(page.getByRole('group', { name: 'More actions' })).toContainText('You can’t suspend yourself')
  await expect(page.getByRole('link', { name: /Suspend|Delete|Impersonate/ })).toHaveCount(0)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await openDialog(page, 'Change role', `Change the role of ${admin.name}`)
  const field = page.getByLabel('Role', { exact: true })
  await expect(field).toHaveAccessibleDescription(/lose access to this page/)
  await field.selectOption('editor')
  await submit(page, 'Change role')
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.role).toBe('editor')
  expect((await page.goto(`/admin/users/${admin.id}`))?.status()).toBe(404)
})

test('a password reset link goes to the user only, not to the admin', async ({ page, password, appUrl }) => {
  const admin = await signInAsAdmin(page, password)
  const { id, name, email } = await createUser()
  await page.goto(`/admin/users/${id}`)
  await openDialog(page, 'Send password reset', `Send ${name} a password reset?`)
  await submit(page, 'Send reset link')
  await expect(result(page)).toContainText('Password reset email sent')
  const link = linkIn(await waitForEmail(email, 'Reset your password'))
  expect(await page.content()).not.toContain(link)
  const other = await newBrowserPage(page, appUrl)
  await other.goto(link)
  await other.getByLabel('New password').fill('an entirely new one')
  await other.locator('main form [type="submit"]').click()
  await waitForEmail(email, 'Your password was changed')
  await other.context().clearCookies()
  await startSession(other, email, 'an entirely new one')
  await page.reload()
  await expect(section(page, 'Recent activity')).toContainText(`${admin.name} sent Grace a password reset`)
  await other.context().close()
})

test('the activity is paginated, newest first, and the overview shows the start of it', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  const { id } = await createUser()
  await query(
    `insert into audit_events (kind, actor_id, target_id, details, ip)
     select 'role.changed', $1, $2, jsonb_build_object('from', 'step ' || number, 'to', 'step ' || number + 1), '198.18.0.7'
     from generate_series(1, 45) number order by number`,
    [admin.id, id],
  )
  const step = (number: number) => `${admin.name} changed Grace’s role from step ${number} to step ${number + 1}`
  const events = section(page, 'Activity').getByRole('listitem')
  await page.goto(`/admin/users/${id}`)
  await expect(activity(page)).toHaveCount(8)
  await expect(activity(page).first()).toContainText(step(45))
  await page.getByRole('link', { name: 'View all activity' }).click()
  await expect(page).toHaveURL(`/admin/users/${id}/activity`)
  await expect(events).toHaveCount(20)
  await expect(events.first()).toContainText(step(45))
  await expect(events.first()).toContainText('198.18.0.7')
  await expect(events.first()).toContainText('just now')
  await expect(page.getByRole('link', { name: 'Newest' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(events.first()).toContainText(step(25))
  await expect(events).toHaveCount(20)
  await expect(page.getByRole('heading', { name: 'Activity', exact: true })).toBeInViewport()
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(events.first()).toContainText(step(5))
  await expect(events).toHaveCount(5)
  await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Newest' }).click()
  await expect(events.first()).toContainText(step(45))
  await page.goto(`/admin/users/${id}/activity?before=nonsense`)
  await expect(events.first()).toContainText(step(45))
})

test('sensitive actions require reauthentication within the last hour, and return to the page', async ({
  page,
  password,
}) => {
  const admin = await signInAsAdmin(page, password)
  const { id, name, email } = await createUser()
  const field = page.getByLabel('Role', { exact: true })
  await page.goto(`/admin/users/${id}/role`)
  await expireReauthentication(admin.email)
  // The form was rendered before; the action enforces it, too.
  await field.selectOption('admin')
  await submit(page, 'Change role')
  await expect(alertMessage(page)).toContainText('Confirm it’s you')
  await expect(field).toHaveValue('admin')
  expect(await query('select role from users where email = $1', [email])).toEqual([{ role: 'viewer' }])

  await page.goto(`/admin/users/${id}`)
  await expectAccessible(page)
  await openDialog(page, 'Change role', `Change the role of ${name}`)
  await page.getByLabel('Your password').fill(password)
  await field.selectOption('editor')
  await submit(page, 'Change role')
  await expect(result(page)).toContainText('Role changed to Editor.')
  expect(new URL(page.url()).pathname).toBe(`/admin/users/${id}`)
  expect(await query('select role from users where email = $1', [email])).toEqual([{ role: 'editor' }])
})

test('the pages of a user are accessible in each of their states', async ({ page, password, appUrl }) => {
  test.slow()
  await signInAsAdmin(page, password)
  const { id, name, email } = await createUser({ name: `Grace ${'Wolfeschlegelsteinhausenbergerdorff'.repeat(2)}` })
  const others = [await newBrowserPage(page, appUrl), await newBrowserPage(page, appUrl)]
  for (const other of others) await startSession(other, email, password)
  const expectUsable = async () => {
    await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
  }
  for (const width of [320, 1280]) {
    await page.setViewportSize({ width, height: 844 })
    for (const path of ['', '/sessions', '/activity']) {
      await page.goto(`/admin/users/${id}${path}`)
      await expectUsable()
    }
    await page.getByRole('button', { name: 'More actions' }).click()
    await expect(page.getByRole('group', { name: 'More actions' })).toBeVisible()
    await expectUsable()
  }
  await page.setViewportSize({ width: 320, height: 844 })
  await query('delete from sessions where user_id = $1', [id])
  await query('update users set suspended_at = now(), email_verified_at = null where id = $1', [id])
  for (const path of ['', '/sessions']) {
    await page.goto(`/admin/users/${id}${path}`)
    await expect(section(page, 'Active sessions')).toContainText('No active sessions')
    await expectUsable()
  }
  for (const other of others) await other.context().close()
})
