import type { APIRequestContext, Page } from '@playwright/test'
import { expect, expectAccessible, randomIp, test } from '../../../tests/app/support/e2e-test.ts'
import { waitForEmail } from '../../../tests/app/support/inbox.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { sessionOf as session, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'
import { appSlug } from '../../brand.ts'

const newPassword = 'an entirely new one'
const statusMessage = (page: Page) => page.getByRole('main').getByRole('status')
const sessionRows = (page: Page) => page.getByRole('region', { name: 'Sessions' }).locator('tbody').getByRole('row')

/** Signs the same user in from another browser and returns the session token. */
async function signInElsewhere(appUrl: string, email: string, password: string): Promise<string> {
  const response = await fetch(`${appUrl}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': randomIp(), 'user-agent': 'curl/8' },
    body: JSON.stringify({ email, password, redirect: false }),
  })
  return new RegExp(`${appSlug}\\.session=([\\w-]+)`).exec(response.headers.get('set-cookie') ?? '')?.[1] ?? ''
}
const isAlive = async (appUrl: string, token: string) =>
  (await (await fetch(`${appUrl}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })).json()) !== null

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user changes their name, and sees an error when it is not valid', { tag: '@smoke' }, async ({
      page,
      password,
    }) => {
      await signInAsNewUser(page, password)
      await page.goto('/account')
      await page
        .getByRole('main')
        .getByRole('link', { name: /^Profile/ })
        .click()
      await expect(page).toHaveURL('/account/profile')
      await page.getByLabel('Name').fill('  Grace Hopper ')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(statusMessage(page)).toHaveText('Saved')
      expect((await session(page)).user.name).toBe('Grace Hopper')
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/up to 100/)
      expect((await session(page)).user.name).toBe('Grace Hopper')
    })

    test('a user changes their password: every other session ends, this one continues with a new token', {
      tag: '@smoke',
    }, async ({ page, password, appUrl }) => {
      const email = await signInAsNewUser(page, password)
      const other = await signInElsewhere(appUrl, email, password)
      const token = async () =>
        (await page.context().cookies()).find(({ name }) => name === `${appSlug}.session`)?.value
      const before = (await token()) ?? ''
      await page.goto('/account/password')
      await page.getByLabel('Current password').fill('not this one')
      await page.getByLabel('New password').fill(newPassword)
      await page.getByRole('button', { name: 'Change password' }).click()
      await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(/Incorrect password/)
      expect(await isAlive(appUrl, other)).toBe(true)

      await page.getByLabel('Current password').fill(password)
      await page.getByLabel('New password').fill(newPassword)
      await page.getByRole('button', { name: 'Change password' }).click()
      await expect(statusMessage(page)).toContainText('Password changed')
      expect((await session(page)).user.email).toBe(email)
      expect([await isAlive(appUrl, other), await isAlive(appUrl, before)]).toEqual([false, false])
      expect(await token()).not.toBe(before)
      expect(await signInElsewhere(appUrl, email, password)).toBe('')
      expect(await signInElsewhere(appUrl, email, newPassword)).not.toBe('')
      await waitForEmail(email, 'Your password was changed')
    })

    test('a user deletes their account, and nothing is left but their id in the audit log', { tag: '@smoke' }, async ({
      page,
      password,
    }) => {
      const email = await signInAsNewUser(page, password)
      const { id } = (await session(page)).user
      await page.goto('/account/delete')
      await page.getByLabel('Type your email').fill('yes')
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await expect(page.getByLabel('Type your email')).toHaveAccessibleDescription(new RegExp(`Type ${email}`))
      await page.getByLabel('Type your email').fill(email)
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await expect(page).toHaveURL('/signed-out')
      expect(await session(page)).toBeNull()
      const tables = await query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')`,
      )
      for (const { name } of tables)
        expect(await query(`select 1 from ${name} t where t::text ilike '%${email}%'`), name).toEqual([])
      const kinds = await query<{ kind: string }>(
        'select kind from audit_events where target_id = $1 order by id desc',
        [id],
      )
      expect(kinds[0]?.kind).toBe('person.deleted')
    })
  })
}

test('a user sees where they are signed in, ends one session, then all others', async ({ page, password, appUrl }) => {
  const email = await signInAsNewUser(page, password)
  const others = [await signInElsewhere(appUrl, email, password), await signInElsewhere(appUrl, email, password)]
  // Without a recent reauthentication the dialog asks for the password.
  await expireReauthentication(email)
  await page.goto('/account/sessions')
  await expect(sessionRows(page)).toHaveCount(3)
  await expect(sessionRows(page).first()).toContainText('This session')
  await expect(sessionRows(page).first().getByRole('link')).toHaveCount(0)
  await expectAccessible(page)
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true })
  await sessionRows(page).nth(1).getByRole('link', { name: 'of curl' }).click()
  await expect(page.getByRole('heading', { name: 'Sign out of curl?' })).toBeVisible()
  await page.getByLabel('Your password').fill('not this one')
  await signOut.click()
  await expect(page.getByLabel('Your password')).toHaveAccessibleDescription(/Incorrect password/)
  await page.getByLabel('Your password').fill(password)
  await signOut.click()
  await expect(page).toHaveURL('/account/sessions')
  await expect(sessionRows(page)).toHaveCount(2)
  await page.getByRole('link', { name: 'Sign out all other sessions' }).click()
  await expect(page.getByText('Signs out 1 session.')).toBeVisible()
  await signOut.click()
  await expect(page).toHaveURL('/account/sessions')
  await expect(sessionRows(page)).toHaveCount(1)
  await expect(page.getByRole('link', { name: 'Sign out all other sessions' })).toHaveCount(0)
  for (const token of others) expect(await isAlive(appUrl, token)).toBe(false)
  expect((await session(page)).user.email).toBe(email)
})

test('deleting asks for the password in the form if the last sign-in is more than an hour old', async ({
  page,
  password,
}) => {
  const email = await signInAsNewUser(page, password)
  await page.goto('/account/delete')
  const passwordField = page.getByLabel('Your password')
  const submit = async () => {
    await page.getByLabel('Type your email').fill(email)
    await page.getByRole('button', { name: 'Delete my account' }).click()
  }
  await expect(passwordField).toHaveCount(0)
  await expireReauthentication(email)
  // The page was opened before: the action asks.
  await submit()
  await expect(passwordField).toBeVisible()
  await expectAccessible(page)
  await page.goto('/account/delete')
  await passwordField.fill('wrong')
  await submit()
  await expect(passwordField).toHaveAccessibleDescription(/Incorrect password/)
  expect((await session(page)).user.email).toBe(email)
  await passwordField.fill(password)
  await submit()
  await expect(page).toHaveURL('/signed-out')
  expect(await query('select id from users where email = $1', [email])).toEqual([])
})

test('the pages redirect unauthenticated callers to sign in, and back afterwards', async ({ page, password }) => {
  await page.goto('/account/sessions')
  await expect(page).toHaveURL(/\/signin\?callbackUrl=/)
  await page.getByLabel('Email').fill(await newUser())
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/account/)
})

const movedPages = [
  ['/account/devices', '/account/sessions'],
  ['/account/two-step', '/account/two-factor'],
  ['/account/two-step/setup', '/account/two-factor/setup'],
] as const

for (const [former, current] of movedPages) {
  test(`${former} redirects permanently to ${current}, signed in or not`, async ({ page, request, password }) => {
    const responseOf = async (client: APIRequestContext) => {
      const response = await client.get(former, { maxRedirects: 0 })
      return { status: response.status(), location: response.headers().location }
    }
    expect(await responseOf(request)).toEqual({ status: 308, location: current })
    await signInAsNewUser(page, password)
    expect(await responseOf(page.request)).toEqual({ status: 308, location: current })
  })
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('former URLs lead to the pages, or to the sign-in page', async ({ page, password }) => {
      for (const [former] of movedPages) {
        await page.goto(former)
        await expect(page, former).toHaveURL(/\/signin\?callbackUrl=/)
      }
      await signInAsNewUser(page, password)
      await page.goto('/account/devices')
      await expect(page).toHaveURL('/account/sessions')
      await expect(page.getByRole('heading', { name: 'Sessions' })).toBeVisible()
      await page.goto('/account/two-step')
      await expect(page).toHaveURL('/account/two-factor')
      await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
    })
  })
}

for (const path of [
  '',
  'profile',
  'preferences',
  'security',
  'email',
  'password',
  'two-factor',
  'passkeys',
  'connections',
  'sessions',
  'sessions/sign-out',
  'tokens',
  'tokens/new',
  'data',
  'delete',
]) {
  const tag = path === 'profile' ? '@smoke' : []
  test(`/account/${path} is accessible`, { tag }, async ({ page, password }) => {
    await signInAsNewUser(page, password)
    await page.goto(`/account/${path}`)
    await expectAccessible(page)
  })
}

test('with forced colors, fields and buttons have borders, and the current section is underlined', async ({
  page,
  password,
}) => {
  await signInAsNewUser(page, password)
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/account/profile')
  await expect(page.getByLabel('Name', { exact: true })).toHaveCSS('border-width', '1px')
  await expect(page.getByRole('button', { name: 'Save' }).first()).toHaveCSS('border-width', '1px')
  const current = page.getByRole('navigation', { name: 'Settings' }).locator('[aria-current]')
  await expect(current).toHaveCSS('text-decoration-line', 'underline')
})

test.describe('on a phone', () => {
  test.use({ viewport: { width: 320, height: 640 } })

  test('the sections are a list of links, each page links back to it, and none scrolls horizontally', async ({
    page,
    password,
  }) => {
    await signInAsNewUser(page, password)
    await page.goto('/account')
    const links = page.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    await expect(links).toHaveCount(6)
    const paths = await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''))
    const below = ['email', 'password', 'two-factor', 'passkeys', 'connections', 'delete', 'tokens/new']
    for (const path of ['/account', ...below.map((name) => `/account/${name}`), ...paths]) {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toBeAttached()
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
      expect(overflow, path).toBeLessThanOrEqual(0)
    }
    await page.getByRole('link', { name: 'All settings' }).click()
    await expect(page).toHaveURL('/account')
    // A page below a section leads back to it.
    await page.goto('/account/password')
    await page.getByRole('main').getByRole('link', { name: 'Security' }).click()
    await expect(page).toHaveURL('/account/security')
  })
})

test('a form that is submitted offline keeps what was typed, and is sent when the browser is online again', async ({
  page,
  password,
}) => {
  await signInAsNewUser(page, password)
  await page.goto('/account/profile')
  await page.waitForLoadState('networkidle')
  await page.getByLabel('Name').fill('Grace Hopper')
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('You’re offline. Check your connection.')).toBeVisible()
  await expect(page.getByLabel('Name')).toHaveValue('Grace Hopper')
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(statusMessage(page)).toHaveText('Saved')
  expect((await session(page)).user.name).toBe('Grace Hopper')
})
