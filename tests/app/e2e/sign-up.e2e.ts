import { expect, expectAccessible, test, waitForHydration } from '../support/e2e-test.ts'
import { greeting } from '../support/greeting.ts'
import { linkIn, waitForEmail } from '../support/inbox.ts'
import { query } from '../support/query.ts'
import { startServer } from '../support/server.ts'
import { password, sent, session, signUp, subject, uniqueEmail, usersWith } from '../support/sign-up.ts'

test('a user signs up, opens the email in the development inbox, verifies it, and is signed in', async ({
  page,
  devUrl,
}) => {
  const email = uniqueEmail()
  await page.goto('/signin')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expectAccessible(page)
  await signUp(page, email)
  await expect(sent(page)).toContainText(email)
  await expect(sent(page)).toBeFocused()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(['Check your email'])
  await expectAccessible(page)
  expect(await usersWith(email)).toEqual([])

  await waitForEmail(email, subject)
  await page.goto(`${devUrl}/dev/inbox`)
  await expectAccessible(page)
  await page.getByRole('link', { name: email }).click()
  await page.frameLocator('iframe').getByRole('link', { name: 'Confirm email' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm your email' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(email)
  await expect(page.getByLabel('Password')).toHaveCount(0)
  await expectAccessible(page)
  expect(await usersWith(email)).toEqual([])

  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
  await expect(greeting(page, 'Ada')).toBeVisible()
  expect(await session(page)).toMatchObject({ user: { email, name: 'Ada', role: 'viewer' } })
  expect(await query('select 1 from signups where email = $1', [email])).toEqual([])

  await page.context().clearCookies()
  await page.goto(linkIn(await waitForEmail(email, subject)))
  await expect(page.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
  await expectAccessible(page)
  const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
  expect(response.status()).toBe(200)
})

test('an invalid form shows an error at each field, and preserves all values except the password', {
  tag: '@smoke',
}, async ({ page }) => {
  await signUp(page, 'nobody', 'Password123456', 'x'.repeat(101))
  await expect(page.getByLabel('Email')).toHaveAccessibleDescription(/like ada@example.com/)
  await expect(page.getByLabel('Email')).toHaveValue('nobody')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/commonly used/)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/up to 100/)
  await expect(page.getByLabel('Name')).toBeFocused()
  await expect(page.getByRole('main').getByRole('alert')).toBeHidden()
  await expectAccessible(page)
})

test('a password can be shown while it is typed', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Password', { exact: true }).fill('can you read this')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')
})

test('the hint says in words what is left to do while a password is typed, and starts again after an error', async ({
  page,
}) => {
  await page.goto('/signup')
  await waitForHydration(page)
  const field = page.getByLabel('Password', { exact: true })
  await expect(field).toHaveAccessibleDescription(/^At least 12 characters/)
  for (const [typed, advice] of [
    ['a long walk', /^1 more character\.$/],
    ['abababababab', /^Too easy to guess$/],
    ['a long walk by the sea', /^Long enough$/],
  ] as const) {
    await field.fill(typed)
    await expect(field).toHaveAccessibleDescription(advice)
  }
  await expectAccessible(page)
  await page.getByLabel('Email').fill('long.walk@example.com')
  await field.fill('my long.walk by the sea')
  await expect(field).toHaveAccessibleDescription('Don’t include your email address')
  await page.getByRole('button', { name: 'Create account' }).click()
  await expect(field).toHaveValue('')
  await expect(field).toHaveAccessibleDescription(/^At least 12 characters.*Don’t include your email address$/)
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a user can sign up', { tag: '@smoke' }, async ({ page }) => {
    const email = uniqueEmail()
    await signUp(page, email, 'short')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/at least 12/)
    await expect(page.getByLabel('Email')).toHaveValue(email)
    await signUp(page, email)
    await expect(sent(page)).toContainText(email)
    await page.getByRole('button', { name: 'Resend' }).click()
    await expect(sent(page)).toContainText('We sent it again.')
    await page.goto(linkIn(await waitForEmail(email, subject)))
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()
    await expect(greeting(page, 'Ada')).toBeVisible()
  })
})

for (const [setting, message] of [
  ['invite', 'Ask an admin to invite you'],
  ['closed', 'Sign-up is closed'],
] as const) {
  test(`with AUTH_SIGNUP=${setting} there is no sign-up form`, async ({ page, password: seeded }) => {
    const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
    const server = await startServer('start', {
      DATABASE_URL,
      AUTH_SECRET,
      ALLOW_SEEDED_PEOPLE: '1',
      AUTH_SIGNUP: setting,
    })
    try {
      await page.goto(`${server.url}/signin`)
      await expect(page.getByRole('link', { name: 'Create an account' })).toHaveCount(0)
      await page.goto(`${server.url}/signup`)
      await expect(page.getByRole('main')).toContainText(message)
      await expect(page.getByLabel('Email')).toHaveCount(0)
      await expectAccessible(page)
      const response = await page.request.post(`${server.url}/api/auth/signin`, {
        data: { email: 'viewer@example.com', password: seeded, redirect: false },
      })
      expect(response.status()).toBe(200)
    } finally {
      await server.stop()
    }
  })
}
