import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import { continueWith, elsewhere, enterAsSomebody, sessionOf } from '../../../tests/support/enter.ts'
import { linkIn, mailTo } from '../../../tests/support/inbox.ts'
import { expect, expectAccessible, signIn, someAddress, test } from '../../../tests/support/journey.ts'
import { query } from '../../../tests/support/query.ts'
import { startServer } from '../../../tests/support/server.ts'

const half = 30_000
const codeAt = (key: string, time = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: time })
/** Digits that are none of the codes around now. */
const wrongCode = (key: string) => {
  const near = [-2, -1, 0, 1, 2].map((step) => codeAt(key, Date.now() + step * half))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
}
const trouble = (page: Page) => page.getByRole('main').getByRole('alert')

/** Switches it on as a person does; returns the app's key, the code that was used, and the recovery codes. */
async function setUp(page: Page): Promise<{ key: string; used: string; codes: string[] }> {
  await page.goto('/account/two-step')
  await page.getByRole('button', { name: 'Set it up' }).click()
  await expect(page).toHaveURL('/account/two-step/setup')
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  const key = (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(' ', '')
  const used = codeAt(key)
  await page.getByLabel('Code', { exact: true }).fill(used)
  await page.getByRole('button', { name: 'Switch it on' }).click()
  const shown = page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)
  await expect(shown).toBeVisible()
  return { key, used, codes: (await shown.innerText()).trim().split(/\s+/) }
}

/** So that a test need not wait half a minute for the next code. */
const forgetSteps = (email: string) =>
  query('update account_totp set last_step = 0 where user_id = (select id from users where email = $1)', [email])

/** The first step, as a program takes it. Returns its cookies. */
async function firstStep(appUrl: string, email: string, password: string) {
  const response = await fetch(`${appUrl}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': someAddress() },
    body: JSON.stringify({ email, password, redirect: false }),
  })
  const cookies = response.headers.getSetCookie().filter((line) => !/Max-Age=0/i.test(line))
  return { response, cookies, cookie: cookies.map((line) => line.split(';')[0]).join('; ') }
}

const secondStep = (appUrl: string, cookie: string, code: string) =>
  fetch(`${appUrl}/api/auth/challenge`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ code, redirect: false }),
  })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a person switches two-step sign-in on, and from then on a code is asked for', async ({ page, password }) => {
      const email = await enterAsSomebody(page, password)
      const { key, used, codes } = await setUp(page)
      expect(new Set(codes).size).toBe(10)
      await mailTo(email, 'Two-step sign-in is on')

      await page.context().clearCookies()
      await signIn(page, email, password)
      await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
      expect(await sessionOf(page)).toBeNull()
      const field = page.getByLabel('Code', { exact: true })
      for (const refused of [wrongCode(key), used]) {
        await field.fill(refused)
        await page.getByRole('button', { name: 'Sign in' }).click()
        // Emptied by the answer: the words alone could still be those of the attempt before.
        await expect(field).toHaveValue('')
        await expect(trouble(page)).toContainText('not right, or was used already')
      }
      expect(await sessionOf(page)).toBeNull()
      // The app's clock is half a minute ahead.
      await field.fill(codeAt(key, Date.now() + half).replace(/^(...)/, '$1 '))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await expect(page).toHaveURL('/dashboard')
      expect((await sessionOf(page)).user.email).toBe(email)
    })

    test('a recovery code stands in for the app, once, and the owner is told', async ({ page, password }) => {
      const email = await enterAsSomebody(page, password)
      const { codes } = await setUp(page)
      const [first = ''] = codes
      for (const isFirstTime of [true, false]) {
        await page.context().clearCookies()
        await signIn(page, email, password)
        await page.getByRole('link', { name: 'Use a recovery code' }).click()
        await page.getByLabel('Recovery code').fill(first.toUpperCase().replaceAll('-', ' '))
        await page.getByRole('button', { name: 'Sign in' }).click()
        if (isFirstTime) await expect(page).toHaveURL('/dashboard')
        else await expect(trouble(page)).toContainText('not right, or was used already')
      }
      const mail = await mailTo(email, 'A recovery code was used')
      expect(mail.text).toContain('9 left')
    })
  })
}

test('who is asked once more whether it is them is asked for both steps', async ({ page, password }) => {
  const email = await enterAsSomebody(page, password)
  const { codes } = await setUp(page)
  await query(
    `update sessions set confirmed_at = now() - interval '2 hours' where user_id = (select id from users where email = $1)`,
    [email],
  )
  await page.goto('/account/two-step')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
  expect(await sessionOf(page)).toBeNull()
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/account/two-step')
  await expect(page.getByRole('button', { name: 'Switch off two-step sign-in' })).toBeVisible()
})

test('the pages are accessible, and the codes are nowhere to be read again', async ({ page, password }) => {
  test.slow()
  const email = await enterAsSomebody(page, password)
  await page.goto('/account/two-step')
  await page.getByRole('button', { name: 'Set it up' }).click()
  await expect(page).toHaveURL('/account/two-step/setup')
  await expectAccessible(page)
  const { key, codes } = await setUp(page)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await expect(page.getByText('You have 10 left')).toBeVisible()
  await expectAccessible(page)
  const rows = await query<{ row: string }>(
    `select t::text as row from account_totp t union all select t::text from account_recovery_codes t`,
  )
  const stored = rows.map(({ row }) => row).join('\n')
  for (const secret of [key, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
    expect(stored).not.toContain(secret)
    expect(stored).not.toContain(Buffer.from(secret).toString('hex'))
  }
  await page.context().clearCookies()
  await signIn(page, email, password)
  await expectAccessible(page)
})

test('new recovery codes replace the old ones, and switching off needs no code any more', async ({
  page,
  password,
}) => {
  const email = await enterAsSomebody(page, password)
  const { codes: old } = await setUp(page)
  await page.goto('/account/two-step')
  await page.getByRole('button', { name: 'Make new recovery codes' }).click()
  const shown = page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)
  await expect(shown).toBeVisible()
  const fresh = (await shown.innerText()).trim().split(/\s+/)
  expect(fresh.some((code) => old.includes(code))).toBe(false)
  await mailTo(email, 'You have new recovery codes')

  await page.goto('/account/two-step')
  await page.getByRole('button', { name: 'Switch off two-step sign-in' }).click()
  await expect(page.getByRole('button', { name: 'Set it up' })).toBeVisible()
  await mailTo(email, 'Two-step sign-in is off')
  await page.context().clearCookies()
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
})

test('a wrong code while setting up is explained at the field, and switches nothing on', async ({ page, password }) => {
  const email = await enterAsSomebody(page, password)
  await page.goto('/account/two-step')
  await page.getByRole('button', { name: 'Set it up' }).click()
  const key = (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(' ', '')
  await page.getByLabel('Code', { exact: true }).fill(wrongCode(key))
  await page.getByRole('button', { name: 'Switch it on' }).click()
  await expect(page.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(/not the code/)
  await page.context().clearCookies()
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
})

test('a program is told about the second step, has no session until it is taken, and a code works once', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await enterAsSomebody(page, password)
  const { key } = await setUp(page)
  await forgetSteps(email)

  const first = await firstStep(appUrl, email, password)
  expect(first.response.status).toBe(200)
  expect(await first.response.json()).toEqual({ challenge: 'totp', url: expect.stringMatching(/^\/signin\/second/) })
  expect(first.cookies.some((line) => line.startsWith('plinth.session='))).toBe(false)
  const asked = await fetch(`${appUrl}/api/auth/session`, { headers: { cookie: first.cookie } })
  expect(await asked.json()).toBeNull()

  expect((await secondStep(appUrl, '', codeAt(key))).status).toBe(401)
  const wrong = await secondStep(appUrl, first.cookie, wrongCode(key))
  expect([wrong.status, (await wrong.json()).code]).toEqual([401, 'invalid_credentials'])

  const code = codeAt(key)
  const right = await secondStep(appUrl, first.cookie, code)
  expect(right.status).toBe(200)
  expect(Object.keys(await right.json())).toEqual(['user', 'expires', 'url'])
  expect(right.headers.getSetCookie().some((line) => line.startsWith('plinth.session='))).toBe(true)

  const again = await firstStep(appUrl, email, password)
  expect((await secondStep(appUrl, again.cookie, code)).status).toBe(401)
  expect((await secondStep(appUrl, first.cookie, codeAt(key, Date.now() + half))).status).toBe(401)
})

test('one code, sent many times at once, opens one session', async ({ page, password, appUrl }) => {
  const email = await enterAsSomebody(page, password)
  const { key } = await setUp(page)
  await forgetSteps(email)
  const tickets = [await firstStep(appUrl, email, password), await firstStep(appUrl, email, password)]
  const code = codeAt(key)
  const answers = await Promise.all(
    [tickets[0], tickets[1], tickets[0], tickets[1]].map((ticket) => secondStep(appUrl, ticket?.cookie ?? '', code)),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('guessing codes is stopped after a few, and a new password shuts out whoever knew the old one', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await enterAsSomebody(page, password)
  const { key } = await setUp(page)
  await forgetSteps(email)
  const pending = await firstStep(appUrl, email, password)
  const statuses: number[] = []
  for (let index = 0; index < 6; index++)
    statuses.push((await secondStep(appUrl, pending.cookie, wrongCode(key))).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])

  await page.goto('/account/password')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('an entirely new one')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText('Your password was changed')
  await query(`delete from rate_limits where key like '%second_factor%'`)
  expect((await secondStep(appUrl, pending.cookie, codeAt(key))).status).toBe(401)
})

test('whom a provider vouches for is asked for the code, too', async ({ page }) => {
  const email = `two-step.${crypto.randomUUID().slice(0, 8)}@example.com`
  await continueWith(page, 'GitHub', email)
  await expect(page).toHaveURL('/dashboard')
  const { key } = await setUp(page)
  await forgetSteps(email)
  await page.context().clearCookies()
  await continueWith(page, 'GitHub', email)
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
  expect(await sessionOf(page)).toBeNull()
  await page.getByLabel('Code', { exact: true }).fill(codeAt(key))
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.email).toBe(email)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'where it is a must' : 'where it is a must, without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('who has not set it up does so before they are in, and cannot switch it off', async ({ page, password }) => {
      const email = await enterAsSomebody(page, password)
      await page.context().clearCookies()
      const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
      const settings = { DATABASE_URL, AUTH_SECRET, ALLOW_SEEDED_PEOPLE: '1', ACCOUNT_TWO_STEP: 'everybody' }
      const server = await startServer('start', settings)
      try {
        await page.goto(`${server.url}/signin?callbackUrl=/account/two-step`)
        await page.getByLabel('E-mail').fill(email)
        await page.getByLabel('Password', { exact: true }).fill(password)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await expect(page.getByRole('heading', { name: 'Set up two-step sign-in' })).toBeVisible()
        if (javaScriptEnabled) await expectAccessible(page)
        const session = async () => (await page.request.get(`${server.url}/api/auth/session`)).json()
        expect(await session()).toBeNull()
        await page.getByRole('button', { name: 'Set it up' }).click()
        const shown = page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
        const key = (await shown.innerText()).replaceAll(' ', '')
        await page.getByLabel('Code', { exact: true }).fill(wrongCode(key))
        await page.getByRole('button', { name: 'Switch it on' }).click()
        await expect(page.getByText('not the code that the app shows now')).toBeVisible()
        expect(await session()).toBeNull()
        await page.getByLabel('Code', { exact: true }).fill(codeAt(key))
        await page.getByRole('button', { name: 'Switch it on' }).click()
        await expect(page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)).toBeVisible()
        if (javaScriptEnabled) await expectAccessible(page)
        expect((await session()).user.email).toBe(email)

        await page.getByRole('link', { name: 'I have kept them' }).click()
        await page.getByRole('button', { name: 'Switch off two-step sign-in' }).click()
        await expect(trouble(page)).toContainText('must sign in in two steps')
      } finally {
        await server.stop()
      }
    })
  })
}

test('whoever says that it was not them shuts everybody out, and what was added goes', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await enterAsSomebody(page, password)
  await setUp(page)
  const mail = await mailTo(email, 'Two-step sign-in is on')
  const owner = await elsewhere(page, appUrl)
  await owner.goto(linkIn(mail))
  await expectAccessible(owner)
  expect((await sessionOf(page)).user.email).toBe(email)
  await owner.getByRole('button', { name: 'Shut everybody out' }).click()
  await expect(owner.getByRole('status')).toContainText(`we send a link to ${email}`)
  expect(await sessionOf(page)).toBeNull()
  const [left] = await query<{ ways: string }>(
    `select concat((select count(*) from passwords p where p.user_id = u.id), (select count(*) from account_totp t where t.user_id = u.id),
       (select count(*) from account_recovery_codes c where c.user_id = u.id)) as ways from users u where email = $1`,
    [email],
  )
  expect(left?.ways).toBe('000')
  await owner.goto(linkIn(mail))
  await expect(owner.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
  await owner.context().close()
})
