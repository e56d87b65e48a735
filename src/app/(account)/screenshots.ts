import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import {
  fillAndSubmit,
  newAda,
  type Screenshot,
  signInTo,
  waitForAlert,
  waitForStatus,
} from '../../../tests/app/support/screenshots.ts'

const enableTotp = (email: string) =>
  query(
    `insert into account_totp (user_id, secret, confirmed_at) select id, 'encrypted', now() from users where email = $1`,
    [email],
  )

const addPasskeys = (email: string) =>
  query(
    `insert into account_passkeys (id, user_id, public_key, counter, transports, name, last_used_at)
     select gen_random_uuid(), u.id, '', 0, '{}', device, case when device like 'Safari%' then now() end
     from users u, unnest(array['Safari on iPhone', 'Chrome on Windows']) as device where email = $1`,
    [email],
  )

async function turnOnTwoFactor(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Turn on', exact: true }).click()
  await page.waitForURL('**/setup')
}

async function startPendingSignIn(page: Page, password: string): Promise<void> {
  const email = await newAda()
  await enableTotp(email)
  await page.goto('/signin')
  await fillAndSubmit(page, { Email: email, Password: password })
  await page.waitForURL('**/second**')
}

/** Every page of the module, in each visually different state. */
export function shots(app: string, password: string): Screenshot[] {
  const signInAsNewUser: SignIn = async (page) => {
    const email = await newAda()
    await signInTo(page, email, password)
    return email
  }
  const shot: Shoot = (name, after) => ({
    name: `account-${name}`,
    url: `${app}/account/${name.replace(/_.*/, '')}`,
    before: signInAsNewUser,
    ...(after && { after }),
  })
  return [
    { name: 'account', url: `${app}/account`, before: signInAsNewUser },
    ...profileShots(shot, signInAsNewUser),
    ...signInMethodShots(app, shot, signInAsNewUser),
    shot('preferences'),
    shot('sessions'),
    ...tokenShots(app, shot, signInAsNewUser),
    shot('data'),
    {
      name: 'account-too-many-requests',
      url: `${app}/account/data`,
      before: async (page) => {
        await signInAsNewUser(page)
        for (let count = 0; count < 10; count++) await (await page.request.get(`${app}/api/account/export`)).dispose()
      },
      after: async (page) => {
        await page.goto(`${app}/api/account/export`)
        await page.getByRole('heading', { level: 1 }).waitFor()
      },
    },
    shot('delete'),
    {
      name: 'account-second-factor',
      url: `${app}/signin/second`,
      before: (page) => startPendingSignIn(page, password),
    },
    {
      name: 'account-second-factor_recovery',
      url: `${app}/signin/second?use=recovery`,
      before: (page) => startPendingSignIn(page, password),
    },
    { name: 'account-not-me_gone', url: `${app}/not-me?token=x` },
    { name: 'account-confirm-email_gone', url: `${app}/confirm-email?token=x` },
    {
      name: 'account-confirm',
      url: `${app}/account/delete`,
      before: async (page) => expireReauthentication(await signInAsNewUser(page)),
    },
  ]
}

type SignIn = (page: Page) => Promise<string>
type Shoot = (name: string, after?: (page: Page) => Promise<unknown>) => Screenshot

function profileShots(shot: Shoot, signInAsNewUser: SignIn): Screenshot[] {
  return [
    shot('profile'),
    shot('profile_refused', async (page) => {
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await waitForAlert(page)
    }),
    shot('profile_picture', async (page) => {
      const picture = { name: 'me.png', mimeType: 'image/png', buffer: readFileSync('docs/images/users-light.png') }
      await page.getByLabel('Photo', { exact: true }).setInputFiles(picture)
      await page.getByRole('button', { name: 'Upload photo' }).click()
      await waitForStatus(page)
    }),
    shot('email'),
    { ...shot('email_confirm'), before: async (page) => expireReauthentication(await signInAsNewUser(page)) },
    shot('email_sent', async (page) => {
      await fillAndSubmit(page, { 'New email': `moved-${Date.now()}@example.com` })
      await waitForStatus(page)
    }),
    shot('password'),
    shot('password_refused', async (page) => {
      await fillAndSubmit(page, { 'Current password': 'wrong', 'New password': 'a long walk by the sea' })
      await waitForAlert(page)
    }),
  ]
}

function signInMethodShots(app: string, shot: Shoot, signInAsNewUser: SignIn): Screenshot[] {
  return [
    shot('two-factor'),
    shot('two-factor_setup', turnOnTwoFactor),
    shot('two-factor_verify', async (page) => {
      await turnOnTwoFactor(page)
      await page.getByRole('link', { name: 'Continue' }).click()
      await page.getByLabel('Code', { exact: true }).waitFor()
    }),
    {
      name: 'account-two-factor_confirm',
      url: `${app}/account/two-factor`,
      before: async (page) => {
        const email = await signInAsNewUser(page)
        await enableTotp(email)
        await expireReauthentication(email)
      },
    },
    {
      name: 'account-two-factor_on',
      url: `${app}/account/two-factor`,
      before: async (page) => enableTotp(await signInAsNewUser(page)),
      after: async (page) => {
        await page.getByRole('button', { name: 'Generate new codes' }).click()
        await waitForStatus(page)
      },
    },
    shot('passkeys'),
    {
      name: 'account-passkeys_some',
      url: `${app}/account/passkeys`,
      before: async (page) => addPasskeys(await signInAsNewUser(page)),
    },
    {
      name: 'account-passkeys_remove',
      url: `${app}/account/passkeys`,
      before: async (page) => addPasskeys(await signInAsNewUser(page)),
      after: async (page) => {
        await page
          .getByRole('link', { name: /^Remove/ })
          .first()
          .click()
        await page.getByRole('button', { name: 'Remove', exact: true }).waitFor()
      },
    },
    shot('connections'),
    shot('security'),
    {
      name: 'account-security_on',
      url: `${app}/account/security`,
      before: async (page) => {
        const email = await signInAsNewUser(page)
        await enableTotp(email)
        await addPasskeys(email)
      },
    },
  ]
}

function tokenShots(app: string, shot: Shoot, signInAsNewUser: SignIn): Screenshot[] {
  return [
    shot('tokens'),
    {
      name: 'account-tokens_new',
      url: `${app}/account/tokens`,
      before: signInAsNewUser,
      after: async (page) => {
        await page.getByRole('main').getByRole('link', { name: 'Create token' }).click()
        await page.getByLabel('Name', { exact: true }).waitFor()
      },
    },
    {
      name: 'account-tokens_created',
      url: `${app}/account/tokens/new`,
      before: signInAsNewUser,
      after: async (page) => {
        await fillAndSubmit(page, { Name: 'Deploy script' })
        await waitForStatus(page)
      },
    },
  ]
}
