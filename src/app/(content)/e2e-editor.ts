import type { Page } from '@playwright/test'

export const text = (page: Page) => page.getByLabel('Body', { exact: true })
export const saveStatus = (page: Page) =>
  page
    .locator('form')
    .filter({ has: text(page) })
    .getByRole('status')
