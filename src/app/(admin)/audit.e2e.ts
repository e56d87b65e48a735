import { expect, expectAccessible, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'
import { enterAsAdmin } from './journey-people.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin finds in the log what they did to somebody, a page at a time', async ({ page, password }) => {
      const { email: admin } = await enterAsAdmin(page, password)
      const email = await newPerson()
      const [person] = await query<{ id: string }>('select id from users where email = $1', [email])
      await query(
        `insert into audit_events (kind, target_id, actor_id, details)
         select 'role.changed', $1, (select id from users where email = $2), '{"from": "viewer", "to": "editor"}'
         from generate_series(1, 60)`,
        [person?.id, admin],
      )
      await page.goto('/admin/audit')
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByLabel('To whom').fill(email)
      await page.getByLabel('What').selectOption('Role changed')
      await page.getByRole('button', { name: 'Show' }).click()
      await expect(page).toHaveURL(/target=.*kind=role.changed/)
      const rows = page.getByRole('region', { name: 'Events' }).getByRole('row')
      await expect(rows).toHaveCount(51)
      await expect(rows.nth(1)).toContainText('Role changed, from viewer to editor')
      await page.getByRole('link', { name: 'Older' }).click()
      await expect(rows).toHaveCount(11)
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByRole('link', { name: 'Newer' }).click()
      await expect(rows).toHaveCount(51)
      await rows.nth(1).getByRole('link').last().click()
      await expect(page).toHaveURL(`/admin/users/${person?.id}`)

      await page.goto('/admin/audit?actor=nobody@example.com')
      await expect(page.getByRole('main')).toContainText('Nothing matches')
      await page.getByRole('link', { name: 'Clear' }).click()
      await expect(page).toHaveURL('/admin/audit')
      await expect(rows.nth(1)).toBeVisible()
    })
  })
}
