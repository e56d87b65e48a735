import type { Page } from '@playwright/test'
import { expect, expectAccessible, test, waitForHydration } from '../../../tests/app/support/e2e-test.ts'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { query } from '../../../tests/app/support/query.ts'
import { signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

const statusMessage = (page: Page) => page.getByRole('main').getByRole('status')
const save = (page: Page) => page.getByRole('main').getByRole('button', { name: 'Save', exact: true }).click()
const stored = async (email: string) =>
  (await query<{ zone: string | null }>('select time_zone as zone from users where email = $1', [email]))[0]?.zone

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user chooses a time zone and a region, and every time follows', async ({ page, password }) => {
      const email = await signInAsNewUser(page, password)
      await page.goto('/account/preferences')
      await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
      await page.getByLabel('Language and region').selectOption('en-GB')
      await save(page)
      await expect(statusMessage(page)).toHaveText('Saved')
      await expect(page.getByLabel('Time zone')).toHaveValue('Asia/Tokyo')
      expect(await stored(email)).toBe('Asia/Tokyo')
      await query(
        `update sessions set last_seen_at = '2031-03-08T20:30:00Z' where user_id = (select id from users where email = $1)`,
        [email],
      )
      await page.goto('/account/sessions')
      const time = page.getByRole('region', { name: 'Sessions' }).locator('time').first()
      await expect(time).toHaveAttribute('title', /^9 Mar 2031, 0?5:30 (GMT\+9|JST)$/)
    })
  })
}

test('emails tell times in the zone of the user, also to a former email and after the deletion', async ({
  page,
  password,
}) => {
  const former = await signInAsNewUser(page, password)
  await query(`update users set time_zone = 'Asia/Kolkata' where email = $1`, [former])
  const email = `moved-${crypto.randomUUID()}@example.com`
  await page.goto('/account/email')
  await page.getByLabel('New email').fill(email)
  await page.getByRole('button', { name: 'Send confirmation link' }).click()
  await page.goto(linkIn(await waitForEmail(email, 'Confirm your new email')))
  await page.getByRole('button', { name: 'Confirm email' }).click()
  expect((await waitForEmail(former, 'Your email was changed')).text).toMatch(/When: .+ (GMT\+5:30|IST)\n/)
  await page.goto('/account/delete')
  await page.getByLabel('Type your email').fill(email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await expect(page).toHaveURL('/signed-out')
  expect((await waitForEmail(email, 'Your account was deleted')).text).toMatch(/When: .+ (GMT\+5:30|IST)\n/)
})

test('an unknown time zone is rejected at its field', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  // Hydration would remove the option that no server has sent.
  await page.goto('/account/preferences')
  await waitForHydration(page)
  await query('update users set time_zone = null where email = $1', [email])
  await page.getByLabel('Time zone').evaluate((select: HTMLSelectElement) => {
    select.add(new Option('Olympus', 'Mars/Olympus'))
    select.value = 'Mars/Olympus'
  })
  await save(page)
  await expect(page.getByLabel('Time zone')).toHaveAccessibleDescription(/Choose a time zone from the list/)
  expect(await stored(email)).toBeNull()
})

test.describe('in New York', () => {
  test.use({ timezoneId: 'America/New_York', locale: 'en-US' })

  test('the dashboard stores the time zone of the browser once, and the form proposes it', async ({
    page,
    password,
  }) => {
    const email = await signInAsNewUser(page, password)
    await page.goto('/dashboard')
    await expect.poll(() => stored(email)).toBe('America/New_York')
    await query(`update users set time_zone = 'Asia/Tokyo' where email = $1`, [email])
    await page.goto('/dashboard')
    await page.waitForLoadState('networkidle')
    expect(await stored(email)).toBe('Asia/Tokyo')

    await query('update users set time_zone = null, locale = null where email = $1', [email])
    await page.goto('/account/preferences')
    await expect(page.getByLabel('Time zone')).toHaveValue('America/New_York')
    await expect(page.getByLabel('Language and region')).toHaveValue('en-US')
    expect(await stored(email)).toBeNull()
    await page.setViewportSize({ width: 390, height: 800 })
    await expectAccessible(page)
  })
})
