import type { Page } from '@playwright/test'
import { expect, expectAccessible, signIn } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'

interface Somebody {
  id: string
  name: string
  email: string
}

/** A word that nobody else's name has: other tests make people at the same time. */
export const someWord = () => `x${crypto.randomUUID().replaceAll('-', '').slice(0, 12)}`

/** A person with the password of the seeded ones. */
export async function somebody({ name = `Grace ${someWord()}`, role = 'viewer' } = {}): Promise<Somebody> {
  const email = await newPerson()
  const [person] = await query<Somebody>(
    'update users set name = $2, role = $3 where email = $1 returning id, name, email',
    [email, name, role],
  )
  if (!person) throw new Error('there is nobody')
  return person
}

/** Several people whose names begin with that word: "word 1" and so on. */
export const crowdOf = (word: string, count: number) =>
  query<Somebody>(
    `insert into users (email, name, created_at, last_seen_at, email_verified_at)
     select $1 || '-' || number || '@example.com', $1 || ' ' || number, now() - number * interval '1 day',
       case when number % 2 = 0 then now() - number * interval '1 hour' end, now()
     from generate_series(1, $2::int) number returning id, name, email`,
    [word, count],
  )

export async function enterAsAdmin(page: Page, password: string): Promise<Somebody> {
  const admin = await somebody({ name: `Ada ${someWord()}`, role: 'admin' })
  await enter(page, admin.email, password)
  return admin
}

export async function enter(page: Page, email: string, password: string): Promise<void> {
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
}

/** As if they had shown who they are more than an hour ago. */
export const ageConfirmation = (email: string) =>
  query(
    `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
    [email],
  )

/** Shows who is at the browser, on the page that asks for it. */
export async function confirmIdentity(page: Page, password: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Go on' }).click()
}

export const said = (page: Page) => page.getByRole('main').getByRole('status')
export const trouble = (page: Page) => page.getByRole('main').getByRole('alert')
export const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
export const nothingHere = (page: Page) => page.getByRole('heading', { name: 'There is nothing at this address' })

/** The rows of the list, without its head. */
export const rows = (page: Page) => page.getByRole('table').locator('tbody').getByRole('row')

export async function search(page: Page, text: string): Promise<void> {
  await page.getByLabel('Search').fill(text)
  await page.getByRole('button', { name: 'Show' }).click()
  await page.waitForURL((url) => url.searchParams.get('search') === text)
}

export async function expectAccessibleInBothThemes(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
  }
}

export async function expectNoSidewaysScrolling(page: Page): Promise<void> {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBeLessThanOrEqual(0)
}
