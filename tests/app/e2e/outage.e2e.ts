import { findFreePort } from '../../../scripts/ports.ts'
import { appSlug } from '../../../src/brand.ts'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { type RunningServer, startServer } from '../support/server.ts'

/** An app without its database. tests/app/contract/health.ts tests the API in that state. */
test.describe('while the database is down', () => {
  // The tests share one server, and the last test reads its log.
  test.describe.configure({ mode: 'serial' })
  let server: RunningServer
  test.beforeAll(async () => {
    const DATABASE_URL = `postgres://nobody:secret-word@127.0.0.1:${await findFreePort()}/none`
    server = await startServer('start', { DATABASE_URL, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' })
  })
  test.afterAll(() => server.stop())

  test('static pages are still served', async ({ request }) => {
    expect((await request.get(`${server.url}/`)).status()).toBe(200)
  })

  test('the sign-in form reports it, and preserves the email', async ({ page }) => {
    await page.goto(`${server.url}/signin`)
    await page.getByLabel('Email').fill('ada@example.com')
    await page.getByLabel('Password').fill('whatever it is')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Temporarily unavailable')
    await expect(page.getByLabel('Email')).toHaveValue('ada@example.com')
  })

  test('a page that needs it says so, has a request ID to copy, and tries again by itself', async ({ page }) => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.context().addCookies([{ name: `${appSlug}.session`, value: 'x'.repeat(43), url: server.url }])
    const response = await page.goto(`${server.url}/dashboard?from=here`)
    expect([response?.status(), response?.headers()['retry-after']]).toEqual([503, '5'])
    const main = page.getByRole('main')
    await expect(main.getByRole('heading', { level: 1 })).toHaveText('Temporarily unavailable')
    await expect(main.locator('code')).toHaveText(response?.headers()['x-request-id'] ?? 'none')
    await expect(main.getByRole('button', { name: 'Copy' })).toBeVisible()
    await expect(main.getByRole('link', { name: 'Go to homepage' })).toHaveAttribute('href', '/')
    await expect(main.getByRole('link', { name: 'Go to dashboard' })).toBeHidden()
    await expect(main).toContainText(/Trying again in 0:0\d/)
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'system')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
    const again = await page.waitForResponse((one) => new URL(one.url()).pathname === '/dashboard')
    expect([again.status(), new URL(again.url()).search]).toEqual([503, '?from=here'])
    await expect(main.locator('code')).toHaveText(again.headers()['x-request-id'] ?? 'none')
    await expectAccessible(page)
  })

  test('it is the same page for data of the API that a browser opens, and without JavaScript', async ({ browser }) => {
    for (const javaScriptEnabled of [true, false]) {
      const context = await browser.newContext({ javaScriptEnabled })
      await context.addCookies([{ name: `${appSlug}.session`, value: 'x'.repeat(43), url: server.url }])
      const page = await context.newPage()
      for (const path of ['/dashboard', '/api/auth/session']) {
        expect((await page.goto(server.url + path))?.status(), path).toBe(503)
        await expect(page.getByRole('heading', { level: 1 }), path).toHaveText('Temporarily unavailable')
        await expect(page.getByRole('link', { name: 'Try again' }), path).toBeVisible()
        await expect(page.getByText('Trying again in'), path).toBeVisible({ visible: javaScriptEnabled })
        await expect(page.getByRole('button', { name: 'Copy' }), path).toBeVisible({ visible: javaScriptEnabled })
      }
      await context.close()
    }
  })

  test('the JSON log has the cause, and contains neither the database password nor form values', async () => {
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.includes('ECONNREFUSED'))
    expect(lines.length).toBeGreaterThan(2)
    for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow()
    expect(lines.join()).toContain('page failed')
    for (const secret of ['secret-word', 'ada@example.com', 'whatever it is'])
      expect(server.output()).not.toContain(secret)
  })
})
