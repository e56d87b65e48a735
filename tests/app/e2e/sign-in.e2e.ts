import type { Page } from '@playwright/test'
import { appSlug } from '../../../src/brand.ts'
import { expect, expectAccessible, signIn, signOut, test } from '../support/e2e-test.ts'
import { greeting } from '../support/greeting.ts'

/** Without one-time tokens, which last for minutes: a module may offer a sign-in method that needs one. */
async function lastingCookies(page: Page): Promise<string[]> {
  const inAnHour = Date.now() / 1000 + 60 * 60
  return (await page.context().cookies()).filter(({ expires }) => expires > inAnHour).map(({ name }) => name)
}

test('a seeded user signs in, is greeted, and signs out', { tag: '@smoke' }, async ({ page, password }) => {
  await signIn(page, 'admin@example.com', password)
  await expect(greeting(page, 'Ada')).toBeVisible()
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
  await signOut(page)
  await expect(page).toHaveURL('/signed-out')
  await expect(page.getByRole('heading', { name: 'You’re signed out' })).toBeVisible()
  await expectAccessible(page)
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in again' })).toBeVisible()
  // The trusted-device cookie stays; it does not sign anybody in.
  expect(await lastingCookies(page)).toEqual([`${appSlug}.device`])
  await page.goto('/')
  await expect(page.getByRole('banner').getByRole('link', { name: 'Sign in' })).toBeVisible()

  // The old session cookie is invalid, even if an attacker has a copy.
  await page.context().addCookies(cookies)
  expect(await (await page.request.get('/api/auth/session')).json()).toBeNull()
})

test('a wrong password and an unknown email get the same message, and the form preserves the email', {
  tag: '@smoke',
}, async ({ page }) => {
  for (const email of ['admin@example.com', 'nobody@example.com']) {
    await signIn(page, email, 'not the password')
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Incorrect email or password')
    await expect(page.getByRole('main').getByRole('alert')).toBeFocused()
    await expect(page.getByLabel('Email')).toHaveValue(email)
    await expect(page.getByLabel('Password')).toHaveValue('')
  }
  expect(await lastingCookies(page)).toEqual([])
})

test('an empty form shows the error at the field and focuses it', async ({ page }) => {
  await page.goto('/signin')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page.getByLabel('Email')).toBeFocused()
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription('Enter your email')
  await expectAccessible(page)
})

test('signing in needs only the keyboard', async ({ page, password }) => {
  await page.goto('/signin')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('link', { name: 'Create an account' })).toBeFocused()
  for (const name of ['Continue with Google', 'Continue with GitHub']) {
    await page.keyboard.press('Tab')
    await expect(page.getByRole('button', { name })).toBeFocused()
  }
  // Modules may add sign-in methods in between.
  const isAtEmail = () => page.getByLabel('Email').evaluate((field) => field === document.activeElement)
  for (let tabs = 0; tabs < 10 && !(await isAtEmail()); tabs++) await page.keyboard.press('Tab')
  await expect(page.getByLabel('Email')).toBeFocused()
  await page.keyboard.type('viewer@example.com')
  await page.keyboard.press('Tab')
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await expect(greeting(page, 'Victor')).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a user can sign in and out', async ({ page, password }) => {
    await signIn(page, 'editor@example.com', password)
    await expect(greeting(page, 'Edith')).toBeVisible()
    await signOut(page)
    await page.goto('/dashboard')
    await expect(page).toHaveURL('/signin')
  })

  test('a wrong password shows an error, and the form preserves the email', async ({ page }) => {
    await signIn(page, 'editor@example.com', 'wrong')
    await expect(page.getByRole('main').getByRole('alert')).toHaveText('Incorrect email or password')
    await expect(page.getByLabel('Email')).toHaveValue('editor@example.com')
  })
})

test('the brand stands beside the form on wide screens only', async ({ page }) => {
  const brand = page.getByRole('complementary', { name: /^About/ })
  for (const path of ['/signin', '/signup', '/forgot', '/signed-out', '/reset?token=x']) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.goto(path)
    await expect(brand).toBeVisible()
    await page.setViewportSize({ width: 390, height: 800 })
    await expect(brand).toBeHidden()
    const { top } = await page.getByRole('heading', { level: 1 }).evaluate((title) => title.getBoundingClientRect())
    expect(top, path).toBeLessThan(170)
    await expectAccessible(page)
  }
})

test.describe('in development', () => {
  test('one click signs in as a seeded user; the production build does not have it', async ({ page, devUrl }) => {
    // The development server compiles the pages first.
    test.slow()
    await page.goto(`${devUrl}/signin?callbackUrl=/welcome`)
    await expect(page.getByText('Dev only')).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Editor' }).click()
    await expect(page).toHaveURL(`${devUrl}/welcome`)
    const session = await (await page.request.get(`${devUrl}/api/auth/session`)).json()
    expect(session.user.email).toBe('editor@example.com')

    await page.context().clearCookies()
    await page.goto('/signin')
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
    expect(await page.content()).not.toMatch(/Dev only|example\.com/)
  })
})

test('the dashboard redirects unauthenticated callers to the sign-in page', async ({ request }) => {
  const response = await request.get('/dashboard', { maxRedirects: 0 })
  expect(response.status()).toBe(307)
  expect(response.headers().location).toBe('/signin')
})

test('the session cookie is HttpOnly and SameSite=Lax', async ({ page, password }) => {
  await signIn(page, 'viewer@example.com', password)
  await expect(page).toHaveURL('/dashboard')
  const cookie = (await page.context().cookies()).find(({ name }) => name === `${appSlug}.session`)
  expect(cookie).toMatchObject({
    httpOnly: true,
    sameSite: 'Lax',
    path: '/',
    value: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(await page.evaluate(() => document.cookie)).toBe(`${appSlug}.signed-in=1`)
})

test('the sign-in page shows the error from the URL, and redirects to callbackUrl only within this site', async ({
  page,
  password,
}) => {
  await page.goto('/signin?error=invalid_credentials&callbackUrl=/signed-out')
  await expect(page.getByRole('main').getByRole('alert')).toHaveText('Incorrect email or password.')
  await page.getByLabel('Email').fill('viewer@example.com')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/signed-out')
  await page.goto('/signin?callbackUrl=//evil.example')
  await expect(page).toHaveURL('/dashboard')
})
