import { freePort } from '../../scripts/ports.ts'
import { expect, test } from '../support/journey.ts'
import { type RunningServer, startServer } from '../support/server.ts'

/** A server whose database is not there. What its HTTP interface says then is in tests/contract/health.ts. */
test.describe('while the database is away', () => {
  // One server for all, and the last test reads what it wrote.
  test.describe.configure({ mode: 'serial' })
  let server: RunningServer
  test.beforeAll(async () => {
    const DATABASE_URL = `postgres://nobody:secret-word@127.0.0.1:${await freePort()}/none`
    server = await startServer('start', { DATABASE_URL, AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl' })
  })
  test.afterAll(() => server.stop())

  test('static pages are served as ever', async ({ request }) => {
    expect((await request.get(`${server.url}/`)).status()).toBe(200)
  })

  test('signing in says so, and keeps the address', async ({ page }) => {
    await page.goto(`${server.url}/signin`)
    await page.getByLabel('E-mail').fill('ada@example.com')
    await page.getByLabel('Password').fill('whatever it is')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('The service is not available right now')
    await expect(page.getByLabel('E-mail')).toHaveValue('ada@example.com')
  })

  test('a page that needs it says what happened, with a number to quote', async ({ page, complaints }) => {
    await page.context().addCookies([{ name: 'plinth.session', value: 'x'.repeat(43), url: server.url }])
    const response = await page.goto(`${server.url}/dashboard`)
    expect([response?.status(), response?.headers()['retry-after']]).toEqual([503, '5'])
    await expect(page.getByRole('heading', { name: 'Something went wrong on our side' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Try again' })).toBeVisible()
    await expect(page.getByRole('main')).toContainText(/\d{6,}/)
    complaints.length = 0
  })

  test('the log tells why, in lines of JSON, and holds neither the password nor what was asked for', async () => {
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
