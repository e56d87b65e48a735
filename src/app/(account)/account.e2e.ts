import type { Page } from '@playwright/test'
import { enterAsSomebody as enter, sessionOf as session } from '../../../tests/support/enter.ts'
import { mailTo } from '../../../tests/support/inbox.ts'
import { expect, expectAccessible, someAddress, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'

const chosen = 'an entirely new one'
const said = (page: Page) => page.getByRole('main').getByRole('status')
const trouble = (page: Page) => page.getByRole('main').getByRole('alert')

/** Another browser of the same person: returns its token. */
async function elsewhere(appUrl: string, email: string, password: string): Promise<string> {
  const response = await fetch(`${appUrl}/api/auth/signin`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': someAddress(), 'user-agent': 'curl/8' },
    body: JSON.stringify({ email, password, redirect: false }),
  })
  return /plinth\.session=([\w-]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? ''
}
const isAlive = async (appUrl: string, token: string) =>
  (await (await fetch(`${appUrl}/api/auth/session`, { headers: { authorization: `Bearer ${token}` } })).json()) !== null

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a person changes their name, and is told when it cannot be', async ({ page, password }) => {
      await enter(page, password)
      await page.goto('/account')
      await expect(page).toHaveURL('/account/profile')
      await page.getByLabel('Name').fill('  Grace Hopper ')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(said(page)).toHaveText('Saved')
      expect((await session(page)).user.name).toBe('Grace Hopper')
      await page.getByLabel('Name').fill(' ')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(page.getByLabel('Name')).toHaveAccessibleDescription(/1 to 100/)
      expect((await session(page)).user.name).toBe('Grace Hopper')
    })

    test('a person changes their password: every other device is out, this one stays with another token', async ({
      page,
      password,
      appUrl,
    }) => {
      const email = await enter(page, password)
      const other = await elsewhere(appUrl, email, password)
      const token = async () => (await page.context().cookies()).find(({ name }) => name === 'plinth.session')?.value
      const before = (await token()) ?? ''
      await page.goto('/account/password')
      await page.getByLabel('Current password').fill('not this one')
      await page.getByLabel('New password').fill(chosen)
      await page.getByRole('button', { name: 'Change password' }).click()
      await expect(page.getByLabel('Current password')).toHaveAccessibleDescription(/not your password/)
      expect(await isAlive(appUrl, other)).toBe(true)

      await page.getByLabel('Current password').fill(password)
      await page.getByLabel('New password').fill(chosen)
      await page.getByRole('button', { name: 'Change password' }).click()
      await expect(said(page)).toContainText('Your password was changed')
      expect((await session(page)).user.email).toBe(email)
      expect([await isAlive(appUrl, other), await isAlive(appUrl, before)]).toEqual([false, false])
      expect(await token()).not.toBe(before)
      expect(await elsewhere(appUrl, email, password)).toBe('')
      expect(await elsewhere(appUrl, email, chosen)).not.toBe('')
      await mailTo(email, 'Your password was changed')
    })

    test('a person deletes their account, and nothing of them is left but an id in the log', async ({
      page,
      password,
    }) => {
      const email = await enter(page, password)
      const { id } = (await session(page)).user
      await page.goto('/account/delete')
      await page.getByLabel('Type your e-mail').fill('yes')
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await expect(page.getByLabel('Type your e-mail')).toHaveAccessibleDescription(new RegExp(`Type ${email}`))
      await page.getByLabel('Type your e-mail').fill(email)
      await page.getByRole('button', { name: 'Delete my account' }).click()
      await expect(page).toHaveURL('/signed-out')
      expect(await session(page)).toBeNull()
      const tables = await query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'jobs')`,
      )
      for (const { name } of tables)
        expect(await query(`select 1 from ${name} t where t::text ilike '%${email}%'`), name).toEqual([])
      const kinds = await query<{ kind: string }>(
        'select kind from audit_events where target_id = $1 order by id desc',
        [id],
      )
      expect(kinds[0]?.kind).toBe('person.deleted')
    })
  })
}

test('a person sees where they are signed in, ends one device, then all others', async ({ page, password, appUrl }) => {
  const email = await enter(page, password)
  const others = [await elsewhere(appUrl, email, password), await elsewhere(appUrl, email, password)]
  // Whoever finds the screen open may look, and no more.
  const old = `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`
  await query(old, [email])
  await page.goto('/account/devices')
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('main').getByRole('button')).toHaveCount(0)
  await page.getByRole('link', { name: 'Confirm that it is you' }).click()
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page).toHaveURL('/account/devices')
  await expectAccessible(page)
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(3)
  await expect(page.getByRole('main').getByRole('listitem').first()).toContainText('This device')
  await page.getByRole('button', { name: 'Sign out', exact: true }).nth(1).click()
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(2)
  await page.getByRole('button', { name: 'Sign out all other devices' }).click()
  await expect(page.getByRole('main').getByRole('listitem')).toHaveCount(1)
  for (const token of others) expect(await isAlive(appUrl, token)).toBe(false)
  expect((await session(page)).user.email).toBe(email)
})

test('deleting asks who it is when that was not shown within the hour, and the action asks for itself', async ({
  page,
  password,
}) => {
  const email = await enter(page, password)
  await page.goto('/account/delete')
  const old = `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`
  await query(old, [email])
  await page.getByLabel('Type your e-mail').fill(email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await expect(trouble(page)).toContainText('Confirm that it is you')
  await page.goto('/account/delete')
  await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible()
  await expectAccessible(page)
  await page.getByLabel('Password', { exact: true }).fill('wrong')
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/not your password/)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Go on' }).click()
  await expect(page).toHaveURL('/account/delete')
  await expect(page.getByRole('heading', { name: 'Delete the account' })).toBeVisible()
})

test('the pages send strangers to the sign-in page, and back afterwards', async ({ page, password }) => {
  await page.goto('/account/devices')
  await expect(page).toHaveURL(/\/signin\?callbackUrl=/)
  await page.getByLabel('E-mail').fill(await newPerson())
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await expect(page).toHaveURL(/\/account/)
})

for (const path of [
  'profile',
  'email',
  'password',
  'two-step',
  'passkeys',
  'connections',
  'devices',
  'tokens',
  'data',
  'delete',
]) {
  test(`/account/${path} is accessible, in both themes`, async ({ page, password }) => {
    await enter(page, password)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.goto(`/account/${path}`)
      await expectAccessible(page)
    }
  })
}
