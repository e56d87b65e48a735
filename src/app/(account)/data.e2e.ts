import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import { expect, expectAccessible, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { appSlug } from '../../brand.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user reauthenticates, then exports all of their data', async ({ page, password }) => {
      const email = await newUser()
      await startSession(page, email, password)
      await expireReauthentication(email)
      const rejected = await page.request.get('/api/account/export')
      expect([rejected.status(), (await rejected.json()).code]).toEqual([403, 'reauth_required'])
      await page.goto('/account/data')
      await page.getByRole('link', { name: 'Download my data' }).click()
      await expect(page.getByRole('heading', { name: 'Confirm it’s you' })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
      const passwordField = page.getByLabel('Password', { exact: true })
      await passwordField.fill('wrong')
      await page.getByRole('button', { name: 'Continue' }).click()
      await expect(passwordField).toHaveAccessibleDescription(/Incorrect password/)
      await passwordField.fill(password)
      await page.getByRole('button', { name: 'Continue' }).click()
      await expect(page).toHaveURL('/account/data')

      const downloadEvent = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download my data' }).focus()
      await page.keyboard.press('Enter')
      const download = await downloadEvent
      expect(download.suggestedFilename()).toMatch(new RegExp(`^${appSlug}-export-\\d{4}-\\d\\d-\\d\\d\\.zip$`))
      const files = unzipSync(readFileSync(await download.path()))
      const read = (name: string) => JSON.parse(Buffer.from(files[name] ?? '').toString())
      expect(read('profile.json')).toMatchObject({ email, name: 'Test User', role: 'viewer' })
      expect(read('sessions.json')).toHaveLength(1)
      const kinds = read('activity.json').map(({ kind }: { kind: string }) => kind)
      expect(kinds).toEqual(['person.exported', 'session.confirmed', 'confirmation.failed', 'session.started'])
    })
  })
}

test('/account/data is accessible, and does not prefetch the export', async ({ page, password }) => {
  const email = await newUser()
  await startSession(page, email, password)
  await page.goto('/account/data')
  await expectAccessible(page)
  const events = await query(
    `select 1 from audit_events where kind = 'person.exported' and actor_id = (select id from users where email = $1)`,
    [email],
  )
  expect(events).toEqual([])
})
