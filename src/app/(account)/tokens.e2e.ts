import type { APIRequestContext, Page } from '@playwright/test'
import { linkIn, mailTo } from '../../../tests/support/inbox.ts'
import { expect, expectAccessible, signIn, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'

const items = (page: Page) => page.getByRole('main').getByRole('listitem')
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const callerOf = async (request: APIRequestContext, token: string) =>
  (await request.get('/api/auth/session', { headers: bearer(token) })).json()

async function enter(page: Page, password: string, role = 'viewer'): Promise<string> {
  const email = await newPerson()
  await query('update users set role = $2 where email = $1', [email, role])
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
  return email
}

/** Makes a token on the page and returns it. */
async function make(page: Page, name: string, { role = 'viewer', days = '30' } = {}): Promise<string> {
  await page.goto('/account/tokens')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Role').selectOption(role)
  await page.getByLabel('Expires in').selectOption(days)
  await page.getByRole('button', { name: 'Make token' }).click()
  await expect(page.getByRole('status')).toContainText('shown only this once')
  return (await page.getByText(/^plinth_/).textContent()) ?? ''
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a token is made, shown once, used, seen in the list, and revoked at once', async ({
      page,
      password,
      request,
      appUrl,
    }) => {
      const email = await enter(page, password, 'admin')
      await page.goto('/account/tokens')
      await expect(page.getByText('No tokens')).toBeVisible()
      await expect(page.getByRole('main')).toContainText(
        `curl -H "Authorization: Bearer $TOKEN" ${appUrl}/api/auth/session`,
      )
      await page.getByLabel('Name').fill('  ')
      await page.getByLabel('Role').selectOption('editor')
      await page.getByLabel('Expires in').selectOption('365')
      await page.getByRole('button', { name: 'Make token' }).click()
      await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/1 to 100/)
      await expect(page.getByLabel('Role')).toHaveValue('editor')
      await expect(page.getByLabel('Expires in')).toHaveValue('365')
      await expect(items(page)).toHaveCount(0)

      const token = await make(page, 'Backup')
      expect(token).toMatch(/^plinth_[\w-]{43}$/)
      await expect(items(page)).toHaveCount(1)
      await expect(items(page)).toContainText(/Backup.*viewer.*expires in 30 days.*last used never/)
      await expect(page.getByRole('button', { name: 'Copy' })).toBeVisible({ visible: javaScriptEnabled })
      await page.getByRole('link', { name: 'Make another' }).click()
      await expect(page.getByLabel('Name')).toBeVisible()
      expect(await page.content()).not.toContain(token)

      const caller = await callerOf(request, token)
      expect(caller.user).toMatchObject({ email, role: 'viewer' })
      const days = (Date.parse(caller.expires) - Date.now()) / 24 / 60 / 60_000
      expect(days).toBeGreaterThan(29.9)
      expect(days).toBeLessThan(30.1)
      await page.reload()
      await expect(items(page)).toContainText('last used just now')

      const mail = await mailTo(email, 'An API token was made')
      expect(mail.text).toContain('30 days')
      expect(`${mail.text}${mail.html}`).not.toContain(token)
      await page.getByRole('button', { name: 'Revoke Backup' }).click()
      await expect(page.getByText('No tokens')).toBeVisible()
      expect(await callerOf(request, token)).toBeNull()
    })
  })
}

test('a token follows its owner: down with the role, nobody with a suspension, an expiry, a deletion', async ({
  page,
  password,
  request,
}) => {
  const email = await enter(page, password, 'admin')
  const [viewer, admin] = [await make(page, 'Reader'), await make(page, 'All', { role: 'admin', days: '7' })]
  const rolesNow = async () =>
    Promise.all([viewer, admin].map(async (token) => (await callerOf(request, token))?.user.role ?? null))
  const set = (what: string) => query(`update users set ${what} where email = $1`, [email])
  expect(await rolesNow()).toEqual(['viewer', 'admin'])
  await set(`role = 'editor'`)
  expect(await rolesNow()).toEqual(['viewer', 'editor'])
  await set(`role = 'viewer'`)
  expect(await rolesNow()).toEqual(['viewer', 'viewer'])
  await page.goto('/account/tokens')
  await expect(page.getByLabel('Role').getByRole('option')).toHaveText(['viewer'])
  await set('suspended_at = now()')
  expect(await rolesNow()).toEqual([null, null])
  await set('suspended_at = null')
  expect(await rolesNow()).toEqual(['viewer', 'viewer'])
  await query(
    `update account_api_tokens set expires_at = now() where name = 'Reader' and user_id = (select id from users where email = $1)`,
    [email],
  )
  expect(await rolesNow()).toEqual([null, 'viewer'])
  await page.goto('/account/tokens')
  await expect(items(page).filter({ hasText: 'Reader' })).toContainText('expired')
  await query('delete from users where email = $1', [email])
  expect(await rolesNow()).toEqual([null, null])
})

test('a token opens no page, runs no action and signs nobody out; a new password leaves it, an alarm ends it', async ({
  page,
  password,
  request,
  appUrl,
}) => {
  const email = await enter(page, password)
  const token = await make(page, 'Script')
  const isAlive = async () => (await callerOf(request, token)) !== null
  for (const path of ['/dashboard', '/account/tokens', '/account/profile']) {
    const answer = await request.get(path, { headers: bearer(token), maxRedirects: 0 })
    expect([answer.status(), answer.headers().location], path).toEqual([307, expect.stringMatching(/^\/signin/)])
  }
  const exported = await request.get('/api/account/export', { headers: bearer(token) })
  expect([exported.status(), (await exported.json()).code]).toEqual([401, 'unauthenticated'])

  // The form as a browser without JavaScript sends it, once with the token instead of the cookie, once as it is.
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
    return (await callerOf(request, token)).user.name
  }
  const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ')
  expect(await rename('By token', bearer(token))).toBe('Somebody')
  expect(await rename('By both', { ...bearer(token), cookie })).toBe('Somebody')
  expect(await rename('By cookie', { cookie })).toBe('By cookie')

  const out = await request.post('/api/auth/signout', { headers: bearer(token), maxRedirects: 0 })
  expect(out.status()).toBe(302)
  expect(await isAlive()).toBe(true)
  expect((await (await page.request.get('/api/auth/session')).json()).user.email).toBe(email)

  await page.goto('/account/password')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('an entirely new one')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText('Your password was changed')
  expect(await isAlive()).toBe(true)

  await page.goto(linkIn(await mailTo(email, 'An API token was made')))
  await page.getByRole('main').getByRole('button').click()
  await expect.poll(isAlive).toBe(false)
})

test('nobody revokes a token of somebody else', async ({ page, password, request, browser, appUrl, address }) => {
  await enter(page, password)
  const token = await make(page, 'Mine')
  const [id] = await query<{ id: string }>('select id from account_api_tokens where hash = sha256($1)', [
    Buffer.from(token),
  ])
  const context = await browser.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': address } })
  const other = await context.newPage()
  await enter(other, password, 'admin')
  await make(other, 'Theirs')
  await other.locator('input[name="id"]').evaluate((input: HTMLInputElement, value) => {
    input.value = value
  }, id?.id ?? '')
  await other.getByRole('button', { name: 'Revoke Theirs' }).click()
  await expect(other.getByRole('main').getByRole('alert')).toContainText('gone already')
  expect(await callerOf(request, token)).not.toBeNull()
  await context.close()
})

test('making one asks who it is when that was not shown within the hour, and the action asks for itself', async ({
  page,
  password,
}) => {
  const email = await enter(page, password)
  await page.goto('/account/tokens')
  await query(
    `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
    [email],
  )
  await page.getByLabel('Name').fill('Late')
  await page.getByRole('button', { name: 'Make token' }).click()
  await expect(page.getByRole('main').getByRole('alert')).toContainText('Confirm that it is you')
  await page.goto('/account/tokens')
  await expect(page.getByLabel('Name')).toHaveCount(0)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Confirm that it is you' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page).toHaveURL('/account/tokens')
  await make(page, 'In time')
})

test('with the keyboard alone a token is made, copied and revoked; every state is accessible', async ({
  page,
  password,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await enter(page, password, 'editor')
  await page.goto('/account/tokens')
  await expectAccessible(page)
  await page.getByLabel('Name').focus()
  await page.keyboard.type('Nightly')
  await page.keyboard.press('Tab')
  await page.keyboard.type('e')
  await page.keyboard.press('Tab')
  await page.keyboard.type('90')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('status')).toBeFocused()
  await expect(items(page)).toContainText(/Nightly.*editor.*in 90 days/)
  await expectAccessible(page)
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Copy' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Copied' })).toBeFocused()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(await page.getByText(/^plinth_/).textContent())
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(page.getByLabel('Name')).toBeVisible()
  await page.getByRole('button', { name: 'Make token' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByRole('button', { name: 'Revoke Nightly' })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page.getByText('No tokens')).toBeVisible()
})
