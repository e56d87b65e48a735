// What the tests of signing up share.
import type { Page } from '@playwright/test'
import { query } from './query.ts'

export const uniqueEmail = () => `sign-up-${crypto.randomUUID()}@example.com`
export const password = 'a long walk by the sea'
export const subject = 'Confirm your email'

export async function signUp(page: Page, email: string, chosen = password, name = 'Ada'): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(chosen)
  await page.getByRole('button', { name: 'Create account' }).click()
}

export const sent = (page: Page) => page.getByRole('main').getByRole('status')
export const usersWith = (email: string) =>
  query<{ id: string; name: string; role: string }>('select id, name, role from users where email = $1', [email])
export const session = async (page: Page) => (await page.request.get('/api/auth/session')).json()
