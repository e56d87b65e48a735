import { expect, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

test('the dashboard asks to secure the account, until there is a passkey', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  const widget = page.getByRole('region', { name: 'Secure your account' })
  await page.goto('/dashboard')
  await expect(widget.getByRole('link', { name: 'Add a passkey' })).toHaveAttribute('href', '/account/passkeys')
  await widget.getByRole('link', { name: 'Turn on two-factor' }).click()
  await expect(page).toHaveURL('/account/two-factor')
  await query(
    `insert into account_passkeys (id, user_id, public_key, counter, transports, name)
     select $2::text, id, '\\x00'::bytea, 0, '{}'::text[], 'Key' from users where email = $1`,
    [email, crypto.randomUUID()],
  )
  await page.goto('/dashboard')
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(widget).toHaveCount(0)
})

test('the dashboard asks for more than a setup of two-factor that is not finished', async ({ page, password }) => {
  const email = await signInAsNewUser(page, password)
  const widget = page.getByRole('region', { name: 'Secure your account' })
  await query(`insert into account_totp (user_id, secret) select id, 'x' from users where email = $1`, [email])
  await page.goto('/dashboard')
  await expect(widget).toBeVisible()
  await query('update account_totp set confirmed_at = now() where user_id = (select id from users where email = $1)', [
    email,
  ])
  await page.goto('/dashboard')
  await expect(widget).toHaveCount(0)
})
