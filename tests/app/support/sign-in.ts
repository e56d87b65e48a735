import type { Page } from '@playwright/test'
import type { StandInName } from '../../../scripts/stand-in-page.ts'
import { expect, randomIp, startSession } from './e2e-test.ts'
import { newUser, type UserOptions } from './new-user.ts'

/** Signs in as a new user, without opening a page, and returns their email. */
export async function signInAsNewUser(page: Page, password: string, options: UserOptions = {}): Promise<string> {
  const email = await newUser(options)
  await startSession(page, email, password)
  return email
}

/** The current session of this browser, from the API. */
export const sessionOf = async (page: Page) => (await page.request.get('/api/auth/session')).json()

/** Opens a page in a new browser context with its own cookies and client IP, for another user or another device. */
export async function newBrowserPage(page: Page, appUrl: string): Promise<Page> {
  const context = await page
    .context()
    .browser()
    ?.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': randomIp() } })
  if (!context) throw new Error('the browser was closed')
  return context.newPage()
}

/** Signs in with an OAuth provider in the UI: clicks its button, then signs in at the provider. */
export async function continueWith(page: Page, provider: StandInName, email: string): Promise<void> {
  await page.goto('/signin')
  await page.getByRole('button', { name: `Continue with ${provider}` }).click()
  await authorizeAt(page, provider, email)
}

/** Signs in at the test OAuth provider. The page must already be at the provider. */
export async function authorizeAt(page: Page, provider: StandInName, email: string): Promise<void> {
  await expect(page).toHaveTitle(`${provider} stand-in`)
  await page.getByLabel('Email').fill(email)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}
