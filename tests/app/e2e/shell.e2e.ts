import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { signInAsNewUser } from '../support/sign-in.ts'

const sidebar = (page: Page) => page.locator('[data-slot="sidebar"]')
const dashboardLink = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link').first()
const menuButton = (page: Page) => page.getByRole('button', { name: 'Menu', exact: true })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'on a phone' : 'on a phone without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 390, height: 844 } })

    test('the menu button opens a drawer with the navigation, and a link in it leads there', async ({
      page,
      password,
    }) => {
      await signInAsNewUser(page, password)
      await page.goto('/search')
      await expect(dashboardLink(page)).toBeHidden()
      await menuButton(page).click()
      await expect(dashboardLink(page)).toBeInViewport()
      if (javaScriptEnabled) await expectAccessible(page)
      await page.keyboard.press('Escape')
      await expect(dashboardLink(page)).toBeHidden()
      await menuButton(page).click()
      await dashboardLink(page).click()
      await expect(page).toHaveURL('/dashboard')
      await expect(dashboardLink(page)).toBeHidden()
    })
  })
}

test('the sidebar collapses to icons with names, and stays so on the next page without a jump', async ({
  page,
  password,
}) => {
  await signInAsNewUser(page, password)
  await page.goto('/dashboard')
  const name = await dashboardLink(page).innerText()
  const width = async () => (await sidebar(page).boundingBox())?.width ?? 0
  const wide = await width()
  const toggle = page.getByRole('button', { name: 'Collapse or expand the sidebar' })
  await toggle.click()
  await expect.poll(width).toBeLessThan(wide / 2)
  const narrow = await width()
  // Only for screen readers.
  expect((await dashboardLink(page).getByText(name).boundingBox())?.width).toBeLessThanOrEqual(1)
  await expect(page.getByRole('link', { name, exact: true }).first()).toBeVisible()
  await expectAccessible(page)

  // The width before the scripts of the page run.
  await page.addInitScript(() => {
    new MutationObserver((_, observer) => {
      const element = document.querySelector('[data-slot="sidebar"]')
      if (!element) return
      observer.disconnect()
      Object.assign(window, { firstWidth: element.getBoundingClientRect().width })
    }).observe(document, { childList: true, subtree: true })
  })
  await page.goto('/search')
  expect(await page.evaluate(() => (window as unknown as { firstWidth?: number }).firstWidth)).toBe(narrow)
  await toggle.click()
  await expect.poll(width).toBe(wide)
})

test('in a language that is written from right to left, the pages are mirrored', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'admin' })
  for (const width of [1280, 390])
    for (const path of ['/dashboard', '/admin/users', '/account/profile', '/content', '/search']) {
      await page.setViewportSize({ width, height: 800 })
      const response = await page.goto(path)
      if (response?.status() === 404) continue
      await page.evaluate(() => {
        document.documentElement.dir = 'rtl'
      })
      const { right, hidden } = await page.evaluate(() => ({
        right: document.querySelector('[data-slot="sheet"]')?.getBoundingClientRect().right ?? 0,
        hidden: document.documentElement.scrollWidth - innerWidth,
      }))
      expect(hidden, `${path} at ${width}`).toBeLessThanOrEqual(0)
      const bar = width > 1000 ? ((await sidebar(page).boundingBox())?.x ?? 0) : width
      expect(bar, `${path} at ${width}`).toBeGreaterThanOrEqual(Math.floor(right) - 1)
    }
})
