import { createHash } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { appName } from '../../../src/brand.ts'
import { expect, expectAccessible, test } from '../support/e2e-test.ts'
import { hasModule } from '../support/has-module.ts'
import { linkIn, type ReceivedEmail, waitForEmail } from '../support/inbox.ts'
import { newUser } from '../support/new-user.ts'
import { choosePassword, requestReset } from '../support/reset-password.ts'
import { type RunningServer, startServer } from '../support/server.ts'
import { signInAsNewUser } from '../support/sign-in.ts'

// The tests share one app, and count the lookups of one another.
test.describe.configure({ mode: 'default' })

// The password of the seeded users counts as breached here, and this one.
const breached = 'a password from a breach'
const sha1Of = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase()

let breachService: Server
let app: RunningServer
let lookups: string[] = []

test.beforeAll(async () => {
  const digests = [process.env.DEV_PASSWORD ?? '', breached].map(sha1Of)
  breachService = createServer(({ url = '' }, response) => {
    lookups.push(url)
    const found = digests.filter((digest) => url === `/range/${digest.slice(0, 5)}`)
    response.end([...found.map((digest) => `${digest.slice(5)}:7`), `${'0'.repeat(35)}:0`, ''].join('\r\n'))
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

/** The link of an email, at the app that asks the service. */
const linkHere = (email: ReceivedEmail) => {
  const { pathname, search } = new URL(linkIn(email))
  return app.url + pathname + search
}

test('a breached password cannot be chosen with a reset', async ({ page }) => {
  const email = await newUser()
  await requestReset(page, email)
  await page.goto(linkHere(await waitForEmail(email, 'Reset your password')))
  await choosePassword(page, breached)
  await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/data breach/)
  await choosePassword(page, 'a password from no breach')
  await expect(page).toHaveURL(/notice=password_changed/)
})

test('a breached password cannot be chosen as a new one', async ({ page, password }) => {
  test.skip(!hasModule('account'), 'there is no page to change the password')
  await signInAsNewUser(page, password)
  await page.goto(`${app.url}/account/password`)
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill(breached)
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/data breach/)
})

test('an invited user cannot choose a breached password', async ({ page, password }) => {
  test.skip(!hasModule('admin'), 'there are no invitations')
  const email = `invited-${crypto.randomUUID()}@example.com`
  await signInAsNewUser(page, password, { role: 'admin', name: 'Ada' })
  await page.goto('/admin/invitations/new')
  await page.getByLabel('Emails').fill(email)
  await page.getByRole('button', { name: 'Send invitations' }).click()
  const invitation = linkHere(await waitForEmail(email, `Ada invited you to ${appName}`))
  await page.context().clearCookies()
  await page.goto(invitation)
  await page.getByLabel('Name').fill('Grace')
  await page.getByLabel('Password', { exact: true }).fill(breached)
  await page.getByRole('button', { name: 'Join' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/data breach/)
})

test('a caller who is not signed in does not get the notice', async ({ page }) => {
  await page.goto(`${app.url}/signin/breached`)
  await expect(page).toHaveURL(`${app.url}/signin`)
})
