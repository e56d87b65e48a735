import type { Page } from '@playwright/test'
import { linkIn, waitForEmail } from './inbox.ts'
import { newUser, type UserOptions } from './new-user.ts'
import { query } from './query.ts'

/** A screenshot of a page: `before` runs before the page is opened, `after` once it is loaded. */
export interface Screenshot {
  name: string
  url: string
  /** With --readme, what is in the window becomes a picture of this name: `users-light.webp`. */
  picture?: string
  before?: (page: Page) => Promise<unknown>
  after?: (page: Page) => Promise<unknown>
}

/** Fills in these fields and submits the last form of the page. */
export async function fillAndSubmit(page: Page, fields: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
  await page.locator('main form').last().locator('[type="submit"]').click()
}

/** Waits for the error of a form: its message, or a field with an error. */
export const waitForAlert = (page: Page) =>
  page.locator('main, dialog').locator('[role="alert"]:visible, [aria-invalid="true"]').first().waitFor()
export const waitForStatus = (page: Page) => page.getByRole('main').getByRole('status').waitFor()

export async function signInTo(page: Page, email: string, password: string): Promise<void> {
  await page.goto('/signin')
  await fillAndSubmit(page, { Email: email, Password: password })
  await page.waitForURL('**/dashboard')
}

let adas = 0

/**
 * @public For modules. Creates Ada, with another email for each screenshot. She joined long ago, so that lists show other users
 * first.
 */
export async function newAda(options: UserOptions = {}): Promise<string> {
  const email = `ada.lovelace${++adas}@example.com`
  await newUser({ name: 'Ada Lovelace', email, ...options })
  await query(`update users set created_at = now() - interval '1 year' where email = $1`, [email])
  return email
}

/** Opens the link of an email that was just sent. */
export const openEmailLink = async (page: Page, email: string, subject: string) =>
  page.goto(linkIn(await waitForEmail(email, subject)))
