import type { Page } from '@playwright/test'
import { allMailIsSent, linkIn, mailsTo, mailTo } from '../support/inbox.ts'
import { expect, expectAccessible, someAddress, test } from '../support/journey.ts'
import { newPerson } from '../support/person.ts'
import { query } from '../support/query.ts'

const subject = 'Choose a new password'
const chosen = 'an entirely new one'

async function ask(page: Page, email: string): Promise<void> {
  await page.goto('/forgot')
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText(email)
}
async function choose(page: Page, password: string): Promise<void> {
  await page.getByLabel('New password').fill(password)
  await page.getByRole('button', { name: 'Save the password' }).click()
}

test('somebody who forgot the password finds the mail in the inbox, chooses another, and is signed out everywhere', async ({
  page,
  password,
  appUrl,
  devUrl,
}) => {
  const email = await newPerson()
  const signIn = (tried: string) =>
    page.request.post('/api/auth/signin', { data: { email, password: tried, redirect: false } })
  const before = await signIn(password)
  const token = /plinth\.session=([\w-]+)/.exec(before.headers()['set-cookie'] ?? '')?.[1]
  const session = async () =>
    (await fetch(`${appUrl}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })).json()
  expect(await session()).toMatchObject({ user: { email } })
  await page.context().clearCookies()

  await page.goto('/signin')
  await page.getByRole('link', { name: 'Forgot it?' }).click()
  await expectAccessible(page)
  await ask(page, email)
  await expect(page.getByRole('main').getByRole('status')).toBeFocused()
  await expectAccessible(page)
  const { id } = await mailTo(email, subject)
  await page.goto(`${devUrl}/dev/inbox?mail=${id}`)
  await page.frameLocator('iframe').getByRole('link', { name: 'Choose a new password' }).click()
  await expect(page.getByRole('main')).toContainText(email)
  await expectAccessible(page)
  await choose(page, 'too short')
  await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/at least 12/)
  await choose(page, chosen)
  await expect(page).toHaveURL('/signin?notice=password_changed')
  await expect(page.getByRole('main').getByRole('status')).toHaveText(/Your password was changed/)
  expect(await session()).toBeNull()
  expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('plinth.session')
  expect((await signIn(password)).status()).toBe(401)
  expect((await signIn(chosen)).status()).toBe(200)
  await mailTo(email, 'Your password was changed')
})

test('an unknown address gets the same words, and nobody gets a mail', async ({ page }) => {
  const known = await newPerson()
  const unknown = `unknown-${crypto.randomUUID()}@example.com`
  const said: string[] = []
  for (const email of [known, unknown]) {
    await ask(page, email)
    said.push((await page.getByRole('main').innerText()).replace(email, '(address)'))
  }
  expect(said[0]).toBe(said[1])
  await mailTo(known, subject)
  await allMailIsSent()
  expect(await mailsTo(unknown)).toEqual([])
})

test('a link works once, even for ten at the same time, and not after its time', async ({ page }) => {
  const email = await newPerson()
  await ask(page, email)
  const link = linkIn(await mailTo(email, subject))
  const pages = await Promise.all(Array.from({ length: 10 }, () => page.context().newPage()))
  await Promise.all(pages.map((each) => each.goto(link)))
  await Promise.all(pages.map((each, index) => choose(each, `password number ${index}`)))
  const urls = await Promise.all(
    pages.map(async (each) => {
      await expect(each.getByText(/Your password was changed|This link was used already/)).toBeVisible()
      return new URL(each.url()).pathname
    }),
  )
  expect(urls.filter((path) => path === '/signin')).toHaveLength(1)
  await Promise.all(pages.map((each) => each.close()))

  await page.goto(link)
  await expect(page.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Send me another link' }).click()
  await ask(page, email)
  await expect.poll(async () => (await mailsTo(email)).filter((mail) => mail.subject === subject).length).toBe(2)
  await query(
    `update tokens set expires_at = now() - interval '1 second' where user_id = (select id from users where email = $1)`,
    [email],
  )
  await page.goto(linkIn(await mailTo(email, subject)))
  await expect(page.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
})

test('every other link to choose a password is dead once one was used', async ({ page }) => {
  const email = await newPerson()
  await ask(page, email)
  const first = await mailTo(email, subject)
  await page.getByRole('button', { name: 'Send it again' }).click()
  await expect.poll(async () => (await mailsTo(email)).length, { timeout: 10_000 }).toBe(2)
  await page.goto(linkIn((await mailsTo(email))[1] ?? first))
  await choose(page, chosen)
  await expect(page).toHaveURL(/notice=password_changed/)
  await page.goto(linkIn(first))
  await expect(page.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
})

test('what is stored is not the link, and the link is in no log', async ({ page }) => {
  const email = await newPerson()
  await ask(page, email)
  const token = new URL(linkIn(await mailTo(email, subject))).searchParams.get('token') ?? ''
  expect(token).toMatch(/^[\w-]{43}$/)
  const rows = await query<{ row: string }>(
    'select t::text as row from tokens t union all select j::text from jobs.job j',
  )
  const everything = rows.map(({ row }) => row).join('\n')
  expect(everything).not.toContain(token)
  expect(everything).not.toContain(email)
})

test('the fourth request in an hour is answered like the others, and sends nothing', async ({ page }) => {
  const email = await newPerson()
  for (let times = 0; times < 4; times++) {
    await page.context().setExtraHTTPHeaders({ 'x-forwarded-for': someAddress() })
    await ask(page, email)
  }
  await expect.poll(async () => (await mailsTo(email)).length, { timeout: 10_000 }).toBe(3)
  await allMailIsSent()
  expect(await mailsTo(email)).toHaveLength(3)
})

test('somebody who signs in with a provider only can choose a password with a link', async ({ page }) => {
  const email = await newPerson({ hasPassword: false })
  await ask(page, email)
  await page.goto(linkIn(await mailTo(email, subject)))
  await choose(page, chosen)
  await expect(page).toHaveURL(/notice=password_changed/)
  const response = await page.request.post('/api/auth/signin', { data: { email, password: chosen, redirect: false } })
  expect(response.status()).toBe(200)
})

test('somebody who is suspended gets no link', async ({ page }) => {
  const email = await newPerson({ isSuspended: true })
  await ask(page, email)
  await allMailIsSent()
  expect(await mailsTo(email)).toEqual([])
})

test.describe('a password that was tried wrongly a hundred times', () => {
  test('opens the account only where its owner has been before, until they choose another', async ({
    page,
    password,
    appUrl,
  }) => {
    const email = await newPerson()
    const attempt = (tried: string, cookie = '') =>
      fetch(`${appUrl}/api/auth/signin`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': someAddress(), cookie },
        body: JSON.stringify({ email, password: tried, redirect: false }),
      })
    const device = /plinth\.device=[^;]+/.exec((await attempt(password)).headers.get('set-cookie') ?? '')?.[0] ?? ''
    const failures = 'update passwords set failures = $2 where user_id = (select id from users where email = $1)'
    await query(failures, [email, 99])
    expect((await attempt('wrong')).status).toBe(401)
    await mailTo(email, 'Somebody is trying to guess your password')
    const refused = await attempt(password)
    const wrong = await attempt('wrong')
    expect(refused.status).toBe(401)
    const { instance: _, ...body } = await refused.json()
    expect(await wrong.json()).toMatchObject(body)
    expect((await attempt(password, device)).status).toBe(200)

    await query(failures, [email, 100])
    expect((await attempt(password)).status).toBe(401)
    await ask(page, email)
    await page.goto(linkIn(await mailTo(email, subject)))
    await choose(page, chosen)
    await expect(page).toHaveURL(/notice=password_changed/)
    expect((await attempt(chosen)).status).toBe(200)
  })
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('a new password is chosen all the same', async ({ page }) => {
    const email = await newPerson()
    await ask(page, email)
    await page.goto(linkIn(await mailTo(email, subject)))
    await choose(page, 'short')
    await expect(page.getByLabel('New password')).toHaveAccessibleDescription(/at least 12/)
    await choose(page, chosen)
    await expect(page).toHaveURL(/notice=password_changed/)
  })
})
