import { expect, test } from '../../../tests/app/support/e2e-test.ts'
import { openPalette, waitForShortcuts } from '../../../tests/app/support/palette.ts'
import { query } from '../../../tests/app/support/query.ts'
import { signInAsNewUser } from '../../../tests/app/support/sign-in.ts'
import { createUser, createUsers, rows, signInAsAdmin, uniqueWord } from './e2e-users.ts'

test('an admin finds a user with the keyboard alone, and it is one audit event', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  const user = await createUser()
  await page.goto('/dashboard')
  await openPalette(page)
  await page.keyboard.type(user.name.split(' ')[1] ?? '', { delay: 30 })
  const found = page.getByRole('group', { name: 'Users' }).getByRole('option', { name: user.name })
  await expect(found).toHaveAttribute('aria-selected', 'true')
  await expect(found).toContainText(user.email)
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/admin/users/${user.id}$`))
  await openPalette(page)
  await expect(page.getByRole('group', { name: 'Recent' }).getByRole('option', { name: user.name })).toBeVisible()
  await page.keyboard.type(user.email)
  await expect(found).toBeVisible()
  const events = await query<{ details: object }>(
    `select details from audit_events where kind = 'users.listed' and actor_id = $1`,
    [admin.id],
  )
  expect(events).toEqual([{ details: { count: expect.any(Number), isSearch: true } }])
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('an admin finds a user on the search page', async ({ page, password }) => {
    await signInAsAdmin(page, password)
    const user = await createUser()
    await page.goto(`/search?q=${user.name.split(' ')[1]}`)
    await page.getByRole('region', { name: 'Users' }).getByRole('link', { name: user.name }).click()
    await expect(page.getByRole('heading', { level: 1, name: user.name })).toBeVisible()
  })
})

test('an editor finds no users, and no commands of admins', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  const user = await createUser()
  const response = await page.request.get(`/api/search?q=${user.email}`)
  expect(JSON.stringify(await response.json())).not.toContain(user.email)
  await page.goto(`/search?q=${user.email}`)
  await expect(page.getByText('No results')).toBeVisible()
  const palette = await openPalette(page)
  await expect(palette.getByRole('option', { name: 'Dashboard' })).toBeVisible()
  await expect(palette.getByRole('option', { name: 'Invite users' })).toHaveCount(0)
  await expect(palette.getByRole('option', { name: 'Audit log' })).toHaveCount(0)
})

test('keys go to the list of users, move in it, select and open', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  await createUsers(word, 3)
  await page.goto('/dashboard')
  await waitForShortcuts(page)
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await expect(page).toHaveURL(/\/admin\/users$/)

  await page.goto(`/admin/users?search=${word}`)
  await waitForShortcuts(page)
  const linkOf = (row: number) => rows(page).nth(row).getByRole('link').first()
  await page.keyboard.press('j')
  await expect(linkOf(0)).toBeFocused()
  await page.keyboard.press('j')
  await expect(linkOf(1)).toBeFocused()
  await page.keyboard.press('k')
  await expect(linkOf(0)).toBeFocused()
  const checkbox = rows(page).nth(0).getByRole('checkbox')
  await page.keyboard.press('x')
  await expect(checkbox).toBeChecked()
  await page.keyboard.press('x')
  await expect(checkbox).not.toBeChecked()
  await page.keyboard.press('.')
  const menu = page.locator('[data-slot="menu"]:popover-open')
  await expect(menu.getByRole('link').first()).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(menu).toHaveCount(0)
  await linkOf(0).focus()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/\/admin\/users\/[\w-]{36}\?list=/)

  await page.keyboard.press('c')
  await expect(page).toHaveURL(/\/admin\/invitations\/new$/)
  await expect(page.getByRole('dialog').getByLabel('Emails')).toBeVisible()
})

test('an admin steps through the users of a list, also after a dialog and on a tab, and returns to the list', async ({
  page,
  password,
}) => {
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  await createUsers(word, 3)
  await page.goto(`/admin/users?search=${word}`)
  const names = await rows(page).getByRole('link').allInnerTexts()
  const heading = page.getByRole('heading', { level: 1 })
  await rows(page).getByRole('link').first().click()
  await expect(heading).toHaveText(names[0] ?? '')
  const steps = page.getByRole('navigation', { name: 'Users of the list' })
  await expect(steps.getByRole('link')).toHaveCount(1)
  await waitForShortcuts(page)
  await page.keyboard.press('j')
  await expect(heading).toHaveText(names[1] ?? '')
  await page.getByRole('link', { name: 'Suspend', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend', exact: true }).click()
  await expect(page.locator('[data-slot="toast"]')).toContainText('User suspended.')
  await steps.getByRole('link', { name: 'Next user' }).click()
  await expect(heading).toHaveText(names[2] ?? '')
  await expect(steps.getByRole('link')).toHaveCount(1)
  await page.keyboard.press('k')
  await expect(heading).toHaveText(names[1] ?? '')

  await page
    .getByRole('navigation', { name: /^Pages about/ })
    .getByRole('link', { name: 'Sessions' })
    .click()
  await expect(page).toHaveURL(/\/sessions\?list=/)
  await steps.getByRole('link', { name: 'Previous user' }).click()
  await expect(heading).toHaveText(names[0] ?? '')
  await expect(page).toHaveURL(/\/sessions\?list=/)
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link', { name: 'Users' }).click()
  await expect(rows(page)).toHaveCount(3)
  expect(new URL(page.url()).searchParams.get('search')).toBe(word)
})
