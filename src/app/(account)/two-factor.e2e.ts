import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { Secret, TOTP } from 'otpauth'
import {
  expect,
  expectAccessible,
  randomIp,
  signIn,
  startSession,
  test,
  waitForHydration,
} from '../../../tests/app/support/e2e-test.ts'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { startServer } from '../../../tests/app/support/server.ts'
import { continueWith, newBrowserPage, sessionOf, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'
import { appSlug } from '../../brand.ts'

const periodMs = 30_000
const codeAt = (key: string, time = Date.now()) =>
  new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: time })
/** Six digits that differ from every code that could be accepted now. */
const wrongCode = (key: string) => {
  const near = [-2, -1, 0, 1, 2].map((step) => codeAt(key, Date.now() + step * periodMs))
  return ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !near.includes(code)) ?? ''
}
const alertMessage = (page: Page) => page.getByRole('main').getByRole('alert')

/** Turns TOTP on in the UI. Returns the key of the app, the code that was used, and the recovery codes. */
async function setUp(page: Page, { hasScript = true } = {}): Promise<{ key: string; used: string; codes: string[] }> {
  await page.goto('/account/two-factor')
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect(page).toHaveURL('/account/two-factor/setup')
  await expect(page.getByRole('img', { name: /QR code/ })).toBeVisible()
  const key = (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(' ', '')
  await page.getByRole('link', { name: 'Continue' }).click()
  const used = codeAt(key)
  await enterCode(page, used, { hasScript, button: 'Turn on two-factor' })
  const shown = page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)
  await expect(shown).toBeVisible()
  return { key, used, codes: (await shown.innerText()).trim().split(/\s+/) }
}

/** Enters a code. The form submits itself at the sixth digit; without JavaScript the button does. */
async function enterCode(
  page: Page,
  code: string,
  { hasScript = true, button = 'Sign in' }: { hasScript?: boolean; button?: string } = {},
): Promise<void> {
  await page.getByLabel('Code', { exact: true }).fill(code)
  if (!hasScript) await page.getByRole('button', { name: button }).click()
}

/** Lets a test use a code again, instead of waiting 30 seconds for the next one. */
const resetTotpStep = (email: string) =>
  query('update account_totp set last_step = 0 where user_id = (select id from users where email = $1)', [email])

/** The first factor, over the API. Returns the response and its cookies. */
async function submitPassword(appUrl: string, email: string, password: string) {
  const response = await fetch(`${appUrl}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': randomIp() },
    body: JSON.stringify({ email, password, redirect: false }),
  })
  const cookies = response.headers.getSetCookie().filter((line) => !/Max-Age=0/i.test(line))
  return { response, cookies, cookie: cookies.map((line) => line.split(';')[0]).join('; ') }
}

const submitCode = (appUrl: string, cookie: string, code: string) =>
  fetch(`${appUrl}/api/auth/challenge`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ code, redirect: false }),
  })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user turns two-factor authentication on, and from then on needs a code', { tag: '@smoke' }, async ({
      page,
      password,
    }) => {
      const email = await signInAsNewUser(page, password)
      const { key, used, codes } = await setUp(page, { hasScript: javaScriptEnabled })
      expect(new Set(codes).size).toBe(10)
      await waitForEmail(email, 'Two-factor authentication is on')

      await page.context().clearCookies()
      await signIn(page, email, password)
      await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
      expect(await sessionOf(page)).toBeNull()
      const field = page.getByLabel('Code', { exact: true })
      for (const rejectedCode of [wrongCode(key), used]) {
        await enterCode(page, rejectedCode, { hasScript: javaScriptEnabled })
        // The response empties the field. The message alone could still be that of the previous attempt.
        await expect(field).toHaveValue('')
        await expect(alertMessage(page)).toContainText('already used code')
      }
      expect(await sessionOf(page)).toBeNull()
      // The clock of the app is 30 seconds ahead.
      const code = codeAt(key, Date.now() + periodMs).replace(/^(...)/, '$1 ')
      await enterCode(page, code, { hasScript: javaScriptEnabled })
      await expect(page).toHaveURL('/dashboard')
      expect((await sessionOf(page)).user.email).toBe(email)
    })

    test('a form that asks for the password asks for the code, too, and does what it is for', async ({
      page,
      password,
    }) => {
      const email = await signInAsNewUser(page, password)
      const { key, used, codes } = await setUp(page, { hasScript: javaScriptEnabled })
      await expireReauthentication(email)
      await page.goto('/account/email')
      const newEmail = `new-${email}`
      const codeField = page.getByLabel('Authentication code')
      for (const [code, message] of [
        ['', /Enter the code/],
        [wrongCode(key), /already used code/],
        [used, /already used code/],
      ] as const) {
        await page.getByLabel('New email').fill(newEmail)
        await page.getByLabel('Your password').fill(password)
        await codeField.fill(code)
        await page.getByRole('button', { name: 'Send confirmation link' }).click()
        await expect(codeField).toHaveAccessibleDescription(message)
        await expect(codeField).toHaveValue('')
      }
      await page.getByLabel('New email').fill(newEmail)
      await page.getByLabel('Your password').fill(password)
      await codeField.fill(codes[0] ?? '')
      await page.getByRole('button', { name: 'Send confirmation link' }).click()
      await waitForEmail(newEmail, 'Confirm your new email')
      // It holds for an hour.
      await page.goto('/account/delete')
      await expect(page.getByLabel('Your password')).toHaveCount(0)
      expect((await sessionOf(page)).user.email).toBe(email)
    })

    test('a recovery code works in place of a TOTP code, once, and the user is notified', async ({
      page,
      password,
    }) => {
      const email = await signInAsNewUser(page, password)
      const { codes } = await setUp(page, { hasScript: javaScriptEnabled })
      const [first = ''] = codes
      for (const isFirstTime of [true, false]) {
        await page.context().clearCookies()
        await signIn(page, email, password)
        await page.getByRole('link', { name: 'Use a recovery code' }).click()
        await page.getByLabel('Recovery code').fill(first.toUpperCase().replaceAll('-', ' '))
        await page.getByRole('button', { name: 'Sign in' }).click()
        if (isFirstTime) await expect(page).toHaveURL('/dashboard')
        else await expect(alertMessage(page)).toContainText('already used code')
      }
      const notice = await waitForEmail(email, 'A recovery code was used')
      expect(notice.text).toContain('9 left')
    })
  })
}

test('a user who reauthenticates needs both factors', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  const { codes } = await setUp(page)
  await expireReauthentication(email)
  await page.goto('/account/two-factor')
  await page.getByRole('link', { name: 'Try another way' }).first().click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  expect(await sessionOf(page)).toBeNull()
  await page.getByRole('link', { name: 'Use a recovery code' }).click()
  await page.getByLabel('Recovery code').fill(codes[0] ?? '')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL('/account/two-factor')
  await expect(page.getByRole('button', { name: 'Turn off' })).toBeVisible()
})

test('the page is shown without asking for the password; its forms ask in place', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  const { codes } = await setUp(page)
  await expireReauthentication(email)
  await page.goto('/account/two-factor')
  const card = page.getByRole('region', { name: 'Recovery codes' })
  await expect(card).toContainText('10 codes left')
  await expectAccessible(page)
  await card.getByLabel('Your password').fill(password)
  await card.getByLabel('Authentication code').fill(codes[0] ?? '')
  await card.getByRole('button', { name: 'Generate new codes' }).click()
  await expect(page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)).toBeVisible()
  await page.goto('/account/two-factor')
  await expect(page.getByLabel('Your password')).toHaveCount(0)
})

test('the pages are accessible, and the codes are not stored in plain text', async ({ page, password }) => {
  test.slow()
  const email = await signInAsNewUser(page, password)
  await page.goto('/account/two-factor')
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await expect(page).toHaveURL('/account/two-factor/setup')
  await expectAccessible(page)
  const { key, codes } = await setUp(page)
  await expect(page.getByRole('listitem').filter({ hasText: 'Save codes' })).toHaveAttribute('aria-current', 'step')
  await expectAccessible(page)
  const downloadEvent = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const download = await downloadEvent
  expect(download.suggestedFilename()).toBe(`${appSlug}-recovery-codes.txt`)
  expect(
    readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\n'),
  ).toEqual(codes)
  await expect(page.getByRole('button', { name: 'Print' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Done' })).toBeDisabled()
  await page.getByLabel('I’ve saved my codes').check()
  await page.getByRole('link', { name: 'Done' }).click()
  await expect(page.getByText('10 codes left')).toBeVisible()
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

test('new recovery codes replace the old ones, and after turning it off sign-in needs no code', async ({
  page,
  password,
}) => {
  const email = await signInAsNewUser(page, password)
  const { codes: old } = await setUp(page)
  await page.goto('/account/two-factor')
  await page.getByRole('button', { name: 'Generate new codes' }).click()
  const shown = page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)
  await expect(shown).toBeVisible()
  const fresh = (await shown.innerText()).trim().split(/\s+/)
  expect(fresh.some((code) => old.includes(code))).toBe(false)
  await waitForEmail(email, 'New recovery codes were generated')

  await page.goto('/account/two-factor')
  await page.getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByRole('button', { name: 'Turn on', exact: true })).toBeVisible()
  await waitForEmail(email, 'Two-factor authentication is off')
  await page.context().clearCookies()
  await startSession(page, email, password)
})

test('a wrong code during setup shows an error at the field, and does not turn it on', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  await page.goto('/account/two-factor')
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  const key = (await page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/).innerText()).replaceAll(' ', '')
  await page.getByRole('link', { name: 'Continue' }).click()
  await expect(page.getByRole('listitem').filter({ hasText: 'Verify' })).toHaveAttribute('aria-current', 'step')
  await expectAccessible(page)
  await enterCode(page, wrongCode(key))
  await expect(page.getByLabel('Code', { exact: true })).toHaveAccessibleDescription(/Incorrect code/)
  await page.context().clearCookies()
  await startSession(page, email, password)
})

test('an API client learns about the second factor, has no session until the code is accepted, and a code works once', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await signInAsNewUser(page, password)
  const { key } = await setUp(page)
  await resetTotpStep(email)

  const first = await submitPassword(appUrl, email, password)
  expect(first.response.status).toBe(200)
  expect(await first.response.json()).toEqual({ challenge: 'totp', url: expect.stringMatching(/^\/signin\/second/) })
  expect(first.cookies.some((line) => line.startsWith(`${appSlug}.session=`))).toBe(false)
  const asked = await fetch(`${appUrl}/api/auth/session`, { headers: { cookie: first.cookie } })
  expect(await asked.json()).toBeNull()

  expect((await submitCode(appUrl, '', codeAt(key))).status).toBe(401)
  const wrong = await submitCode(appUrl, first.cookie, wrongCode(key))
  expect([wrong.status, (await wrong.json()).code]).toEqual([401, 'invalid_credentials'])

  const code = codeAt(key)
  const right = await submitCode(appUrl, first.cookie, code)
  expect(right.status).toBe(200)
  expect(Object.keys(await right.json())).toEqual(['user', 'expires', 'url'])
  expect(right.headers.getSetCookie().some((line) => line.startsWith(`${appSlug}.session=`))).toBe(true)

  const again = await submitPassword(appUrl, email, password)
  expect((await submitCode(appUrl, again.cookie, code)).status).toBe(401)
  expect((await submitCode(appUrl, first.cookie, codeAt(key, Date.now() + periodMs))).status).toBe(401)
})

test('one code, sent many times at once, starts one session', async ({ page, password, appUrl }) => {
  const email = await signInAsNewUser(page, password)
  const { key } = await setUp(page)
  await resetTotpStep(email)
  const pendingSignIns = [await submitPassword(appUrl, email, password), await submitPassword(appUrl, email, password)]
  const code = codeAt(key)
  const responses = await Promise.all(
    [pendingSignIns[0], pendingSignIns[1], pendingSignIns[0], pendingSignIns[1]].map((pendingSignIn) =>
      submitCode(appUrl, pendingSignIn?.cookie ?? '', code),
    ),
  )
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('guessing codes is rate limited, and a new password revokes pending sign-ins', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await signInAsNewUser(page, password)
  const { key } = await setUp(page)
  await resetTotpStep(email)
  const pending = await submitPassword(appUrl, email, password)
  const statuses: number[] = []
  for (let index = 0; index < 6; index++)
    statuses.push((await submitCode(appUrl, pending.cookie, wrongCode(key))).status)
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429])

  await page.goto('/account/password')
  await page.getByLabel('Current password').fill(password)
  await page.getByLabel('New password').fill('an entirely new one')
  await page.getByRole('button', { name: 'Change password' }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText('Password changed')
  await query(`delete from rate_limits where key like '%second_factor%'`)
  expect((await submitCode(appUrl, pending.cookie, codeAt(key))).status).toBe(401)
})

test('a user who signs in with a provider needs the code, too', async ({ page }) => {
  const email = `two-factor.${crypto.randomUUID().slice(0, 8)}@example.com`
  await continueWith(page, 'GitHub', email)
  await expect(page).toHaveURL('/dashboard')
  const { key } = await setUp(page)
  await resetTotpStep(email)
  await page.context().clearCookies()
  await continueWith(page, 'GitHub', email)
  await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  expect(await sessionOf(page)).toBeNull()
  // A whole page was loaded, so its script may not have run yet.
  await waitForHydration(page)
  await enterCode(page, codeAt(key))
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.email).toBe(email)
})

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'where it is required' : 'where it is required, without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user without a second factor sets it up before the session starts, and cannot turn it off', async ({
      page,
      password,
    }) => {
      const email = await signInAsNewUser(page, password)
      await page.context().clearCookies()
      const { DATABASE_URL = '', AUTH_SECRET = '' } = process.env
      const settings = { DATABASE_URL, AUTH_SECRET, ALLOW_SEEDED_PEOPLE: '1', ACCOUNT_TWO_STEP: 'everybody' }
      const server = await startServer('start', settings)
      try {
        await page.goto(`${server.url}/signin?callbackUrl=/account/two-factor`)
        await page.getByLabel('Email').fill(email)
        await page.getByLabel('Password', { exact: true }).fill(password)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await expect(page.getByRole('heading', { name: 'Set up two-factor authentication' })).toBeVisible()
        if (javaScriptEnabled) await expectAccessible(page)
        const session = async () => (await page.request.get(`${server.url}/api/auth/session`)).json()
        expect(await session()).toBeNull()
        await page.getByRole('button', { name: 'Set up' }).click()
        const shown = page.getByText(/^([A-Z2-7]{4} ){7}[A-Z2-7]{4}$/)
        const key = (await shown.innerText()).replaceAll(' ', '')
        await page.getByRole('link', { name: 'Continue' }).click()
        const how = { hasScript: javaScriptEnabled, button: 'Turn on two-factor' }
        await enterCode(page, wrongCode(key), how)
        await expect(page.getByText('Incorrect code')).toBeVisible()
        expect(await session()).toBeNull()
        await enterCode(page, codeAt(key), how)
        await expect(page.getByText(/^((\w{4}-){5}\w{4}\s*){10}$/)).toBeVisible()
        if (javaScriptEnabled) await expectAccessible(page)
        expect((await session()).user.email).toBe(email)

        if (javaScriptEnabled) await page.getByLabel('I’ve saved my codes').check()
        await page.getByRole('link', { name: 'Done' }).click()
        await page.getByRole('button', { name: 'Turn off' }).click()
        await expect(alertMessage(page)).toContainText('is required here')
      } finally {
        await server.stop()
      }
    })
  })
}

test('"Secure my account" ends every session, and keeps the second factor for three days', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await signInAsNewUser(page, password)
  await setUp(page)
  await query(`update users set time_zone = 'Asia/Tokyo' where email = $1`, [email])
  const firstNotice = await waitForEmail(email, 'Two-factor authentication is on')
  const owner = await newBrowserPage(page, appUrl)
  await owner.goto(linkIn(firstNotice))
  await expectAccessible(owner)
  expect((await sessionOf(page)).user.email).toBe(email)
  await owner.getByRole('button', { name: 'Lock everyone out' }).click()
  await expect(owner.getByRole('status')).toContainText(`We’ll email a link to ${email}`)
  expect(await sessionOf(page)).toBeNull()
  const [left] = await query<{ passwords: string; hours: string; codes: string }>(
    `select (select count(*) from passwords p where p.user_id = u.id) as passwords,
       (select round(extract(epoch from removal_at - now()) / 3600) from account_totp t where t.user_id = u.id) as hours,
       (select count(*) from account_recovery_codes c where c.user_id = u.id) as codes from users u where email = $1`,
    [email],
  )
  expect(left).toEqual({ passwords: '0', hours: '72', codes: '10' })
  // In the time zone of the user.
  const notice = await waitForEmail(email, 'Two-factor authentication will be removed')
  expect(notice.text).toMatch(/It will be removed on [^.]* (GMT\+9|JST), unless/)
  await owner.goto(linkIn(firstNotice))
  await expect(owner.getByRole('heading', { name: 'This link has expired' })).toBeVisible()
  await owner.context().close()
})
