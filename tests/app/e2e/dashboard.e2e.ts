import type { Page } from '@playwright/test'
import { roles } from '../../../src/core/auth/roles.ts'
import { expect, expectAccessible, expectNoLayoutShift, test } from '../support/e2e-test.ts'
import { newUser } from '../support/new-user.ts'
import { signInAsNewUser } from '../support/sign-in.ts'

test.describe('the greeting', () => {
  test.use({ timezoneId: 'America/New_York' })

  for (const [time, words, date] of [
    ['2026-11-16T13:30:00Z', 'Good morning', 'Monday, November 16'],
    ['2026-11-16T18:30:00Z', 'Good afternoon', 'Monday, November 16'],
    // In UTC it is Tuesday already.
    ['2026-11-17T01:30:00Z', 'Good evening', 'Monday, November 16'],
  ] as const) {
    test(`is "${words}" at ${time} in New York, with the date there`, async ({ page, password }) => {
      await signInAsNewUser(page, password)
      await page.clock.setFixedTime(time)
      await page.goto('/dashboard')
      await expect(page.getByRole('heading', { level: 1, name: `${words}, Test`, exact: true })).toBeVisible()
      await expect(page.getByRole('main').getByText(date, { exact: true })).toBeVisible()
    })
  }
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('the greeting is neutral, and no placeholder takes the place of a widget', async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { level: 1, name: 'Hello, Test', exact: true })).toBeVisible()
    await expect(page.locator('main [data-slot="skeleton"]')).toHaveCount(0)
  })
})

for (const role of roles) {
  test(`the dashboard of a user with the role ${role} is not empty, and fits on a phone`, async ({
    page,
    password,
  }) => {
    await signInAsNewUser(page, password, { role })
    await page.goto('/dashboard')
    // Widgets of the installed modules, or the text of an app without modules.
    const main = page.getByRole('main')
    await expect(main.locator('[data-slot="card"], [data-slot="empty-state"]').first()).toBeVisible()
    await expect(main).not.toContainText('Couldn’t load')
    await expectAccessible(page)
    await page.setViewportSize({ width: 320, height: 640 })
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
  })
}

test('nothing on the dashboard moves while it loads', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'admin' })
  await expectNoLayoutShift(page, '/dashboard')
})

test.describe('the setup steps', () => {
  const signInAt = async (url: string, role: 'viewer' | 'admin', page: Page, password: string) => {
    const email = await newUser({ role })
    const response = await page.request.post(`${url}/api/auth/signin`, { data: { email, password, redirect: false } })
    expect(await response.json()).toMatchObject({ user: { email } })
  }

  test('are on the dashboard of an admin in development, with what to do next', async ({ page, password, devUrl }) => {
    await signInAt(devUrl, 'admin', page, password)
    await page.goto(`${devUrl}/dashboard`)
    const steps = page.getByRole('region', { name: 'Set up your app' })
    await expect(steps.getByRole('listitem').filter({ hasText: 'Run the app (done)' })).toBeVisible()
    await expect(steps.getByRole('listitem').filter({ hasText: 'Sign in as admin (done)' })).toBeVisible()
    await expect(steps).toContainText('Send a real email')
    await expect(steps).not.toContainText('Send a real email (done)')
    // The sidebar does not repeat what the page shows.
    await expect(page.getByRole('link', { name: /^Set up your app/ })).toBeHidden()
    await expectAccessible(page)
  })

  test('are not shown to others', async ({ page, password, devUrl }) => {
    await signInAt(devUrl, 'viewer', page, password)
    await page.goto(`${devUrl}/dashboard`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Set up your app')).toHaveCount(0)
  })

  test('are not in production', async ({ page, password }) => {
    await signInAsNewUser(page, password, { role: 'admin' })
    await page.goto('/dashboard')
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText('Set up your app')).toHaveCount(0)
  })
})
