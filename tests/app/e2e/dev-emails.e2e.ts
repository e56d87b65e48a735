import AxeBuilder from '@axe-core/playwright'
import type { Page } from '@playwright/test'
import { createTransport } from 'nodemailer'
import { expect, test } from '../support/e2e-test.ts'

const subject = 'Your password was changed'

const samples = (page: Page) => page.getByRole('list', { name: 'Kinds of emails' }).getByRole('link')

const pathsOfSamples = (page: Page) =>
  samples(page).evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))

const linksIn = (page: Page) => page.frameLocator('iframe').getByRole('link')

/** Opens the HTML of a sample as a page of its own. */
async function openSample(page: Page, url: string): Promise<void> {
  await page.goto(url)
  const html = (await page.locator('iframe').getAttribute('srcdoc')) ?? ''
  await page.goto('about:blank')
  await page.setContent(html)
  await expect(page.getByRole('heading').first()).toBeVisible()
}

const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('every kind of email is listed, and shown as HTML and as text', async ({ page, devUrl }) => {
      await page.goto(`${devUrl}/dev/emails`)
      expect(await samples(page).count()).toBeGreaterThan(10)
      await samples(page).filter({ hasText: subject }).first().click()
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

test('every email passes axe in both themes, each with colors of its own, and fits on a phone', async ({
  page,
  devUrl,
}) => {
  test.slow()
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto(`${devUrl}/dev/emails`)
  const paths = await pathsOfSamples(page)
  expect(paths.length).toBeGreaterThan(10)
  for (const path of paths) {
    const colors = new Set<string>()
    for (const view of ['light', 'dark']) {
      await openSample(page, `${devUrl}${path}&view=${view}`)
      colors.add(await page.locator('.card').evaluate((card) => getComputedStyle(card).backgroundColor))
      expect(await overflow(page), path).toBeLessThanOrEqual(0)
      const { violations } = await new AxeBuilder({ page })
        .setLegacyMode()
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
        .analyze()
      expect(
        violations.map(({ id }) => id),
        `${path} in the ${view} theme`,
      ).toEqual([])
    }
    expect(colors.size, path).toBe(2)
  }
})

test('every link of an email is in its text, too, and leads to a page', async ({ page, devUrl }) => {
  await page.goto(`${devUrl}/dev/emails`)
  const targets = new Map<string, string>()
  for (const path of await pathsOfSamples(page)) {
    await page.goto(devUrl + path)
    const hrefs = await linksIn(page).evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    await page.goto(`${devUrl}${path}&view=text`)
    const text = await page.locator('pre').innerText()
    for (const href of hrefs) {
      expect(text, path).toContain(href)
      targets.set(new URL(href).pathname, href)
    }
  }
  expect(targets.size).toBeGreaterThan(2)
  for (const href of targets.values()) {
    const { pathname, search } = new URL(href)
    expect((await page.request.get(pathname + search)).status(), href).toBe(200)
  }
})

test('an email of every kind is received, and opens in the inbox with its links', async ({ page, devUrl }) => {
  test.slow()
  const transport = createTransport(process.env.SMTP_URL)
  await page.goto(`${devUrl}/dev/emails`)
  for (const path of await pathsOfSamples(page)) {
    await page.goto(devUrl + path)
    const subject = `${await page.getByRole('article').getAttribute('aria-label')} ${crypto.randomUUID()}`
    const html = (await page.locator('iframe').getAttribute('srcdoc')) ?? ''
    await page.goto(`${devUrl}${path}&view=text`)
    const text = await page.locator('pre').innerText()
    await transport.sendMail({ from: 'app@example.com', to: 'ada@example.com', subject, html, text })

    await page.goto(`${devUrl}/dev/inbox?q=${encodeURIComponent(subject)}`)
    await page.getByRole('list', { name: 'Emails' }).getByRole('link', { name: subject }).click()
    const email = page.getByRole('article', { name: subject })
    await expect(email.frameLocator('iframe').getByRole('heading').first()).toBeVisible()
    const hrefs = await linksIn(page).evaluateAll((links) => links.map((link) => link.getAttribute('href')))
    await email.getByRole('link', { name: 'Links' }).click()
    for (const href of hrefs) await expect(email.getByRole('link', { name: href ?? '', exact: true })).toHaveCount(1)
  }
  transport.close()
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 800 } })

  test('the page does not scroll horizontally', async ({ page, devUrl }) => {
    for (const view of ['light', 'text']) {
      await page.goto(`${devUrl}/dev/emails?view=${view}`)
      await expect(page.getByRole('heading', { level: 1, name: 'Emails' })).toBeVisible()
      expect(await overflow(page)).toBeLessThanOrEqual(0)
    }
  })
})
