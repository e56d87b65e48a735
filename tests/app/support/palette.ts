import { expect, type Locator, type Page } from '@playwright/test'

/** Opens the command palette with the keyboard. */
export async function openPalette(page: Page): Promise<Locator> {
  const palette = page.getByRole('dialog', { name: 'Search', exact: true })
  // The keys work as soon as the page is hydrated.
  await expect(async () => {
    if (!(await palette.isVisible())) await page.keyboard.press('Control+k')
    await expect(palette).toBeVisible({ timeout: 2_000 })
  }).toPass()
  return palette
}

/** Waits until the keyboard shortcuts of the page work. */
export async function waitForShortcuts(page: Page): Promise<void> {
  const palette = await openPalette(page)
  await page.keyboard.press('Escape')
  await expect(palette).toBeHidden()
}
