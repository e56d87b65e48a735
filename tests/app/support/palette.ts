import { expect, type Locator, type Page } from '@playwright/test'
import { waitForHydration } from './e2e-test.ts'

/** Opens the command palette with the keyboard. */
export async function openPalette(page: Page): Promise<Locator> {
  const palette = page.getByRole('dialog', { name: 'Search', exact: true })
  await waitForHydration(page)
  await page.keyboard.press('Control+k')
  await expect(palette).toBeVisible()
  return palette
}

/** Waits until the keyboard shortcuts of the page work. */
export async function waitForShortcuts(page: Page): Promise<void> {
  const palette = await openPalette(page)
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
}
