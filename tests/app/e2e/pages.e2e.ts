import { expect, expectAccessible, test } from '../support/e2e-test.ts'

const pages = ['/', '/signed-out', '/signin', '/no-such-page']

for (const path of pages) {
  test(`${path} passes axe`, { tag: '@smoke' }, async ({ page }) => {
    await page.goto(path)
    await expectAccessible(page)
  })
}

for (const path of ['/dev/ui', '/dev/inbox', '/dev/emails?view=text', '/dev/routes', '/welcome']) {
  test(`${path} in development passes axe`, async ({ page, devUrl }) => {
    await page.goto(devUrl + path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessible(page)
  })
}

test.describe('on a narrow screen', () => {
  test.use({ viewport: { width: 320, height: 640 } })

  for (const path of pages) {
    test(`${path} does not scroll horizontally`, async ({ page }) => {
      await page.goto(path)
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow).toBeLessThanOrEqual(0)
    })
  }
})

test('a bar says when the browser is offline, and leaves when it is online again', async ({ page }) => {
  for (const path of ['/signed-out', '/signin']) {
    await page.goto(path)
    const bar = page.getByText('You’re offline. Check your connection.')
    await expect(bar).toBeHidden()
    await page.context().setOffline(true)
    await expect(bar).toBeVisible()
    await expectAccessible(page)
    await page.context().setOffline(false)
    await expect(bar).toBeHidden()
  }
})

test.describe('the theme', () => {
  const background = () => getComputedStyle(document.body).backgroundColor

  test('follows the system until one is chosen, and then applies on every page without a flash', async ({ page }) => {
    await page.emulateMedia({ colorScheme: 'light' })
    await page.goto('/')
    const light = await page.evaluate(background)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await page.evaluate(background)
    expect(dark).not.toBe(light)

    await page.getByRole('button', { name: 'Light' }).click()
    expect(await page.evaluate(background)).toBe(light)

    // Record the first background color that the next page is painted with.
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
    await expect(page.getByRole('button', { name: 'Light (selected)' })).toBeVisible()
  })

  test('follows the system without JavaScript', async ({ browser, appUrl }) => {
    const colors = await Promise.all(
      (['light', 'dark'] as const).map(async (colorScheme) => {
        const context = await browser.newContext({ colorScheme, javaScriptEnabled: false })
        const page = await context.newPage()
        await page.goto(appUrl)
        const color = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
        await context.close()
        return color
      }),
    )
    expect(colors[0]).not.toBe(colors[1])
  })
})

test('the start page lists the seeded users in development, and production has only one that shows nothing', async ({
  page,
  devUrl,
  password,
}) => {
  await page.goto(`${devUrl}/welcome`)
  await expect(page.getByText('admin@example.com')).toBeVisible()
  await expect(page.getByText(password)).toBeVisible()
  const response = await page.goto('/welcome')
  const isHome = (await (await page.request.get('/')).text()).includes('Your app is running')
  expect(response?.status()).toBe(isHome ? 200 : 404)
  expect(await page.content()).not.toContain('example.com')
  expect(await page.content()).not.toContain(password)
})
