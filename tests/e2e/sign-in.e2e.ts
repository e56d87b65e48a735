import { expect, expectAccessible, signIn, test } from '../support/journey.ts'

test('a seeded person signs in, is greeted, and signs out', async ({ page, password }) => {
  await signIn(page, 'admin@example.com', password)
  await expect(page.getByRole('heading', { name: 'Hello, Ada Admin' })).toBeVisible()
  await expectAccessible(page)

  const session = await page.request.get('/api/auth/session')
  const body = await session.json()
  expect(Object.keys(body).sort()).toEqual(['expires', 'user'])
  expect(body.user).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    email: 'admin@example.com',
    name: 'Ada Admin',
    role: 'admin',
  })
  expect(body.expires).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

  await page.goto('/')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Dashboard' })).toBeVisible()
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeHidden()

  const cookies = await page.context().cookies()
  await page.goto('/dashboard')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await expect(page).toHaveURL('/signed-out')
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()
  // What remembers the browser stays; it opens nothing.
  expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['plinth.device'])

  // The old cookie is worth nothing, even to somebody who kept it.
  await page.context().addCookies(cookies)
  expect(await (await page.request.get('/api/auth/session')).json()).toBeNull()
})

test('a wrong password and an unknown address get the same words, and the address stays in the form', async ({
  page,
}) => {
  for (const email of ['admin@example.com', 'nobody@example.com']) {
    await signIn(page, email, 'not the password')
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('That e-mail and password do not match')
    await expect(page.getByRole('main').getByRole('alert')).toBeFocused()
    await expect(page.getByLabel('E-mail')).toHaveValue(email)
    await expect(page.getByLabel('Password')).toHaveValue('')
  }
  expect(await page.context().cookies()).toEqual([])
})

test('an empty form says what is missing, at the field, and goes there', async ({ page }) => {
  await page.goto('/signin')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByLabel('E-mail')).toBeFocused()
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription('Enter your e-mail address')
  await expectAccessible(page)
})

test('signing in needs only the keyboard', async ({ page, password }) => {
  await page.goto('/signin')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused()
  await page.keyboard.press('Enter')
  for (const name of ['Continue with Google', 'Continue with GitHub']) {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name })).toBeFocused()
  }
  // Modules may bring further ways, in between.
  await expect(async () => {
    await page.keyboard.press('Tab')
    await expect(page.getByLabel('E-mail')).toBeFocused({ timeout: 1_000 })
  }).toPass({ timeout: 10_000 })
  await page.keyboard.type('viewer@example.com')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { name: 'Hello, Victor Viewer' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a person signs in and out all the same', async ({ page, password }) => {
    await signIn(page, 'editor@example.com', password)
    await expect(page.getByRole('heading', { name: 'Hello, Edith Editor' })).toBeVisible()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto('/dashboard')
    await expect(page).toHaveURL('/signin')
  })

  test('a wrong password is explained, and the address is kept', async ({ page }) => {
    await signIn(page, 'editor@example.com', 'wrong')
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('That e-mail and password do not match')
    await expect(page.getByLabel('E-mail')).toHaveValue('editor@example.com')
  })
})

test('the dashboard sends strangers to the sign-in page, and shows them nothing', async ({ request }) => {
  const response = await request.get('/dashboard', { maxRedirects: 0 })
  expect(response.status()).toBe(307)
  expect(response.headers().location).toBe('/signin')
})

test('the session cookie cannot be read by scripts and stays on this site', async ({ page, password }) => {
  await signIn(page, 'viewer@example.com', password)
  await expect(page).toHaveURL('/dashboard')
  const cookie = (await page.context().cookies()).find(({ name }) => name === 'plinth.session')
  expect(cookie).toMatchObject({
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    value: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(await page.evaluate(() => document.cookie)).toBe('plinth.signed-in=1')
})

test('the page returns people to where they were going, and explains a refusal that led there', async ({
  page,
  password,
}) => {
  await page.goto('/signin?error=invalid_credentials&callbackUrl=/welcome')
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('That e-mail and password do not match')
  await page.getByLabel('E-mail').fill('viewer@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/welcome')
  await page.goto('/signin?callbackUrl=//evil.example')
  await expect(page).toHaveURL('/dashboard')
})
