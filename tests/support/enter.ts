import type { Page } from '@playwright/test'
import { expect, signIn, someAddress } from './journey.ts'
import { type Kind, newPerson } from './person.ts'

/** Signs in as somebody new, and returns their address. */
export async function enterAsSomebody(page: Page, password: string, kind: Kind = {}): Promise<string> {
  const email = await newPerson(kind)
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
  return email
}

/** What the app says about who is signed in here. */
export const sessionOf = async (page: Page) => (await page.request.get('/api/auth/session')).json()

/** Another browser, of somebody else or of the same person at another place. */
export async function elsewhere(page: Page, appUrl: string): Promise<Page> {
  const context = await page
    .context()
    .browser()
    ?.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': someAddress() } })
  if (!context) throw new Error('the browser is gone')
  return context.newPage()
}

type ProviderName = 'Google' | 'GitHub'

/** As a person does it: press the button, say who you are over there, agree. */
export async function continueWith(page: Page, provider: ProviderName, email: string): Promise<void> {
  await page.goto('/signin')
  await page.getByRole('button', { name: `Continue with ${provider}` }).click()
  await agreeAt(page, provider, email)
}

export async function agreeAt(page: Page, provider: ProviderName, email: string): Promise<void> {
  if (provider === 'GitHub') {
    await page.getByRole('heading', { name: 'GitHub stand-in' }).waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByRole('button', { name: 'Authorize' }).click()
    return
  }
  await page.locator('input[name="login"]').fill(email)
  await page.locator('input[name="password"]').fill('any')
  await page.locator('button[type="submit"]').click()
  await page.locator('button[type="submit"]').click()
}
