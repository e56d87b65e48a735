import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { newUser } from '../support/new-user.ts'
import { type RunningServer, startServer } from '../support/server.ts'

// The tests share one app, and count the lookups of one another.
test.describe.configure({ mode: 'default' })

// The password of the seeded users counts as breached here.
const sha1Of = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

let breachService: Server
let app: RunningServer
let lookups: string[] = []

test.beforeAll(async () => {
  const digest = sha1Of(process.env.DEV_PASSWORD ?? '')
  breachService = createServer(({ url = '' }, response) => {
    lookups.push(url)
    response.end(url === `/range/${digest.slice(0, 5)}` ? `${digest.slice(5)}:7\r\n` : `${'0'.repeat(35)}:0\r\n`)
  })
  await new Promise<void>((resolve) => breachService.listen(0, '127.0.0.1', resolve))
  const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
  app = await startServer('start', {
    DATABASE_URL,
    AUTH_SECRET,
    ALLOW_SEEDED_PEOPLE: '1',
    PASSWORD_BREACH_CHECK: 'on',
    PASSWORD_BREACH_URL: `http://127.0.0.1:${(breachService.address() as AddressInfo).port}`,
  })
})

test.afterAll(async () => {
  await app.stop()
  breachService.closeAllConnections()
  breachService.close()
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(`with JavaScript ${javaScriptEnabled ? 'on' : 'off'}`, () => {
    test.use({ javaScriptEnabled })

    test('a user who signs in with a breached password is told to change it, and can go on', async ({
      page,
      password,
    }) => {
      const email = await newUser()
      lookups = []
      await page.goto(`${app.url}/signin?callbackUrl=/search`)
      await page.getByLabel('Email').fill(email)
      await page.getByLabel('Password', { exact: true }).fill('not the password')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page.getByRole('main').getByRole('alert')).toBeVisible()
      expect(lookups).toEqual([])
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await expect(page.getByRole('heading', { name: 'Change your password' })).toBeVisible()
      expect(lookups).toEqual([`/range/${sha1Of(password).slice(0, 5)}`])
      const link = page.getByRole('link', { name: 'Change password' })
      await expect(link).toHaveAttribute('href', /^\/(account\/password|forgot)$/)
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByRole('link', { name: 'Not now' }).click()
      await expect(page).toHaveURL(`${app.url}/search`)
    })

    test('a new user cannot choose a breached password', async ({ page, password }) => {
      await page.goto(`${app.url}/signup`)
      await page.getByLabel('Email').fill(`new-${crypto.randomUUID()}@example.com`)
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Create account' }).click()
      await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/data breach/)
    })
  })
}

test('a caller who is not signed in does not get the notice', async ({ page }) => {
  await page.goto(`${app.url}/signin/breached`)
  await expect(page).toHaveURL(`${app.url}/signin`)
})
