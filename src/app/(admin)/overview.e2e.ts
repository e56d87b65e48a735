import { expect, test } from '../../../tests/support/journey.ts'
import { enterAsAdmin, expectAccessibleInBothThemes, expectNoSidewaysScrolling } from './journey-people.ts'

test('an admin sees at a glance how many people there are and come, and the numbers behind each picture', async ({
  page,
  password,
}) => {
  await enterAsAdmin(page, password)
  await page.goto('/admin')
  await expect(page).toHaveURL('/admin/overview')
  for (const name of ['Joined', 'Signed in', 'Failed to sign in'])
    await expect(page.getByRole('img', { name: `${name} by day` })).toBeVisible()
  // This admin has just signed in.
  const numbers = page.getByRole('table').filter({ has: page.getByRole('columnheader', { name: 'Signed in' }) })
  await page.getByText('The numbers').nth(1).click()
  const today = Number((await numbers.getByRole('cell').first().innerText()).replaceAll(',', ''))
  expect(today).toBeGreaterThan(0)
  await expectAccessibleInBothThemes(page)
  await page.getByRole('main').getByRole('definition').first().getByRole('link').click()
  await expect(page).toHaveURL('/admin/users')

  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/admin/overview')
  await expectNoSidewaysScrolling(page)
})

test('without JavaScript the pictures and numbers are the same', async ({ browser, appUrl, password }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: appUrl })
  const page = await context.newPage()
  await enterAsAdmin(page, password)
  await page.goto('/admin/overview')
  await page.getByText('The numbers').first().click()
  await expect(page.getByRole('table').first().getByRole('row')).toHaveCount(31)
  await context.close()
})
