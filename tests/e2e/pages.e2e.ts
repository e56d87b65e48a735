import { expect, expectAccessible, test } from '../support/journey.ts'

const pages = ['/', '/welcome', '/signin', '/no-such-page']

for (const theme of ['light', 'dark'] as const) {
  test.describe(`in the ${theme} theme`, () => {
    test.use({ colorScheme: theme })

    for (const path of pages) {
      test(`${path} has nothing that axe finds fault with`, async ({ page }) => {
        await page.goto(path)
        await expectAccessible(page)
      })
    }

    for (const path of ['/dev/ui', '/welcome']) {
      test(`${path} in development has nothing that axe finds fault with`, async ({ page, devUrl }) => {
        await page.goto(devUrl + path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
        await expectAccessible(page)
      })
    }
  })
}

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 320, height: 640 } })

  for (const path of pages) {
    test(`${path} does not scroll sideways`, async ({ page }) => {
      await page.goto(path)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
    })
  }
})

test.describe('the theme', () => {
  const background = () => getComputedStyle(document.body).backgroundColor

  test('follows the system until one is chosen, and the choice stays on every page without a flash', async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto('/')
    const light = await page.evaluate(background)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await page.evaluate(background)
    expect(dark).not.toBe(light)

    await page.getByRole('button', { name: 'Light' }).click()
    expect(await page.evaluate(background)).toBe(light)

    // Record the very first colour the next page is painted with.
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      new MutationObserver((_, observer) => {
        if (!document.body) return
        observer.disconnect()
        requestAnimationFrame(() => seen.push(getComputedStyle(document.body).backgroundColor))
      }).observe(document, { childList: true, subtree: true })
    })
    await page.goto('/signin')
    await page.waitForFunction(() => (window as unknown as { seen: string[] }).seen.length > 0)
    expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual([light])
    await expect(page.getByRole('button', { name: 'Light (chosen)' })).toBeVisible()
  })

  test('follows the system without JavaScript', async ({ browser, appUrl }) => {
    const colours = await Promise.all(
      (['light', 'dark'] as const).map(async (colorScheme) => {
        const context = await browser.newContext({ colorScheme, javaScriptEnabled: false })
        const page = await context.newPage()
        await page.goto(appUrl)
        const colour = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
        await context.close()
        return colour
      }),
    )
    expect(colours[0]).not.toBe(colours[1])
  })
})

test('development pages are not in the production build', async ({ request }) => {
  expect((await request.get('/dev/ui')).status()).toBe(404)
})

test('the start screen in development says who one can be, and in production does not', async ({
  page,
  devUrl,
  password,
}) => {
  await page.goto(`${devUrl}/welcome`)
  await expect(page.getByText('admin@example.com')).toBeVisible()
  await expect(page.getByText(password)).toBeVisible()
  await page.goto('/welcome')
  await expect(page.getByRole('heading', { name: 'It runs' })).toBeVisible()
  expect(await page.content()).not.toContain('example.com')
  expect(await page.content()).not.toContain(password)
})
