import type { Page } from '@playwright/test'
import { enterAsSomebody, sessionOf } from '../../../tests/support/enter.ts'
import { mailTo } from '../../../tests/support/inbox.ts'
import { expect, expectAccessible, signIn, test } from '../../../tests/support/journey.ts'
import { query } from '../../../tests/support/query.ts'

/** A device that holds passkeys and asks nobody; `isVerified: false` is one whose owner fails to unlock it. */
async function plugIn(page: Page, { isVerified = true } = {}) {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: isVerified,
      automaticPresenceSimulation: true,
    },
  })
  return {
    count: async () => (await cdp.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length,
    empty: () => cdp.send('WebAuthn.clearCredentials', { authenticatorId }),
  }
}

async function addPasskey(page: Page): Promise<void> {
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(page.getByText('never used')).toBeVisible()
}

const trouble = (page: Page) => page.getByRole('main').getByRole('alert')

test('a person adds a passkey, signs in with it alone, renames and removes it', async ({ page, password }) => {
  const email = await enterAsSomebody(page, password)
  const device = await plugIn(page)
  await page.goto('/account/passkeys')
  await expectAccessible(page)
  await addPasskey(page)
  expect(await device.count()).toBe(1)
  await expectAccessible(page)
  await mailTo(email, 'A passkey was added')

  await page.context().clearCookies()
  await page.goto('/signin?callbackUrl=/account/passkeys')
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(page).toHaveURL('/account/passkeys')
  expect((await sessionOf(page)).user.email).toBe(email)
  await expect(page.getByText('last used just now')).toBeVisible()

  await page.getByLabel(/Another name/).fill('My laptop')
  await page.getByRole('button', { name: 'Rename' }).click()
  await expect(page.getByRole('button', { name: 'Remove My laptop' })).toBeVisible()
  await page.getByRole('button', { name: 'Remove My laptop' }).click()
  await expect(page.getByText('You have no passkeys')).toBeVisible()
  await mailTo(email, 'A passkey was removed')
  await page.context().clearCookies()
  await page.goto('/signin')
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(trouble(page)).toContainText('does not open an account here')
  expect(await sessionOf(page)).toBeNull()
})

test('a passkey stands in for the code of the second step, and a sign-in with it needs none', async ({
  page,
  password,
}) => {
  const email = await enterAsSomebody(page, password)
  await plugIn(page)
  await addPasskey(page)
  // As if switched on long ago.
  await query(
    `insert into account_totp (user_id, secret, confirmed_at) select id, 'sealed', now() from users where email = $1`,
    [email],
  )
  await page.context().clearCookies()
  await signIn(page, email, password)
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await expect(page).toHaveURL('/dashboard')

  await page.context().clearCookies()
  await page.goto('/signin')
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.email).toBe(email)
})

test("somebody else's passkey does not meet the second step", async ({ page, password }) => {
  await enterAsSomebody(page, password)
  await plugIn(page)
  await addPasskey(page)
  await page.context().clearCookies()
  const victim = await enterAsSomebody(page, password)
  await query(
    `insert into account_totp (user_id, secret, confirmed_at) select id, 'sealed', now() from users where email = $1`,
    [victim],
  )
  await page.context().clearCookies()
  await signIn(page, victim, password)
  await expect(page.getByRole('heading', { name: 'One more step' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Use a passkey instead' })).toHaveCount(0)
})

test('a device that its owner did not unlock opens nothing', async ({ page, password }) => {
  await enterAsSomebody(page, password)
  await plugIn(page, { isVerified: false })
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await expect(trouble(page)).toContainText('Nothing was chosen')
  expect(await query('select 1 from account_passkeys where name is null')).toEqual([])
})

test('what a passkey signed works once, and only in the browser that asked', async ({ page, password, appUrl }) => {
  const email = await enterAsSomebody(page, password)
  await plugIn(page)
  await addPasskey(page)
  await page.context().clearCookies()
  await page.goto('/signin')
  const sent = page.waitForRequest(
    (request) => request.method() === 'POST' && (request.postData() ?? '').includes('authenticatorData'),
  )
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  const request = await sent
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.email).toBe(email)

  const { 'content-length': _, ...head } = await request.allHeaders()
  const headers = Object.fromEntries(Object.entries(head).filter(([name]) => !name.startsWith(':')))
  const replay = await fetch(`${appUrl}/signin`, { method: 'POST', headers, body: request.postData() })
  expect(replay.headers.getSetCookie().some((line) => /plinth\.session=[\w-]{43}/.test(line))).toBe(false)
  expect(await replay.text()).toContain('invalid_credentials')
})

test('the last way in cannot be removed, be it the passkey or the service', async ({ page, password }) => {
  const email = await enterAsSomebody(page, password)
  await plugIn(page)
  await addPasskey(page)
  await query('delete from passwords where user_id = (select id from users where email = $1)', [email])
  await page.goto('/account/passkeys')
  await page.getByRole('button', { name: /^Remove/ }).click()
  await expect(trouble(page)).toContainText('your only way to sign in')
  await query(
    `insert into accounts (provider, provider_account_id, user_id) select 'google', id::text, id from users where email = $1`,
    [email],
  )
  await page.goto('/account/connections')
  await page.getByRole('button', { name: 'Disconnect Google' }).click()
  await expect(page.getByText('Not connected').first()).toBeVisible()
  await mailTo(email, 'Google was disconnected from your account')
  expect(
    await query('select 1 from account_passkeys p join users u on u.id = user_id where email = $1', [email]),
  ).toHaveLength(1)
})

test('without a password, a passkey confirms that it is them', async ({ page, password }) => {
  const email = await enterAsSomebody(page, password)
  await plugIn(page)
  await addPasskey(page)
  await query('delete from passwords where user_id = (select id from users where email = $1)', [email])
  await query(
    `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
    [email],
  )
  await page.goto('/account/delete')
  await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(page).toHaveURL('/account/delete')
  await expect(page.getByRole('heading', { name: 'Delete the account' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('there is no button for passkeys, which could do nothing', async ({ page }) => {
    await page.goto('/signin')
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Continue with a passkey' })).toBeHidden()
  })
})
