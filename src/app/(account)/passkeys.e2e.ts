import type { Page } from '@playwright/test'
import { expect, expectAccessible, signIn, test, waitForHydration } from '../../../tests/app/support/e2e-test.ts'
import { waitForEmail } from '../../../tests/app/support/inbox.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { sessionOf, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'
import { appSlug } from '../../brand.ts'

/** A virtual authenticator that needs no interaction. With `isVerified: false`, user verification fails. */
async function addVirtualAuthenticator(page: Page, { isVerified = true } = {}) {
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
    clear: () => cdp.send('WebAuthn.clearCredentials', { authenticatorId }),
    /** Whether the user touches the authenticator as soon as it asks, also when the autofill offers a passkey. */
    setPresence: (enabled: boolean) =>
      cdp.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled }),
  }
}

async function addPasskey(page: Page): Promise<void> {
  await page.goto('/account/passkeys')
  await waitForHydration(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await expect(page.getByText('never used')).toBeVisible()
}

const alertMessage = (page: Page) => page.getByRole('main').getByRole('alert')

test('a user adds a passkey, signs in with it alone, renames and removes it', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  const authenticator = await addVirtualAuthenticator(page)
  await page.goto('/account/passkeys')
  await expectAccessible(page)
  await addPasskey(page)
  expect(await authenticator.count()).toBe(1)
  await expectAccessible(page)
  await waitForEmail(email, 'A passkey was added')

  await page.context().clearCookies()
  await page.goto('/signin?callbackUrl=/account/passkeys')
  await waitForHydration(page)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(page).toHaveURL('/account/passkeys')
  expect((await sessionOf(page)).user.email).toBe(email)
  await expect(page.getByText('last used just now')).toBeVisible()

  await expect(page.getByLabel('Passkey name')).toBeHidden()
  await page.locator('summary').click()
  await page.getByLabel('Passkey name').fill('My laptop')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await waitForHydration(page)
  await page.getByRole('link', { name: 'Remove… My laptop' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove My laptop?' })
  await expect(dialog).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await expect(page.getByText('No passkeys yet')).toBeVisible()
  await waitForEmail(email, 'A passkey was removed')
  await page.context().clearCookies()
  await page.goto('/signin')
  await waitForHydration(page)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(alertMessage(page)).toContainText('don’t recognize this passkey')
  expect(await sessionOf(page)).toBeNull()
})

test('a passkey works as the second factor, and signing in with a passkey needs no code', async ({
  page,
  password,
}) => {
  const email = await signInAsNewUser(page, password)
  const authenticator = await addVirtualAuthenticator(page)
  await addPasskey(page)
  // Turns TOTP on without the setup page.
  await query(
    `insert into account_totp (user_id, secret, confirmed_at) select id, 'encrypted', now() from users where email = $1`,
    [email],
  )
  await page.context().clearCookies()
  await authenticator.setPresence(false)
  await signIn(page, email, password)
  await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  await authenticator.setPresence(true)
  await waitForHydration(page)
  await page.getByRole('button', { name: 'Use a passkey instead' }).click()
  await expect(page).toHaveURL('/dashboard')

  await page.context().clearCookies()
  await page.goto('/signin')
  await waitForHydration(page)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(page).toHaveURL('/dashboard')
  expect((await sessionOf(page)).user.email).toBe(email)
})

test("another user's passkey does not work as the second factor", async ({ page, password }) => {
  await signInAsNewUser(page, password)
  const authenticator = await addVirtualAuthenticator(page)
  await addPasskey(page)
  await authenticator.setPresence(false)
  await page.context().clearCookies()
  const victim = await signInAsNewUser(page, password)
  await query(
    `insert into account_totp (user_id, secret, confirmed_at) select id, 'encrypted', now() from users where email = $1`,
    [victim],
  )
  await page.context().clearCookies()
  await signIn(page, victim, password)
  await expect(page.getByRole('heading', { name: 'Two-factor authentication' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Use a passkey instead' })).toHaveCount(0)
})

test('the autofill of the email field offers a passkey, and the sign-in page then marks it as last used', async ({
  page,
  password,
}) => {
  const email = await signInAsNewUser(page, password)
  await addVirtualAuthenticator(page)
  await addPasskey(page)
  await page.context().clearCookies()
  await page.goto('/signin?callbackUrl=/account/passkeys')
  await page.getByLabel('Email').focus()
  await expect(page).toHaveURL('/account/passkeys')
  expect((await sessionOf(page)).user.email).toBe(email)

  await page.context().clearCookies({ name: `${appSlug}.session` })
  await page.goto('/signin')
  await expect(page.getByRole('button', { name: 'Continue with a passkey' })).toContainText('Last used')
  await expectAccessible(page)
})

test('opening the sign-in page asks for no passkey challenge; turning to the email field does', async ({ page }) => {
  const challenges = async () =>
    (await page.context().cookies()).filter(({ name }) => name.endsWith('passkey_autofill')).length
  // A browser without any authenticator may not support autofill.
  await addVirtualAuthenticator(page)
  await page.goto('/signin', { waitUntil: 'networkidle' })
  expect(await challenges()).toBe(0)
  await page.getByLabel('Email').focus()
  await expect.poll(challenges).toBe(1)
})

test('a passkey without user verification is not accepted', async ({ page, password }) => {
  await signInAsNewUser(page, password)
  await addVirtualAuthenticator(page, { isVerified: false })
  await page.goto('/account/passkeys')
  await waitForHydration(page)
  await page.getByRole('button', { name: 'Add passkey' }).click()
  await expect(alertMessage(page)).toContainText('prompt was canceled')
  expect(await query('select 1 from account_passkeys where name is null')).toEqual([])
})

test('a signed passkey response works once, and only in the browser that requested the challenge', async ({
  page,
  password,
  appUrl,
}) => {
  const email = await signInAsNewUser(page, password)
  await addVirtualAuthenticator(page)
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
  expect(replay.headers.getSetCookie().some((line) => new RegExp(`${appSlug}\\.session=[\\w-]{43}`).test(line))).toBe(
    false,
  )
  expect(await replay.text()).toContain('invalid_credentials')
})

test('the last sign-in method cannot be removed; with another one left, a provider can', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  await addVirtualAuthenticator(page)
  await addPasskey(page)
  await query('delete from passwords where user_id = (select id from users where email = $1)', [email])
  await page.goto('/account/passkeys')
  await waitForHydration(page)
  await page.getByRole('link', { name: /^Remove/ }).click()
  await page.getByRole('button', { name: 'Remove', exact: true }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('your only sign-in method')
  await query(
    `insert into accounts (provider, provider_account_id, user_id) select 'google', id::text, id from users where email = $1`,
    [email],
  )
  await page.goto('/account/connections')
  await waitForHydration(page)
  await page.getByRole('link', { name: 'Disconnect… Google' }).click()
  await page.getByRole('button', { name: 'Disconnect', exact: true }).click()
  await expect(page.getByText('Not connected').first()).toBeVisible()
  await waitForEmail(email, 'Google was disconnected from your account')
  expect(
    await query('select 1 from account_passkeys p join users u on u.id = user_id where email = $1', [email]),
  ).toHaveLength(1)
})

test('a user without a password reauthenticates with a passkey', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  await addVirtualAuthenticator(page)
  await addPasskey(page)
  await query('delete from passwords where user_id = (select id from users where email = $1)', [email])
  await expireReauthentication(email)
  await page.goto('/account/delete')
  await page.getByRole('link', { name: 'Confirm it’s you' }).click()
  await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue with a passkey' }).click()
  await expect(page).toHaveURL('/account/delete')
  await expect(page.getByRole('heading', { name: 'Delete account' })).toBeVisible()
})

test('the list of passkeys is shown without asking for the password, adding one asks', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  await addVirtualAuthenticator(page)
  await addPasskey(page)
  await expireReauthentication(email)
  await page.goto('/account/passkeys')
  await expect(page.getByRole('link', { name: /^Remove/ })).toBeVisible()
  await page.getByRole('link', { name: 'Add passkey' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Continue' }).click()
  await expect(page).toHaveURL('/account/passkeys')
  await expect(page.getByRole('button', { name: 'Add passkey' })).toBeVisible()
})

test.describe('without JavaScript', () => {
  test.use({ javaScriptEnabled: false })

  test('there is no passkey button, because passkeys need JavaScript', async ({ page }) => {
    await page.goto('/signin')
    await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible()
    await expect(page.getByRole('button', { name: 'Continue with a passkey' })).toBeHidden()
  })
})
