import type { Page } from '@playwright/test'
import { expect, expectAccessible, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { createUser, expectNoHorizontalScroll, section, signInAsAdmin, uniqueWord } from './e2e-users.ts'

const chart = (page: Page, name: string) => page.getByRole('img', { name: new RegExp(`^${name} by day`) })
const period = (page: Page) => page.getByRole('navigation', { name: 'Period' })

test('an admin sees the number of users and the daily charts, with a table for each chart', async ({
  page,
  password,
}) => {
  await signInAsAdmin(page, password)
  await page.goto('/admin')
  await expect(page).toHaveURL('/admin/overview')
  for (const name of ['New users', 'Sign-ins', 'Failed sign-ins']) await expect(chart(page, name)).toBeVisible()
  // This admin has just signed in.
  const signIns = section(page, 'Sign-ins')
  await signIns.getByText('View as table').click()
  const numbers = signIns.getByRole('table', { name: 'Sign-ins by day' })
  await expect(numbers.getByRole('columnheader')).toHaveText(['Day', 'Sign-ins', 'Previous'])
  const today = Number((await numbers.getByRole('cell').first().innerText()).replaceAll(',', ''))
  expect(today).toBeGreaterThan(0)
  await expectAccessible(page)
  await page.getByRole('main').getByRole('link', { name: 'Users' }).click()
  await expect(page).toHaveURL('/admin/users')

  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/admin/overview')
  await expectNoHorizontalScroll(page)
})

test('a bar shows its numbers on hover', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  await page.goto('/admin/overview')
  const today = section(page, 'Sign-ins').locator('[data-slot="chart-bars"] > i').last()
  const tip = () => today.evaluate((bar) => getComputedStyle(bar, '::after').content)
  expect(await tip()).toBe('none')
  await today.hover()
  await expect.poll(tip).toMatch(/^"Today.*\d vs \d/s)
})

test('charts and tables work without JavaScript, for each period', async ({ browser, appUrl, password }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: appUrl })
  const page = await context.newPage()
  await signInAsAdmin(page, password)
  await page.goto('/admin/overview')
  for (const [label, days] of [
    ['30 days', 30],
    ['7 days', 7],
    ['90 days', 90],
  ] as const) {
    await period(page).getByRole('link', { name: label }).click()
    await expect(period(page).getByRole('link', { name: label })).toHaveAttribute('aria-current', 'true')
    await page.getByText('View as table').first().click()
    await expect(page.getByRole('table').first().getByRole('row')).toHaveCount(days + 1)
  }
  await context.close()
})

test('the dashboard of an admin has figures, the chart, recent activity and pending invitations', async ({
  page,
  password,
}) => {
  await signInAsAdmin(page, password)
  const email = `${uniqueWord()}@example.com`
  // Newer than those of other tests, because only the newest are shown.
  await query(`insert into admin_invitations (email, role, sent_at) values ($1, 'editor', now() + interval '1 hour')`, [
    email,
  ])
  await page.goto('/dashboard?days=7')
  await expect(period(page).getByRole('link', { name: '7 days' })).toHaveAttribute('aria-current', 'true')
  for (const name of ['Users', 'Active this week', 'Sign-ins', 'Failed sign-ins'])
    await expect(page.getByRole('main').getByText(name, { exact: true }).first()).toBeVisible()
  await expect(chart(page, 'Sign-ins')).toBeVisible()
  await expect(section(page, 'Recent activity').getByRole('listitem').first()).toBeVisible()
  await expect(section(page, 'Pending invitations')).toContainText(email)
  await section(page, 'Recent activity').getByRole('link', { name: 'Audit log' }).click()
  await expect(page).toHaveURL('/admin/audit')
  await query('delete from admin_invitations where email = $1', [email])
})

for (const role of ['viewer', 'editor']) {
  test(`the dashboard of a user with the role ${role} has nothing for admins`, async ({ page, password }) => {
    const { email } = await createUser({ role })
    await startSession(page, email, password)
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(period(page)).toHaveCount(0)
    for (const text of ['Failed sign-ins', 'Recent activity', 'Pending invitations'])
      await expect(page.getByText(text)).toHaveCount(0)
  })
}

test('in development, the sidebar of an admin leads to the setup steps on the dashboard', async ({
  page,
  password,
  devUrl,
}) => {
  const { email } = await createUser({ role: 'admin' })
  await page.request.post(`${devUrl}/api/auth/signin`, { data: { email, password, redirect: false } })
  // Compiles the page first: a page that is compiled while it is open may reload.
  await page.request.get(`${devUrl}/admin/overview`)
  await page.goto(`${devUrl}/admin/overview`)
  const card = page.getByRole('complementary', { name: 'Sidebar' }).getByRole('link', { name: /^Set up your app/ })
  await expect(card).toContainText(/\d of \d.*Next: /)
  await card.click()
  await expect(page).toHaveURL(`${devUrl}/dashboard`)
  await expect(section(page, 'Set up your app')).toContainText('Invite a teammate')
  await expect(card).toBeHidden()
})
