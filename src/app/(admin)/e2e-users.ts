import type { Page } from '@playwright/test'
import { expect, startSession } from '../../../tests/app/support/e2e-test.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { query } from '../../../tests/app/support/query.ts'

interface TestUser {
  id: string
  name: string
  email: string
}

/** A unique word for names, because other tests create users at the same time. */
export const uniqueWord = () => `x${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`

/** Creates a user with the password of the seeded users. */
export async function createUser({ name = `Grace ${uniqueWord()}`, role = 'viewer' } = {}): Promise<TestUser> {
  const email = await newUser()
  const [user] = await query<TestUser>(
    'update users set name = $2, role = $3 where email = $1 returning id, name, email',
    [email, name, role],
  )
  if (!user) throw new Error('the new user was not found')
  return user
}

/** Creates several users named "word 1", "word 2" and so on. */
export const createUsers = (word: string, count: number) =>
  query<TestUser>(
    `insert into users (email, name, created_at, last_seen_at, email_verified_at)
     select $1 || '-' || number || '@example.com', $1 || ' ' || number, now() - number * interval '1 day',
       case when number % 2 = 0 then now() - number * interval '1 hour' end, now()
     from generate_series(1, $2::int) number returning id, name, email`,
    [word, count],
  )

export async function signInAsAdmin(page: Page, password: string): Promise<TestUser> {
  const admin = await createUser({ name: `Ada ${uniqueWord()}`, role: 'admin' })
  await startSession(page, admin.email, password)
  return admin
}

/** Reauthenticates with the password on the page that asks for it. */
export async function reauthenticate(page: Page, password: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
}

export const alertMessage = (page: Page) => page.getByRole('main').getByRole('alert')
export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const notFoundHeading = (page: Page) => page.getByRole('heading', { name: 'Page not found' })

/** The rows of the table, without the header. */
export const rows = (page: Page) => page.getByRole('table').locator('tbody').getByRole('row')

export const searchField = (page: Page) => page.getByRole('searchbox', { name: 'Search users' })

export async function search(page: Page, text: string): Promise<void> {
  await searchField(page).fill(text)
  await searchField(page).press('Enter')
  await page.waitForURL((url) => url.searchParams.get('search') === text)
}

export async function expectNoHorizontalScroll(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
}
