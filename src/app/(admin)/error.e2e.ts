import { createDatabase, dropDatabase, findServer, runDb } from '../../../tests/app/support/database.ts'
import { expect, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { type RunningServer, startServer } from '../../../tests/app/support/server.ts'
import { createUsers, notFoundHeading, rows, signInAsAdmin, uniqueWord } from './e2e-users.ts'

/** An app with its own database, in which one table is missing for a while. */
test.describe('a page that fails', () => {
  let postgres: Awaited<ReturnType<typeof findServer>>
  let database: Awaited<ReturnType<typeof createDatabase>>
  let server: RunningServer
  test.beforeAll(async () => {
    postgres = await findServer()
    database = await createDatabase(postgres.url)
    runDb('migrate', database.url)
    runDb('seed', database.url, process.env.DEV_PASSWORD)
    server = await startServer('start', {
      DATABASE_URL: database.url,
      AUTH_SECRET: 'only-for-tests-0123456789-abcdefghijkl',
      ALLOW_SEEDED_PEOPLE: '1',
      TRUSTED_PROXY_HOPS: '1',
    })
  })
  test.afterAll(async () => {
    await server?.stop()
    await dropDatabase(postgres.url, database.name)
    await postgres.stop()
  })

  test('keeps the app shell and the theme, shows an error id to copy, and can be tried again', async ({
    page,
    password,
    pageErrors,
  }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url })
    const credentials = { email: 'admin@example.com', password, redirect: false }
    expect((await page.request.post(`${server.url}/api/auth/signin`, { data: credentials })).ok()).toBe(true)
    await page.goto(`${server.url}/admin/users`)
    await page.evaluate(() => localStorage.setItem('theme', 'dark'))

    await query('alter table audit_events rename to audit_events_away', [], database.url)
    expect((await page.goto(`${server.url}/admin/audit`))?.status()).toBe(500)
    const main = page.getByRole('main')
    await expect(main.getByRole('heading', { level: 1 })).toHaveText('Something went wrong')
    await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' })).toBeVisible()
    await expect(page.locator('html')).toHaveClass(/\bdark\b/)
    await expect(page.locator('html')).toHaveAttribute('data-signed-in', '')

    await expect(main.getByRole('link', { name: 'Go to dashboard' })).toBeVisible()
    await expect(main.getByRole('link', { name: 'Go to homepage' })).toBeHidden()

    const id = await main.locator('code').innerText()
    expect(id).toMatch(/^\d{6,}/)
    expect(server.output()).toContain(id)
    await main.getByRole('button', { name: 'Copy' }).click()
    await expect(main.getByRole('button', { name: 'Copied' })).toBeVisible()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id)

    await query('alter table audit_events_away rename to audit_events', [], database.url)
    await main.getByRole('button', { name: 'Try again' }).click()
    await expect(main.getByRole('heading', { level: 1 })).toHaveText('Audit log')
    await expect(page.locator('html')).toHaveClass(/\bdark\b/)
    expect(pageErrors.splice(0).filter((text) => text.includes('Content Security Policy'))).toEqual([])
  })
})

test('a link to a user who is gone keeps the app shell', async ({ page, password }) => {
  await signInAsAdmin(page, password)
  const word = uniqueWord()
  const [user] = await createUsers(word, 1)
  await page.goto(`/admin/users?search=${word}`)
  await query('delete from users where id = $1', [user?.id])
  await rows(page)
    .getByRole('link', { name: user?.name ?? '' })
    .first()
    .click()
  await expect(notFoundHeading(page)).toBeVisible()
  await expect(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Audit log' })).toBeVisible()
  await expect(page.getByRole('main').getByRole('link', { name: 'Go to dashboard' })).toBeVisible()
})
