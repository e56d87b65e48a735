import type { Page } from '@playwright/test'
import { elsewhere, sessionOf } from '../../../tests/support/enter.ts'
import { linkIn, mailTo } from '../../../tests/support/inbox.ts'
import { expect, signIn, test } from '../../../tests/support/journey.ts'
import { query } from '../../../tests/support/query.ts'
import {
  ageConfirmation,
  confirmIdentity,
  enter,
  enterAsAdmin,
  expectAccessibleInBothThemes,
  expectNoSidewaysScrolling,
  nothingHere,
  rows,
  said,
  section,
  somebody,
  trouble,
} from './journey-people.ts'

const fact = (page: Page, name: string) => page.locator(`dt:text-is("${name}") + dd`)
const history = (page: Page) => section(page, 'History').getByRole('listitem')

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a role is changed in words, and holds at the next request of whoever is signed in', async ({
      page,
      password,
      appUrl,
    }) => {
      const admin = await enterAsAdmin(page, password)
      const { id, name, email } = await somebody()
      const other = await elsewhere(page, appUrl)
      await enter(other, email, password)
      // By the status: Next shows its page for that with JavaScript only.
      const open = async () => (await other.goto('/admin/users'))?.status()
      expect(await open()).toBe(404)

      const change = async (role: string) => {
        await page.getByLabel(`Role of ${name}`).selectOption(role)
        await page.getByRole('button', { name: 'Change role' }).click()
        await expect(said(page)).toHaveText('The role was changed. It holds from the next request on.')
        await expect(page.getByLabel(`Role of ${name}`)).toHaveValue(role)
      }
      await page.goto(`/admin/users/${id}`)
      await change('admin')
      await expect(history(page).first()).toContainText(`Role changed, from viewer to admin by ${admin.name}`)
      expect(await open()).toBe(200)
      await expect(other.getByRole('heading', { name: 'People' })).toBeVisible()
      expect((await sessionOf(other)).user.role).toBe('admin')

      await page.goto(`/admin/users/${id}`)
      await change('viewer')
      await expect(history(page).first()).toContainText(`Role changed, from admin to viewer by ${admin.name}`)
      expect(await open()).toBe(404)
      expect((await sessionOf(other)).user).toMatchObject({ email, role: 'viewer' })
      await other.context().close()
    })

    test('a person is suspended and restored on their page', async ({ page, password, appUrl }) => {
      const admin = await enterAsAdmin(page, password)
      const { id, name, email } = await somebody()
      const other = await elsewhere(page, appUrl)
      await enter(other, email, password)
      await page.goto(`/admin/users/${id}`)
      await page.getByRole('button', { name: `Suspend ${name}` }).click()
      await expect(page.getByRole('heading', { name: 'Suspended', exact: true })).toBeVisible()
      await expect(section(page, 'Suspended')).toContainText('They cannot sign in')
      await expect(section(page, 'Signed in')).toContainText('Nowhere at the moment')
      await expect(history(page).first()).toContainText(`Person suspended by ${admin.name}`)
      expect(await sessionOf(other)).toBeNull()
      // A link would help nobody who cannot sign in.
      await expect(page.getByRole('button', { name: 'Send a link to choose another password' })).toHaveCount(0)

      await page.getByRole('button', { name: 'Restore' }).click()
      await expect(page.getByRole('heading', { name: 'Suspend', exact: true })).toBeVisible()
      await expect(history(page).first()).toContainText(`Person restored by ${admin.name}`)
      await enter(other, email, password)
      await other.context().close()
    })

    test('a person is deleted by their address, typed, and nothing less', async ({ page, password, appUrl }) => {
      await enterAsAdmin(page, password)
      const { id, name, email } = await somebody()
      const other = await elsewhere(page, appUrl)
      await enter(other, email, password)
      await page.goto(`/admin/users/${id}`)
      const field = page.getByLabel('Type their e-mail address to confirm')
      for (const wrong of ['', 'yes', 'admin@example.com']) {
        await field.fill(wrong)
        await page.getByRole('button', { name: `Delete ${name}` }).click()
        await expect(field).toHaveAttribute('aria-invalid', 'true')
        await expect(field).toHaveAccessibleDescription(/Type the address of this person/)
        await expect(field).toHaveValue(wrong)
        if (javaScriptEnabled) await expect(field).toBeFocused()
        await page.goto(`/admin/users/${id}`)
      }
      expect((await sessionOf(other)).user.email).toBe(email)

      await field.fill(email.toUpperCase())
      await page.getByRole('button', { name: `Delete ${name}` }).click()
      await expect(page).toHaveURL('/admin/users?done=deleted')
      await expect(said(page)).toContainText('The account was deleted')
      expect(await sessionOf(other)).toBeNull()
      await signIn(other, email, password)
      await expect(trouble(other)).toHaveText('That e-mail and password do not match')
      await page.goto(`/admin/users?search=${email}`)
      await expect(page.getByText('Nobody matches')).toBeVisible()
      expect((await page.goto(`/admin/users/${id}`))?.status()).toBe(404)
      await other.context().close()
    })

    test('one session is ended, then all, and the page says so', async ({ page, password, appUrl }) => {
      const admin = await enterAsAdmin(page, password)
      const { id, email } = await somebody()
      const others = [await elsewhere(page, appUrl), await elsewhere(page, appUrl), await elsewhere(page, appUrl)]
      for (const other of others) await enter(other, email, password)
      const alive = async () => {
        const sessions = await Promise.all(others.map(sessionOf))
        return sessions.filter((session) => session !== null).length
      }
      await page.goto(`/admin/users/${id}`)
      const devices = section(page, 'Signed in').getByRole('listitem')
      await expect(devices).toHaveCount(3)
      await expect(devices.first()).toContainText(/Chrome on .*From 198\.18\./)
      await devices.first().getByRole('button', { name: 'End' }).click()
      await expect(devices).toHaveCount(2)
      expect(await alive()).toBe(2)
      await page.getByRole('button', { name: 'End all sessions' }).click()
      await expect(said(page)).toHaveText('Signed out everywhere.')
      await expect(section(page, 'Signed in')).toContainText('Nowhere at the moment')
      expect(await alive()).toBe(0)
      await expect(history(page).first()).toContainText(`Session revoked, count: 2 by ${admin.name}`)
      for (const other of others) await other.context().close()
    })

    test('the second factor is taken off: no code is asked for any more, and the person is told', async ({
      page,
      password,
      appUrl,
    }) => {
      const [account] = await query<{ table: string | null }>(`select to_regclass('account_totp')::text as table`)
      test.skip(!account?.table, 'the module that brings a second factor is not here')
      const admin = await enterAsAdmin(page, password)
      const { id, email } = await somebody()
      await page.goto(`/admin/users/${id}`)
      await expect(fact(page, 'Second factor')).toHaveText('off')
      await expect(page.getByRole('button', { name: 'Take off the second factor' })).toHaveCount(0)

      const other = await elsewhere(page, appUrl)
      await enter(other, email, password)
      await query(`insert into account_totp (user_id, secret, confirmed_at) values ($1, 'sealed', now())`, [id])
      const third = await elsewhere(page, appUrl)
      await signIn(third, email, password)
      await expect(third.getByRole('heading', { name: 'One more step' })).toBeVisible()

      await page.reload()
      await expect(fact(page, 'Second factor')).toHaveText('on')
      await page.getByRole('button', { name: 'Take off the second factor' }).click()
      await expect(said(page)).toHaveText('Taken off. Nothing but the first step is asked for now.')
      await expect(fact(page, 'Second factor')).toHaveText('off')
      await expect(page.getByRole('button', { name: 'Take off the second factor' })).toHaveCount(0)
      await expect(history(page).first()).toContainText(`by ${admin.name}`)
      expect(await sessionOf(other)).toBeNull()
      await mailTo(email, 'Two-step sign-in is off')
      await enter(third, email, password)
      for (const each of [other, third]) await each.context().close()
    })
  })
}

test('a suspension and its end are said where they were asked for', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const { id, name } = await somebody()
  await page.goto(`/admin/users/${id}`)
  await page.getByRole('button', { name: `Suspend ${name}` }).click()
  await expect(said(page)).toHaveText('Suspended, and signed out everywhere.')
  await expect(said(page)).toBeFocused()
  await page.getByRole('button', { name: 'Restore' }).click()
  await expect(said(page)).toHaveText('Restored. They can sign in again.')
  await expect(said(page)).toBeFocused()
})

test('the page of a person tells what there is to know', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const { id, name, email } = await somebody({ role: 'editor' })
  await query(`update users set email_verified_at = null, created_at = now() - interval '3 days' where id = $1`, [id])
  await query('delete from passwords where user_id = $1', [id])
  await page.goto(`/admin/users?search=${email}`)
  await page.getByRole('link', { name, exact: true }).click()
  await expect(page).toHaveURL(`/admin/users/${id}`)
  await expect(page.getByRole('heading', { name, level: 1 })).toBeVisible()
  const main = page.getByRole('main')
  await expect(main.getByText(email).first()).toBeVisible()
  await expect(main.getByText('editor', { exact: true }).first()).toBeVisible()
  await expect(main.getByText('active', { exact: true })).toBeVisible()
  await expect(main.getByText('address not confirmed')).toBeVisible()
  await expect(fact(page, 'Joined')).toHaveText('3 days ago')
  await expect(fact(page, 'Last seen')).toHaveText('never')
  await expect(fact(page, 'Signs in with')).toHaveText('nothing yet')
  await expect(fact(page, 'Id')).toContainText(id)
  await expect(section(page, 'Signed in')).toContainText('Nowhere at the moment')
  await expect(section(page, 'History')).toContainText('Nothing was written down yet')

  const other = await somebody()
  await query(`insert into accounts (user_id, provider, provider_account_id) values ($1, 'github', $2)`, [
    other.id,
    other.id,
  ])
  await page.goto(`/admin/users/${other.id}`)
  await expect(fact(page, 'Signs in with')).toHaveText('a password, GitHub')
  await expect(main.getByText('address not confirmed')).toHaveCount(0)
  await page.getByRole('link', { name: '← People' }).click()
  await expect(page).toHaveURL('/admin/users')

  for (const nobody of [crypto.randomUUID(), 'nobody', `${id}x`]) {
    const response = await page.goto(`/admin/users/${nobody}`)
    await expect(nothingHere(page)).toBeVisible()
    expect(response?.status()).toBe(404)
  }
})

test('one cannot suspend or delete oneself there, and is warned of a lesser role', async ({ page, password }) => {
  const admin = await enterAsAdmin(page, password)
  await page.goto(`/admin/users?search=${admin.email}`)
  await expect(rows(page).getByRole('checkbox')).toBeDisabled()
  await page.getByRole('link', { name: admin.name, exact: true }).click()
  await expect(page.getByRole('heading', { name: admin.name, level: 1 })).toBeVisible()
  await expect(page.getByText('you', { exact: true })).toBeVisible()
  for (const name of ['Suspend', 'Delete'])
    await expect(page.getByRole('heading', { name, exact: true })).toHaveCount(0)
  await expect(page.getByRole('button', { name: /Suspend|Delete/ })).toHaveCount(0)
  await expect(page.getByLabel(`Role of ${admin.name}`)).toHaveAccessibleDescription(/you cannot come back here/)
  await expectAccessibleInBothThemes(page)
  await page.getByLabel(`Role of ${admin.name}`).selectOption('editor')
  await page.getByRole('button', { name: 'Change role' }).click()
  await expect(nothingHere(page)).toBeVisible()
  expect((await sessionOf(page)).user.role).toBe('editor')
})

test('a link to choose another password goes to the person, and to nobody else', async ({ page, password, appUrl }) => {
  const admin = await enterAsAdmin(page, password)
  const { id, email } = await somebody()
  await page.goto(`/admin/users/${id}`)
  await page.getByRole('button', { name: 'Send a link to choose another password' }).click()
  await expect(said(page)).toContainText('On its way')
  const link = linkIn(await mailTo(email, 'Choose a new password'))
  expect(await page.content()).not.toContain(link)
  const other = await elsewhere(page, appUrl)
  await other.goto(link)
  await other.getByLabel('New password').fill('an entirely new one')
  await other.locator('main form [type="submit"]').click()
  await mailTo(email, 'Your password was changed')
  await other.context().clearCookies()
  await enter(other, email, 'an entirely new one')
  await page.reload()
  await expect(section(page, 'History')).toContainText(`Password reset sent by ${admin.name}`)
  await other.context().close()
})

test('the history has pages, the newest first, and leads on without a jump', async ({ page, password }) => {
  const admin = await enterAsAdmin(page, password)
  const { id } = await somebody()
  await query(
    `insert into audit_events (kind, actor_id, target_id, details, ip)
     select 'role.changed', $1, $2, jsonb_build_object('from', 'step ' || number, 'to', 'step ' || number + 1), '198.18.0.7'
     from generate_series(1, 45) number order by number`,
    [admin.id, id],
  )
  const step = (number: number) => `Role changed, from step ${number} to step ${number + 1} by ${admin.name}`
  await page.goto(`/admin/users/${id}`)
  await expect(history(page)).toHaveCount(20)
  await expect(history(page).first()).toContainText(step(45))
  await expect(history(page).first()).toContainText('just now, from 198.18.0.7')
  await expect(page.getByRole('link', { name: 'Newest' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(history(page).first()).toContainText(step(25))
  await expect(history(page)).toHaveCount(20)
  await expect(page.getByRole('heading', { name: 'History' })).toBeInViewport()
  await page.getByRole('link', { name: 'Older' }).click()
  await expect(history(page).first()).toContainText(step(5))
  await expect(history(page)).toHaveCount(5)
  await expect(page.getByRole('link', { name: 'Older' })).toHaveCount(0)
  await page.getByRole('link', { name: 'Newest' }).click()
  await expect(history(page).first()).toContainText(step(45))
  await page.goto(`/admin/users/${id}?before=nonsense`)
  await expect(history(page).first()).toContainText(step(45))
})

test('a confirmation older than an hour is asked for before anything that opens doors, and leads back', async ({
  page,
  password,
}) => {
  const admin = await enterAsAdmin(page, password)
  const { id, name, email } = await somebody()
  await page.goto(`/admin/users/${id}`)
  await ageConfirmation(admin.email)
  // The forms were there already; the actions ask for themselves.
  await page.getByLabel(`Role of ${name}`).selectOption('admin')
  await page.getByRole('button', { name: 'Change role' }).click()
  await expect(trouble(page)).toContainText('Confirm that it is you')
  await expect(page.getByLabel(`Role of ${name}`)).toHaveValue('admin')
  expect(await query('select role from users where email = $1', [email])).toEqual([{ role: 'viewer' }])

  await page.reload()
  const confirm = page.getByRole('link', { name: 'Confirm that it is you to change this' })
  await expect(confirm).toHaveCount(4)
  await expect(page.getByRole('button', { name: /^(Change role|Act for|Suspend|Delete)/ })).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Send a link to choose another password' })).toBeVisible()
  await expectAccessibleInBothThemes(page)
  await confirm.first().click()
  await confirmIdentity(page, password)
  await expect(page).toHaveURL(`/admin/users/${id}`)
  await page.getByLabel(`Role of ${name}`).selectOption('editor')
  await page.getByRole('button', { name: 'Change role' }).click()
  await expect(said(page)).toContainText('The role was changed')
})

test('the page of a person has nothing that axe finds fault with, in each of its states', async ({
  page,
  password,
  appUrl,
}) => {
  test.slow()
  await enterAsAdmin(page, password)
  const { id, name, email } = await somebody()
  const others = [await elsewhere(page, appUrl), await elsewhere(page, appUrl)]
  for (const other of others) await enter(other, email, password)
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/admin/users/${id}`)
  await expectAccessibleInBothThemes(page)
  await expectNoSidewaysScrolling(page)
  await page.getByRole('button', { name: `Delete ${name}` }).click()
  await expect(trouble(page)).toBeVisible()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: 'End all sessions' }).click()
  await expect(said(page)).toBeVisible()
  await expectAccessibleInBothThemes(page)
  await page.getByRole('button', { name: `Suspend ${name}` }).click()
  await expect(page.getByRole('heading', { name: 'Suspended', exact: true })).toBeVisible()
  await expectAccessibleInBothThemes(page)
  await expectNoSidewaysScrolling(page)
  for (const other of others) await other.context().close()
})
