import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'
import { answered, fill, refused, type Shot, signInTo } from '../../../tests/support/shots.ts'

/** Every page of the module, in each state that looks different. */
export function shots(app: string, password: string): Shot[] {
  const enter = async (page: Page) => {
    const email = await newPerson()
    await signInTo(page, email, password)
    return email
  }
  const setUp = async (page: Page) => {
    await page.getByRole('button', { name: 'Set it up' }).click()
    await page.waitForURL('**/setup')
  }
  const shot = (name: string, after?: (page: Page) => Promise<unknown>): Shot => ({
    name: `account-${name}`,
    url: `${app}/account/${name.replace(/_.*/, '')}`,
    before: enter,
    ...(after && { after }),
  })
  return [
    shot('profile'),
    shot('profile_refused', async (page) => {
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await refused(page)
    }),
    shot('profile_picture', async (page) => {
      const picture = { name: 'me.png', mimeType: 'image/png', buffer: readFileSync('docs/images/start-light.png') }
      await page.getByLabel('Picture').setInputFiles(picture)
      await page.getByRole('button', { name: 'Save picture' }).click()
      await answered(page)
    }),
    shot('email'),
    shot('email_sent', async (page) => {
      await fill(page, { 'New e-mail address': `moved-${Date.now()}@example.com` })
      await answered(page)
    }),
    shot('password'),
    shot('password_refused', async (page) => {
      await fill(page, { 'Current password': 'wrong', 'New password': 'a long walk by the sea' })
      await refused(page)
    }),
    shot('two-step'),
    shot('two-step_setup', setUp),
    {
      name: 'account-two-step_on',
      url: `${app}/account/two-step`,
      before: async (page) => {
        const email = await enter(page)
        await query(
          `insert into account_totp (user_id, secret, confirmed_at) select id, 'sealed', now() from users where email = $1`,
          [email],
        )
      },
      after: async (page) => {
        await page.getByRole('button', { name: 'Make new recovery codes' }).click()
        await answered(page)
      },
    },
    shot('passkeys'),
    {
      name: 'account-passkeys_some',
      url: `${app}/account/passkeys`,
      before: async (page) => {
        const email = await enter(page)
        await query(
          `insert into account_passkeys (id, user_id, public_key, counter, transports, name, last_used_at)
           select u.id || device, u.id, '', 0, '{}', device, case when device like 'Safari%' then now() end
           from users u, unnest(array['Safari on iPhone', 'Chrome on Windows']) as device where email = $1`,
          [email],
        )
      },
    },
    shot('connections'),
    shot('devices'),
    shot('delete'),
    { name: 'account-second-step', url: `${app}/signin/second`, before: challenged },
    { name: 'account-second-step_recovery', url: `${app}/signin/second?use=recovery`, before: challenged },
    { name: 'account-not-me_gone', url: `${app}/not-me?token=x` },
    { name: 'account-confirm-email_gone', url: `${app}/confirm-email?token=x` },
    {
      name: 'account-confirm',
      url: `${app}/account/delete`,
      before: async (page) => {
        const email = await enter(page)
        await query(
          `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
          [email],
        )
      },
    },
  ]

  async function challenged(page: Page): Promise<void> {
    const email = await newPerson()
    await query(
      `insert into account_totp (user_id, secret, confirmed_at) select id, 'sealed', now() from users where email = $1`,
      [email],
    )
    await page.goto('/signin')
    await fill(page, { 'E-mail': email, Password: password })
    await page.waitForURL('**/second**')
  }
}
