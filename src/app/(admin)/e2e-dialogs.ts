import type { Page } from '@playwright/test'
import { expect, waitForHydration } from '../../../tests/app/support/e2e-test.ts'

/** The result of the last action. */
export const toast = (page: Page) => page.locator('[data-slot="toast"]')

export const passwordField = (page: Page) => page.getByLabel('Your password')

/** Opens the row menu of a table, and one of its items, which leads to a dialog. */
export async function chooseFromMenu(page: Page, menu: string, item: string): Promise<void> {
  await page.getByRole('button', { name: menu }).click()
  await page.locator('[data-slot="menu"]:popover-open').getByRole('link', { name: item }).click()
}

/** Waits until links are handled by the router: before, they load a page. */
export async function waitForRouter(page: Page): Promise<void> {
  await waitForHydration(page)
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
}
