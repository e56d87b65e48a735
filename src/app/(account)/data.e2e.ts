import { readFileSync } from 'node:fs'
import { unzipSync } from 'fflate'
import { expect, expectAccessible, signIn, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a person shows that it is them, then takes along all that is held of them', async ({ page, password }) => {
      const email = await newPerson()
      await signIn(page, email, password)
      await expect(page).toHaveURL('/dashboard')
      await query(
        `update sessions set confirmed_at = now() - interval '61 minutes' where user_id = (select id from users where email = $1)`,
        [email],
      )
      const early = await page.request.get('/api/account/export')
      expect([early.status(), (await early.json()).code]).toEqual([403, 'reauth_required'])
      await page.goto('/account/data')
      await expect(page.getByRole('heading', { name: 'Confirm that it is you' })).toBeVisible()
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Go on' }).click()
      await expect(page).toHaveURL('/account/data')

      const coming = page.waitForEvent('download')
      await page.getByRole('link', { name: 'Download' }).focus()
      await page.keyboard.press('Enter')
      const download = await coming
      expect(download.suggestedFilename()).toMatch(/^plinth-export-\d{4}-\d\d-\d\d\.zip$/)
      const files = unzipSync(readFileSync(await download.path()))
      const read = (name: string) => JSON.parse(Buffer.from(files[name] ?? '').toString())
      expect(read('profile.json')).toMatchObject({ email, name: 'Somebody', role: 'viewer' })
      expect(read('sessions.json')).toHaveLength(1)
      const kinds = read('activity.json').map(({ kind }: { kind: string }) => kind)
      expect(kinds).toEqual(['person.exported', 'session.confirmed', 'session.started'])
    })
  })
}

test('/account/data is accessible, and fetches nothing by itself', async ({ page, password }) => {
  const email = await newPerson()
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/account/data')
  await expectAccessible(page)
  const events = await query(
    `select 1 from audit_events where kind = 'person.exported' and actor_id = (select id from users where email = $1)`,
    [email],
  )
  expect(events).toEqual([])
})
