import { randomBytes, scryptSync } from 'node:crypto'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, signIn, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { greeting } from '../../../tests/app/support/greeting.ts'
import { waitForEmail } from '../../../tests/app/support/inbox.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { newBrowserPage } from '../../../tests/app/support/sign-in.ts'
import { appName } from '../../brand.ts'
import { passwordField } from './e2e-dialogs.ts'
import {
  alertMessage,
  expectNoHorizontalScroll,
  notFoundHeading,
  reauthenticate,
  signInAsAdmin,
  uniqueWord,
} from './e2e-users.ts'

const oldPassword = 'the password of the old system'

/** The hash that another system has of this password. */
function scryptHash(password: string): string {
  const salt = randomBytes(16)
  const digest = scryptSync(password, salt, 32, { N: 2 ** 12, r: 8, p: 1 })
  const [saltText, digestText] = [salt, digest].map((bytes) => bytes.toString('base64').replace(/=+$/, ''))
  return `$scrypt$ln=12,r=8,p=1$${saltText}$${digestText}`
}

const randomEmail = () => `imported-${crypto.randomUUID()}@example.com`

/** Chooses a file on the page, and sends it. */
async function upload(page: Page, text: string, name = 'users.csv'): Promise<void> {
  await page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
  await page.getByRole('button', { name: 'Check file' }).click()
}

/** Waits for the end of the import. Without JavaScript the page reloads itself; this is faster. */
async function waitUntilDone(page: Page): Promise<void> {
  await expect
    .poll(async () => {
      await page.reload()
      return page.getByRole('main').innerText()
    })
    .toContain('Done')
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin checks a file and imports it; users sign in with their old password', async ({
      page,
      password,
      appUrl,
    }) => {
      const admin = await signInAsAdmin(page, password)
      const [withHash, invited, name] = [randomEmail(), randomEmail(), `Grace ${uniqueWord()}`]
      await page.goto('/admin/users')
      await page.getByRole('link', { name: 'Invite users' }).click()
      await page.getByRole('link', { name: 'Import a file' }).click()
      await expect(page).toHaveURL('/admin/users/import')
      if (javaScriptEnabled) await expectAccessible(page)
      const hash = scryptHash(oldPassword)
      await upload(
        page,
        `email;name;role;password_hash\n${withHash};${name};editor;${hash}\n${invited};;viewer;\nada;;;\n${admin.email};;;\n`,
      )

      await expect(page.getByRole('heading', { name: 'Import report' })).toBeAttached()
      await expect(page.getByRole('main')).toContainText('users.csv: Not started')
      const skipped = page.getByRole('region', { name: 'Skipped rows' })
      await expect(skipped.getByRole('row', { name: /^4 ada Not a valid email/ })).toBeVisible()
      await expect(skipped.getByRole('row', { name: `5 ${admin.email} Already a user` })).toBeVisible()
      expect(await query('select 1 from users where email = $1', [withHash])).toEqual([])
      await expect(page.getByText('1 editor, 1 viewer')).toHaveCount(2)
      if (javaScriptEnabled) await expectAccessible(page)

      await page.getByRole('button', { name: 'Import 2 users' }).click()
      await expect(page.getByRole('button', { name: 'Import 2 users' })).toHaveCount(0)
      await waitUntilDone(page)
      if (javaScriptEnabled) await expectAccessible(page)
      await waitForEmail(invited, `${admin.name} invited you to ${appName}`)
      const [left] = await query<{ count: number }>(
        'select count(*)::int from admin_import_rows where hash is not null and email = $1',
        [withHash],
      )
      expect(left?.count).toBe(0)

      const other = await newBrowserPage(page, appUrl)
      await signIn(other, withHash, 'not the password')
      await expect(alertMessage(other)).toContainText('Incorrect email or password')
      await signIn(other, withHash, oldPassword)
      await expect(greeting(other, 'Grace')).toBeVisible()
      const [stored] = await query<{ hash: string }>(
        'select hash from passwords join users on users.id = user_id where email = $1',
        [withHash],
      )
      expect(stored?.hash).toMatch(/^\$argon2id\$/)
      await other.context().close()

      await page.goto('/admin/audit?kind=users.imported')
      await expect(page.getByRole('main')).toContainText(`${admin.name} imported 1 user`)
      await page.goto('/admin/audit?kind=users.import_started')
      await expect(page.getByRole('main')).toContainText(`${admin.name} started to import 2 users`)
    })

    test('a file that cannot be read is reported on the page, and leaves nothing', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      await page.goto('/admin/users/import')
      for (const [text, message] of [
        ['name\nAda\n', 'needs a column named email'],
        ['email\n', 'has no rows'],
        ['[{"email": "a', 'in the middle'],
      ] as const) {
        await upload(page, text)
        await expect(alertMessage(page)).toContainText(message)
      }
    })

    test('an import that was not started is discarded', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      await page.goto('/admin/users/import')
      await upload(page, JSON.stringify([{ email: randomEmail() }]), 'mine.json')
      await expect(page.getByRole('main')).toContainText('mine.json: Not started')
      const path = new URL(page.url()).pathname
      await page.getByRole('button', { name: 'Discard' }).click()
      await expect(page).toHaveURL('/admin/users/import')
      await page.goto(path)
      await expect(page.getByRole('main')).toContainText('This import no longer exists')
    })
  })
}

test('uploading and starting require a recent reauthentication', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  await expireReauthentication(admin.email)
  await page.goto('/admin/users/import')
  await expect(page.getByLabel('File')).toHaveCount(0)
  await page.getByRole('link', { name: 'Confirm it’s you' }).click()
  await reauthenticate(page, password)
  await expect(page).toHaveURL('/admin/users/import')
  const email = randomEmail()
  await upload(page, `email,password_hash\n${email},"${scryptHash(oldPassword)}"\n`)
  await expect(page.getByRole('button', { name: 'Import 1 user' })).toBeVisible()

  await expireReauthentication(admin.email)
  await page.reload()
  await passwordField(page).fill('not the password')
  await page.getByRole('button', { name: 'Import 1 user' }).click()
  await expect(passwordField(page)).toHaveAccessibleDescription(/Incorrect password/)
  expect(await query('select 1 from users where email = $1', [email])).toEqual([])
  await passwordField(page).fill(password)
  await page.getByRole('button', { name: 'Import 1 user' }).click()
  await expect(page.getByRole('main')).toContainText('Done')
})

test('a running import shows its progress and is canceled', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  // Without a job, so that it stays where it is.
  const [running] = await query<{ id: string }>(
    `insert into admin_imports (file_name, status, created_by, total, with_hash, imported)
     select 'long.csv', 'running', id, 1000, 1000, 400 from users where email = $1 returning id`,
    [admin.email],
  )
  await page.goto(`/admin/users/import/${running?.id}`)
  await expect(page.getByRole('progressbar')).toHaveAttribute('value', '400')
  await expect(page.getByRole('main')).toContainText('400 of 1,000 rows')
  await expectAccessible(page)
  await query('update admin_imports set imported = 500 where id = $1', [running?.id])
  await expect(page.getByRole('progressbar')).toHaveAttribute('value', '500')
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoHorizontalScroll(page)
  await page.getByRole('button', { name: 'Cancel import' }).click()
  await expect(page.getByRole('main')).toContainText('long.csv: Canceled')
  await page.goto('/admin/users/import')
  await expectNoHorizontalScroll(page)
  await expect(page.getByRole('row', { name: /long\.csv/ }).first()).toContainText('Canceled')
  await expectAccessible(page)
})

test('only admins import', async ({ page, password }) => {
  const editor = await newUser({ role: 'editor' })
  await startSession(page, editor, password)
  await page.goto('/admin/users/import')
  await expect(notFoundHeading(page)).toBeVisible()
  const multipart = { file: { name: 'users.csv', mimeType: 'text/csv', buffer: Buffer.from('email\na@example.com\n') } }
  expect((await page.request.post('/api/admin/users/import', { multipart })).status()).toBe(403)
})
