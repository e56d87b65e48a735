import type { APIRequestContext, Page } from '@playwright/test'
import { expect, expectAccessible, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { appSlug } from '../../brand.ts'

const items = (page: Page) => page.getByRole('region', { name: 'Your tokens' }).locator('tbody').getByRole('row')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const sessionOf = async (request: APIRequestContext, token: string) =>
  (await request.get('/api/auth/session', { headers: bearer(token) })).json()

async function signInAsNewUser(page: Page, password: string, role = 'viewer'): Promise<string> {
  const email = await newUser()
  await query('update users set role = $2 where email = $1', [email, role])
  await startSession(page, email, password)
  return email
}

/** Creates a token on the page and returns it. */
async function createToken(page: Page, name: string, { role = 'viewer', days = '30' } = {}): Promise<string> {
  await page.goto('/account/tokens/new')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Role').selectOption(role)
  await page.getByLabel('Expiration').selectOption(days)
  await page.getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByRole('status')).toContainText('Copy your token now')
  return (await page.getByText(new RegExp(`^${appSlug}_`)).textContent()) ?? ''
}

/** Opens the menu of a token, and the dialog that revokes it. */
async function chooseRevoke(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.locator('[data-slot="menu"]:popover-open').getByRole('link', { name: 'Revoke…' }).click()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a token is created, shown once, used, listed, and revoked with immediate effect', { tag: '@smoke' }, async ({
      page,
      password,
      request,
      appUrl,
    }) => {
      const email = await signInAsNewUser(page, password, 'admin')
      await page.goto('/account/tokens')
      await expect(page.getByText('No API tokens yet')).toBeVisible()
      await expect(page.getByRole('main')).toContainText(
        `curl -H "Authorization: Bearer $TOKEN" ${appUrl}/api/auth/session`,
      )
      await page.getByRole('link', { name: 'Create token' }).click()
      await page.getByLabel('Name').fill('  ')
      await page.getByLabel('Role').selectOption('editor')
      await page.getByLabel('Expiration').selectOption('365')
      await page.getByRole('button', { name: 'Create token' }).click()
      await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/up to 100/)
      await expect(page.getByLabel('Role')).toHaveValue('editor')
      await expect(page.getByLabel('Expiration')).toHaveValue('365')
      await page.getByRole('link', { name: 'Cancel' }).click()
      await expect(page).toHaveURL('/account/tokens')
      await expect(page.getByText('No API tokens yet')).toBeVisible()

      const token = await createToken(page, 'Backup')
      expect(token).toMatch(new RegExp(`^${appSlug}_[\\w-]{43}$`))
      await expect(page.getByRole('button', { name: 'Copy' })).toBeVisible({ visible: javaScriptEnabled })
      await page.getByRole('link', { name: 'Done' }).click()
      await expect(page).toHaveURL('/account/tokens')
      await expect(items(page)).toHaveCount(1)
      await expect(items(page)).toContainText(/Backup.*Viewer.*Never used.*Expires in 30 days/)
      expect(await page.content()).not.toContain(token)

      const session = await sessionOf(request, token)
      expect(session.user).toMatchObject({ email, role: 'viewer' })
      const days = (Date.parse(session.expires) - Date.now()) / 24 / 60 / 60_000
      expect(days).toBeGreaterThan(29.9)
      expect(days).toBeLessThan(30.1)
      await page.reload()
      await expect(items(page)).toContainText('Last used just now')

      const notice = await waitForEmail(email, 'An API token was created')
      expect(notice.text).toContain('30 days')
      expect(`${notice.text}${notice.html}`).not.toContain(token)
      await chooseRevoke(page, 'Backup')
      await expect(page.getByRole('heading', { name: 'Revoke Backup?' })).toBeVisible()
      await page.getByRole('button', { name: 'Revoke', exact: true }).click()
      await expect(page.getByText('No API tokens yet')).toBeVisible()
      expect(await sessionOf(request, token)).toBeNull()
    })
  })
}

test('a token follows its owner: a lower role limits it; suspension, expiry and deletion disable it', async ({
  page,
  password,
  request,
}) => {
  const email = await signInAsNewUser(page, password, 'admin')
  const [viewer, admin] = [
    await createToken(page, 'Reader'),
    await createToken(page, 'All', { role: 'admin', days: '7' }),
  ]
  const rolesNow = async () =>
    Promise.all([viewer, admin].map(async (token) => (await sessionOf(request, token))?.user.role ?? null))
  const set = (what: string) => query(`update users set ${what} where email = $1`, [email])
  expect(await rolesNow()).toEqual(['viewer', 'admin'])
  await set(`role = 'editor'`)
  expect(await rolesNow()).toEqual(['viewer', 'editor'])
  await set(`role = 'viewer'`)
  expect(await rolesNow()).toEqual(['viewer', 'viewer'])
  await page.goto('/account/tokens/new')
  await expect(page.getByLabel('Role').getByRole('option')).toHaveText(['Viewer'])
  await set('suspended_at = now()')
  expect(await rolesNow()).toEqual([null, null])
  await set('suspended_at = null')
  expect(await rolesNow()).toEqual(['viewer', 'viewer'])
  await query(
    `update account_api_tokens set expires_at = now() - interval '1 minute' where name = 'Reader' and user_id = (select id from users where email = $1)`,
    [email],
  )
  expect(await rolesNow()).toEqual([null, 'viewer'])
  await page.goto('/account/tokens')
  await expect(items(page).filter({ hasText: 'Reader' })).toContainText('Expired')
  await query('delete from users where email = $1', [email])
  expect(await rolesNow()).toEqual([null, null])
})

test('a token works for no page, action or sign-out; it survives a new password, but not "Secure my account"', async ({
  page,
  password,
  request,
  appUrl,
}) => {
  const email = await signInAsNewUser(page, password)
  const token = await createToken(page, 'Script')
  const isAlive = async () => (await sessionOf(request, token)) !== null
  for (const path of ['/dashboard', '/account/tokens', '/account/profile']) {
    const response = await request.get(path, { headers: bearer(token), maxRedirects: 0 })
    expect([response.status(), response.headers().location], path).toEqual([307, expect.stringMatching(/^\/signin/)])
  }
  const exported = await request.get('/api/account/export', { headers: bearer(token) })
  expect([exported.status(), (await exported.json()).code]).toEqual([401, 'unauthenticated'])

  // Sends the form like a browser without JavaScript: with the token, with token and cookie, and with the cookie.
  const html = await (await page.request.get('/account/profile')).text()
  const fields = await page.evaluate((text) => {
    const form = new DOMParser()
      .parseFromString(text, 'text/html')
      .querySelector<HTMLFormElement>('main form:has([name="name"])')
    return form ? [...new FormData(form)].map(([name, value]) => [name, String(value)] as const) : []
  }, html)
  const rename = async (name: string, headers: Record<string, string>) => {
    const body = new FormData()
    for (const [field, value] of fields) body.append(field, field === 'name' ? name : value)
    const ours = { origin: appUrl, 'sec-fetch-site': 'same-origin' }
    await fetch(`${appUrl}/account/profile`, { method: 'POST', headers: { ...ours, ...headers }, body })
    return (await sessionOf(request, token)).user.name
  }
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  expect(await rename('By token', bearer(token))).toBe('Test User')
  expect(await rename('By both', { ...bearer(token), cookie })).toBe('Test User')
  expect(await rename('By cookie', { cookie })).toBe('By cookie')

  const out = await request.post('/api/auth/signout', { headers: bearer(token), maxRedirects: 0 })
  expect(out.status()).toBe(302)
  expect(await isAlive()).toBe(true)
  expect((await (await page.request.get('/api/auth/session')).json()).user.email).toBe(email)

  await page.goto('/account/password')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('an entirely new one')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText('Password changed')
  expect(await isAlive()).toBe(true)

  await page.goto(linkIn(await waitForEmail(email, 'An API token was created')))
  await page.getByRole('main').getByRole('button').click()
  await expect.poll(isAlive).toBe(false)
})

test('a user cannot revoke a token of another user', async ({ page, password, request, browser, appUrl, clientIp }) => {
  await signInAsNewUser(page, password)
  const token = await createToken(page, 'Mine')
  const [id] = await query<{ id: string }>('select id from account_api_tokens where hash = sha256($1)', [
    Buffer.from(token),
  ])
  const context = await browser.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': clientIp } })
  const other = await context.newPage()
  await signInAsNewUser(other, password, 'admin')
  const theirs = await createToken(other, 'Theirs')
  const [own] = await query<{ id: string }>('select id from account_api_tokens where hash = sha256($1)', [
    Buffer.from(theirs),
  ])
  await other.goto(`/account/tokens/${id?.id}/revoke`)
  await expect(other.getByRole('main')).toContainText('This token no longer exists.')
  await expect(other.getByRole('main')).not.toContainText('Mine')
  await expect(other.getByRole('main').getByRole('button')).toHaveCount(0)
  await other.goto(`/account/tokens/${own?.id}/revoke`)
  await other.locator('input[name="id"]').evaluate((input: HTMLInputElement, value) => {
    input.value = value
  }, id?.id ?? '')
  await other.getByRole('button', { name: 'Revoke', exact: true }).click()
  await expect(other.getByRole('main').getByRole('alert')).toContainText('no longer exists')
  expect(await sessionOf(request, token)).not.toBeNull()
  await context.close()
})

test('creating one requires reauthentication within the last hour, enforced by the action and not only by the page', async ({
  page,
  password,
}) => {
  const email = await signInAsNewUser(page, password)
  await page.goto('/account/tokens/new')
  await expireReauthentication(email)
  await page.getByLabel('Name').fill('Late')
  await page.getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Confirm it’s you')
  await expect(page.getByLabel('Name')).toHaveValue('Late')
  await page.goto('/account/tokens/new')
  await expectAccessible(page)
  await page.getByLabel('Name').fill('In time')
  await page.getByLabel('Your password').fill('not the password')
  await page.getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByLabel('Your password')).toHaveAccessibleDescription(/Incorrect password/)
  await expect(page.getByLabel('Name')).toHaveValue('In time')
  await page.getByLabel('Your password').fill(password)
  await page.getByRole('button', { name: 'Create token' }).click()
  await expect(page.getByRole('status')).toContainText('Copy your token now')
})

test('a token can be created, copied and revoked with the keyboard alone; every state is accessible', async ({
  page,
  password,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await signInAsNewUser(page, password, 'editor')
  await page.goto('/account/tokens')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Create token' }).focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Create a token' })
  await expect(dialog).toBeVisible()
  await expect(page).toHaveURL('/account/tokens/new')
  await expect(dialog.getByLabel('Name')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.type('Nightly')
  await page.keyboard.press('Tab')
  await page.keyboard.type('e')
  await page.keyboard.press('Tab')
  await page.keyboard.type('90')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  const created = page.getByRole('dialog', { name: 'Token created' })
  await expect(created.getByRole('status')).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await expect(created.getByRole('button', { name: 'Copy' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(created.getByRole('button', { name: 'Copied' })).toBeFocused()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    await page.getByText(new RegExp(`^${appSlug}_`)).textContent(),
  )
  await page.keyboard.press('Tab')
  await expect(created.getByRole('link', { name: 'Done' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page).toHaveURL('/account/tokens')
  await expect(items(page)).toContainText(/Nightly.*Editor.*in 90 days/)
  await page.getByRole('button', { name: 'Actions for Nightly' }).focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Revoke Nightly?' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Cancel' })).toBeFocused()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByText('No API tokens yet')).toBeVisible()
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('on a phone, the table is a list and the dialog fits the screen', async ({ page, password }) => {
  await page.setViewportSize({ width: 390, height: 800 })
  await signInAsNewUser(page, password)
  await createToken(page, 'A script with a rather long name that does not fit into one line')
  await page.getByRole('link', { name: 'Done' }).click()
  await expect(items(page)).toHaveCount(1)
  await expectAccessible(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
  await chooseRevoke(page, 'A script')
  await expect(page.getByRole('heading', { name: /^Revoke A script/ })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0)
})
