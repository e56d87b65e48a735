import type { Page } from '@playwright/test'
import { linkIn, mailTo } from './inbox.ts'

/** A picture of a page, and what to do there before it is taken. */
export interface Shot {
  name: string
  url: string
  before?: (page: Page) => Promise<unknown>
  after?: (page: Page) => Promise<unknown>
}

/** Fills in the page's last form and sends it. */
export async function fill(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
  await page.locator('main form').last().locator('[type="submit"]').click()
}

export const refused = (page: Page) => page.getByRole('main').getByRole('alert').waitFor()
export const answered = (page: Page) => page.getByRole('main').getByRole('status').waitFor()

export async function signInTo(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin')
  await fill(page, { 'E-mail': email, Password: password })
  await page.waitForURL('**/dashboard')
}

/** Opens the link of a mail that was just sent. */
export const follow = async (page: Page, address: string, subject: string) =>
  page.goto(linkIn(await mailTo(address, subject)))
