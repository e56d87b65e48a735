import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { expect, test } from '../support/e2e-test.ts'

const subject = 'Your password was changed'

/** Opens the HTML of a sample as a page of its own. */
async function openSample(page: Page, devUrl: string, view: string): Promise<void> {
  await page.goto(`${devUrl}/dev/emails?email=mail.password_changed.1&view=${view}`)
  const html = (await page.locator('iframe').getAttribute('srcdoc')) ?? ''
  await page.goto('about:blank')
  await page.setContent(html)
  await expect(page.getByRole('heading', { name: subject })).toBeVisible()
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('every kind of email is listed, and shown as HTML and as text', async ({ page, devUrl }) => {
      await page.goto(`${devUrl}/dev/emails`)
      expect(await page.getByRole('main').getByRole('listitem').count()).toBeGreaterThan(10)
      await page.getByRole('main').getByRole('link', { name: subject }).first().click()
      const article = page.getByRole('article', { name: subject })
      const email = page.frameLocator('iframe')
      await expect(email.getByRole('heading', { name: subject })).toBeVisible()
      await expect(email.getByRole('row', { name: 'IP address 203.0.113.7' })).toBeVisible()
      await expect(email.getByRole('link', { name: 'Secure my account' })).toBeVisible()
      await article.getByRole('link', { name: 'Text' }).click()
      await expect(article).toContainText('IP address: 203.0.113.7')
      await expect(page.locator('iframe')).toHaveCount(0)
    })
  })
}

test('an email has its own colors in the dark theme, and passes axe in both', async ({ page, devUrl }) => {
  const colors = new Set<string>()
  for (const view of ['light', 'dark']) {
    await openSample(page, devUrl, view)
    colors.add(await page.locator('.card').evaluate((card) => getComputedStyle(card).backgroundColor))
    const { violations } = await new AxeBuilder({ page })
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze()
    expect(violations.map(({ id }) => id)).toEqual([])
  }
  expect(colors.size).toBe(2)
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 800 } })

  test('neither the page nor an email scrolls horizontally', async ({ page, devUrl }) => {
    for (const view of ['light', 'text']) {
      await page.goto(`${devUrl}/dev/emails?view=${view}`)
      await expect(page.getByRole('heading', { level: 1, name: 'Emails' })).toBeVisible()
      expect(await overflow(page)).toBeLessThanOrEqual(0)
    }
    await openSample(page, devUrl, 'light')
    expect(await overflow(page)).toBeLessThanOrEqual(0)
  })
})
