import type { Page } from '@playwright/test'
import { appName } from '../../src/core/app-name.ts'
import { linkIn, mailsTo, mailTo } from '../support/inbox.ts'
import { expect, expectAccessible, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { query } from '../support/query.ts'
import { startServer } from '../support/server.ts'

const someEmail = () => `joining-${crypto.randomUUID()}@example.com`
const password = 'a long walk by the sea'
const subject = 'Confirm your e-mail address'

async function signUp(page: Page, email: string, chosen = password, name = 'Ada'): Promise<void> {
  await page.goto('/signup')
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(chosen)
  await page.getByRole('button', { name: 'Create account' }).click()
}
const sent = (page: Page) => page.getByRole('main').getByRole('status')
const peopleWith = (email: string) =>
  query<{ id: string; name: string; role: string }>('select id, name, role from users where email = $1', [email])
const session = async (page: Page) => (await page.request.get('/api/auth/session')).json()

test('a person signs up, finds the mail in the inbox of development, confirms, and is in', async ({ page, devUrl }) => {
  const email = someEmail()
  await page.goto('/signin')
  await page.getByRole('link', { name: 'Create an account' }).click()
  await expectAccessible(page)
  await signUp(page, email)
  await expect(sent(page)).toContainText(email)
  await expect(sent(page)).toBeFocused()
  await expectAccessible(page)
  expect(await peopleWith(email)).toEqual([])

  await mailTo(email, subject)
  await page.goto(`${devUrl}/dev/inbox`)
  await expectAccessible(page)
  await page.getByRole('link', { name: email }).click()
  await page.frameLocator('iframe').getByRole('link', { name: 'Confirm my address' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm your address' })).toBeVisible()
  await expect(page.getByRole('main')).toContainText(email)
  await expect(page.getByLabel('Password')).toHaveCount(0)
  await expectAccessible(page)
  expect(await peopleWith(email)).toEqual([])

  await page.getByRole('button', { name: 'Confirm and sign in' }).click()
  await expect(page.getByRole('heading', { name: 'Hello, Ada' })).toBeVisible()
  expect(await session(page)).toMatchObject({ user: { email, name: 'Ada', role: 'viewer' } })
  expect(await query('select 1 from signups where email = $1', [email])).toEqual([])

  await page.context().clearCookies()
  await page.goto(linkIn(await mailTo(email, subject)))
  await expect(page.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
  await expectAccessible(page)
  const response = await page.request.post('/api/auth/signin', { data: { email, password, redirect: false } })
  expect(response.status()).toBe(200)
})

test('in another browser the password is asked for, so that nobody opens an account for somebody else', async ({
  page,
  browser,
  appUrl,
  address,
}) => {
  const email = someEmail()
  await signUp(page, email, 'the stranger knows this')
  await expect(sent(page)).toBeVisible()
  const link = linkIn(await mailTo(email, subject))
  const context = await browser.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': address } })
  const other = await context.newPage()
  await other.goto(link)
  await other.getByLabel('Password', { exact: true }).fill('not what the stranger chose')
  await other.getByRole('button', { name: 'Confirm and sign in' }).click()
  await expect(other.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/not the password/)
  await expectAccessible(other)
  expect(await peopleWith(email)).toEqual([])

  // The owner signs up as well; each sign-up has its own password and its own link.
  await signUp(other, email, 'only the owner knows this')
  await expect(sent(other)).toBeVisible()
  await expect.poll(async () => (await mailsTo(email)).length, { timeout: 10_000 }).toBe(2)
  const [, second] = await mailsTo(email)
  if (!second) throw new Error('There is no second mail')
  await other.goto(linkIn(second))
  await other.getByRole('button', { name: 'Confirm and sign in' }).click()
  await expect(other).toHaveURL('/dashboard')
  await context.close()

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
  const signIn = (chosen: string) =>
    page.request.post('/api/auth/signin', { data: { email, password: chosen, redirect: false } })
  expect((await signIn('the stranger knows this')).status()).toBe(401)
  expect((await signIn('only the owner knows this')).status()).toBe(200)
})

test('who has an account already is told so by mail, and whoever typed the address sees nothing of it', async ({
  page,
}) => {
  const known = await newPerson()
  const unknown = someEmail()
  const said: string[] = []
  for (const email of [known, unknown]) {
    await signUp(page, email)
    await expect(sent(page)).toBeVisible()
    said.push((await page.getByRole('main').innerText()).replace(email, '(address)'))
  }
  expect(said[0]).toBe(said[1])
  const mail = await mailTo(known, 'You already have an account')
  expect(mail.text).not.toContain('token=')
  expect((await mailTo(unknown, subject)).text).toContain('/verify?token=')
})

test('opening the link changes nothing, however often programs do it', async ({ page, request }) => {
  const email = someEmail()
  await signUp(page, email)
  await expect(sent(page)).toBeVisible()
  const link = linkIn(await mailTo(email, subject))
  for (let times = 0; times < 3; times++) {
    const response = await request.get(link)
    expect(response.status()).toBe(200)
    expect(response.headers()['referrer-policy']).toBe('same-origin')
    expect(response.headers()['cache-control']).toContain('no-store')
  }
  expect(await peopleWith(email)).toEqual([])
})

test('a form that cannot be accepted says why at each field, and keeps what was typed but not the password', async ({
  page,
}) => {
  await signUp(page, 'nobody', 'Password123456', 'x'.repeat(101))
  await expect(page.getByLabel('E-mail')).toHaveAccessibleDescription(/like ada@example.com/)
  await expect(page.getByLabel('E-mail')).toHaveValue('nobody')
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/everybody tries/)
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('')
  await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/at most 100/)
  await expect(page.getByLabel('Name')).toBeFocused()
  await expectAccessible(page)
})

test('a password can be looked at while it is typed', async ({ page }) => {
  await page.goto('/signup')
  await page.getByLabel('Password', { exact: true }).fill('can you read this')
  await page.getByRole('button', { name: 'Show password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'text')
  await page.getByRole('button', { name: 'Hide password' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAttribute('type', 'password')
})

test('many sign-ups with one address at once make one person of whoever confirms first', async ({ page }) => {
  const email = someEmail()
  await signUp(page, email)
  await expect(sent(page)).toBeVisible()
  const link = linkIn(await mailTo(email, subject))
  const pages = await Promise.all(Array.from({ length: 5 }, () => page.context().newPage()))
  await Promise.all(pages.map((each) => each.goto(link)))
  await Promise.all(pages.map((each) => each.getByRole('button', { name: 'Confirm and sign in' }).click()))
  await expect.poll(() => peopleWith(email)).toHaveLength(1)
  await Promise.all(pages.map((each) => each.close()))
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a person joins all the same', async ({ page }) => {
    const email = someEmail()
    await signUp(page, email, 'short')
    await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/at least 12/)
    await expect(page.getByLabel('E-mail')).toHaveValue(email)
    await signUp(page, email)
    await expect(sent(page)).toContainText(email)
    await page.goto(linkIn(await mailTo(email, subject)))
    await page.getByRole('button', { name: 'Confirm and sign in' }).click()
    await expect(page.getByRole('heading', { name: 'Hello, Ada' })).toBeVisible()
  })
})

test('a mail is text and HTML, says who it is from, and shows a name as a name', async ({ page }) => {
  const email = someEmail()
  await signUp(page, email, password, '<b>Ada</b>, "eve@example.com" <x@y.z>')
  await expect(sent(page)).toBeVisible()
  const mail = await mailTo(email, subject)
  expect(mail.headers).toMatchObject({
    from: `${appName} <plinth@example.com>`,
    'auto-submitted': 'auto-generated',
    'message-id': expect.stringMatching(/^<[0-9a-f-]{36}@localhost>$/),
  })
  expect(mail.text).toContain('Hello <b>Ada</b>')
  expect(mail.html).toContain('Hello &lt;b&gt;Ada&lt;/b&gt;')
  expect(mail.html).not.toContain('<b>Ada')
  expect(await mailsTo('eve@example.com')).toEqual([])
})

for (const setting of ['invite', 'closed']) {
  test(`with AUTH_SIGNUP=${setting} nobody joins by themselves`, async ({ page, password: seeded }) => {
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
      await expect(page.getByRole('main')).toContainText('Ask for an invitation')
      await expect(page.getByLabel('E-mail')).toHaveCount(0)
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
