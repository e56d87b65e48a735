import { expect, expectAccessible, expectNoLayoutShift, test } from '../../../tests/app/support/e2e-test.ts'
import { appName } from '../../brand.ts'
import { content } from './content.ts'

test('the page shows the content file, with one h1', { tag: '@smoke' }, async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(content.title)
  for (const { title } of content.features)
    await expect(page.getByRole('heading', { name: title, exact: true })).toBeVisible()
})

test('nothing moves while the page loads', async ({ page }) => {
  await expectNoLayoutShift(page, '/')
})

test('the page adds no script to those of the framework', async ({ request }) => {
  const scripts = async (path: string) => {
    const html = await (await request.get(path)).text()
    return [...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source]) => source).sort()
  }
  expect(await scripts('/')).toEqual(await scripts('/signed-out'))
})

test('the demo endpoint serves the same content publicly and is cacheable', async ({ request }) => {
  const response = await request.get('/api/demo/landing')
  expect(response.status()).toBe(200)
  expect(await response.json()).toEqual(content)
  expect(response.headers()['cache-control']).toBe('public, max-age=3600')
  expect(response.headers()['set-cookie']).toBeUndefined()
})

test('no link on the page is broken', async ({ page, request }) => {
  await page.goto('/')
  const targets = await page
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
  for (const target of new Set(targets)) {
    if (target.startsWith('#')) await expect(page.locator(target)).toBeAttached()
    else expect((await request.get(target)).status(), target).toBe(200)
  }
})

test('the page passes axe', async ({ page }) => {
  await page.goto('/')
  await expectAccessible(page)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a question shows its answer, and closes the one before', async ({ page }) => {
      await page.goto('/')
      const [first, second] = content.faq
      await expect(page.getByText(first.answer)).toBeHidden()
      await page.getByText(first.question).click()
      await expect(page.getByText(first.answer)).toBeVisible()
      await page.getByText(second.question).click()
      await expect(page.getByText(second.answer)).toBeVisible()
      await expect(page.getByText(first.answer)).toBeHidden()
    })
  })

  test.describe(javaScriptEnabled ? 'on a phone' : 'on a phone without JavaScript', () => {
    test.use({ javaScriptEnabled, viewport: { width: 390, height: 844 } })

    test('the links of the page are in a menu', async ({ page }) => {
      await page.goto('/')
      const menu = page.getByRole('navigation', { name: 'Main' })
      const link = menu.getByRole('link', { name: content.navigation[0].label })
      await expect(link).toBeHidden()
      await page.getByRole('button', { name: 'Menu' }).click()
      await expect(link).toBeVisible()
      await expect(menu.getByRole('link', { name: content.start.label })).toBeVisible()
      await link.click()
      await expect(page).toHaveURL(`/${content.navigation[0].href}`)
      if (javaScriptEnabled) await expect(link).toBeHidden()
    })

    test('the page passes axe and does not scroll horizontally', async ({ page }) => {
      await page.goto('/')
      if (javaScriptEnabled) await expectAccessible(page)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
    })
  })
}

test('the structured data is valid JSON about this app', async ({ page }) => {
  await page.goto('/')
  const text = await page.locator('script[type="application/ld+json"]').textContent()
  expect(JSON.parse(text ?? '')).toMatchObject({ name: appName, description: content.lead })
})

test('llms.txt describes the site, and its links work', async ({ request }) => {
  const response = await request.get('/llms.txt')
  expect(response.headers()['content-type']).toBe('text/plain; charset=utf-8')
  const text = await response.text()
  expect(text).toContain(`> ${content.lead}`)
  const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, url = '']) => new URL(url).pathname)
  expect(links).toContain('/')
  for (const link of links) expect((await request.get(link)).status(), link).toBe(200)
})
