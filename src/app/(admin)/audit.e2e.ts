import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { expireReauthentication, query } from '../../../tests/app/support/query.ts'
import { createUser, notFoundHeading, signInAsAdmin, uniqueWord } from './e2e-users.ts'

const main = (page: Page) => page.getByRole('main')
const rows = (page: Page) => main(page).getByRole('listitem')

/** Records a change of the role from viewer to editor, `count` times. */
const insertRoleChanges = (actorId: string, targetId: string, count: number) =>
  query(
    `insert into audit_events (kind, actor_id, target_id, details, ip, user_agent)
     select 'role.changed', $1, $2, '{"from": "viewer", "to": "editor"}', '203.0.113.7',
       'Mozilla/5.0 (Macintosh) Chrome/140.0 Safari/537.36'
     from generate_series(1, $3::int)`,
    [actorId, targetId, count],
  )

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin filters the audit log by user and kind, and pages through it', async ({ page, password }) => {
      const admin = await signInAsAdmin(page, password)
      const user = await createUser()
      await insertRoleChanges(admin.id, user.id, 60)
      const applyButton = page.getByRole('button', { name: 'Apply' })

      await page.goto('/admin/audit')
      await expect(page.getByRole('heading', { level: 1, name: 'Audit log' })).toBeVisible()
      await expect(page.getByRole('heading', { level: 2, name: 'Today' })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByRole('searchbox', { name: 'User' }).fill(user.email)
      if (javaScriptEnabled) await expect(page).toHaveURL(/[?&]user=/)
      await page.getByRole('combobox', { name: 'Event' }).selectOption('Role changed')
      // With JavaScript every filter applies at once.
      if (javaScriptEnabled) await expect(applyButton).toHaveCount(0)
      else await applyButton.click()
      await expect(page).toHaveURL(/user=.*kind=role\.changed/)
      await expect(rows(page)).toHaveCount(50)
      await expect(rows(page).first()).toContainText(`${admin.name} changed ${user.name}’s role from Viewer to Editor`)
      await expect(rows(page).first()).toContainText('Chrome on macOS · 203.0.113.7')
      await expect(main(page).getByRole('status')).toContainText(user.name)
      const searches = `select details from audit_events where kind = 'users.listed' and actor_id = $1`
      expect(await query(searches, [admin.id])).toEqual([{ details: { count: 1, isSearch: true } }])
      await page.getByRole('link', { name: 'Older' }).click()
      await expect(rows(page)).toHaveCount(10)
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByRole('link', { name: 'Newer' }).click()
      await expect(rows(page)).toHaveCount(50)
      await rows(page).first().getByRole('link', { name: user.name }).click()
      await expect(page).toHaveURL(`/admin/users/${user.id}`)

      await page.goto('/admin/audit?actor=nobody@example.com')
      await expect(main(page)).toContainText('No matching events')
      await main(page).getByRole('link', { name: 'Clear filters' }).last().click()
      await expect(page).toHaveURL('/admin/audit')
      await expect(rows(page).first()).toBeVisible()
    })

    test('an event has a page with everything that was recorded', async ({ page, password }) => {
      const admin = await signInAsAdmin(page, password)
      const user = await createUser()
      await insertRoleChanges(admin.id, user.id, 1)
      await page.goto(`/admin/audit?target=${user.id}`)
      await expect(rows(page)).toHaveCount(1)
      await rows(page).first().getByRole('link', { name: 'event details' }).click()
      await expect(page).toHaveURL(/\/admin\/audit\/\d+-\d+$/)
      await expect(page.getByRole('heading', { level: 1, name: 'Event' })).toBeVisible()
      const details = page.getByRole('region', { name: 'Details' })
      await expect(details).toContainText('Role changed')
      await expect(details).toContainText('Chrome on macOS')
      await expect(details.getByRole('link', { name: user.name })).toHaveAttribute('href', `/admin/users/${user.id}`)
      const raw = JSON.parse(
        (await page.getByRole('region', { name: 'Raw event' }).locator('code').textContent()) ?? '',
      )
      expect(raw).toMatchObject({
        kind: 'role.changed',
        actor_id: admin.id,
        target_id: user.id,
        details: { from: 'viewer', to: 'editor' },
      })
      if (javaScriptEnabled) await expectAccessible(page)
      const response = await page.goto('/admin/audit/1-1')
      expect(response?.status()).toBe(404)
      if (javaScriptEnabled) await expect(notFoundHeading(page)).toBeVisible()
    })

    test('repeated events are one row that can be opened', async ({ page, password }) => {
      await signInAsAdmin(page, password)
      const user = await createUser()
      await query(
        `insert into audit_events (kind, target_id, details, ip)
         select 'signin.failed', $1, '{"reason": "wrong_password"}', '203.0.113.7' from generate_series(1, 3)`,
        [user.id],
      )
      await page.goto(`/admin/audit?user=${user.id}&kind=signin.failed`)
      const row = rows(page).filter({ hasText: `3 failed sign-in attempts for ${user.name}` })
      await expect(row).toContainText('Wrong password · 203.0.113.7')
      await expect(rows(page)).toHaveCount(1)
      await row.getByText('Show all 3').click()
      await expect(row.getByRole('listitem')).toHaveCount(3)
      await expect(row.getByRole('listitem').first().getByRole('link', { name: 'event details' })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(page)
    })

    test('a date filter has presets', async ({ page, password }) => {
      const admin = await signInAsAdmin(page, password)
      const user = await createUser()
      await query(
        `insert into audit_events (kind, actor_id, target_id, at)
         select 'person.suspended', $1, $2, now() - age * interval '1 day' from unnest(array[0, 3, 20]) age`,
        [admin.id, user.id],
      )
      await page.goto(`/admin/audit?user=${user.id}`)
      await expect(rows(page)).toHaveCount(3)
      const menu = (text: string) => page.getByRole('button', { name: `Date: ${text}` })
      await menu('Any time').click()
      await page.getByRole('link', { name: 'Last 7 days' }).click()
      await expect(page).toHaveURL(/user=.*from=\d{4}-\d\d-\d\d$/)
      await expect(rows(page)).toHaveCount(2)
      await expect(menu('Last 7 days')).toBeVisible()
      await expect(page.getByRole('link', { name: 'Last 30 days' })).toBeHidden()
      await menu('Last 7 days').click()
      if (javaScriptEnabled) await expectAccessible(page)
      await page.getByRole('link', { name: 'Today' }).click()
      await expect(rows(page)).toHaveCount(1)
    })
  })
}

test('a field follows the link that clears its filter, and keeps the text that is being typed', async ({
  page,
  password,
}) => {
  await signInAsAdmin(page, password)
  const { name, email } = await createUser()
  await page.goto('/admin/audit?kind=role.changed')
  const search = page.getByRole('searchbox', { name: 'User' })
  await search.fill(email)
  await expect(page).toHaveURL(/user=.*kind=role\.changed/)
  await expect(main(page).getByRole('status')).toContainText(name)
  await expect(search).toHaveValue(email)
  await expect(search).toBeFocused()
  await page.getByRole('form', { name: 'Filters' }).getByRole('link', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL('/admin/audit')
  await expect(search).toHaveValue('')
  await expect(page.getByRole('combobox', { name: 'Event' })).toHaveValue('')
})

test('the audit log fits on a phone', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  const user = await createUser()
  await insertRoleChanges(admin.id, user.id, 2)
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 800 })
    await page.goto(`/admin/audit?user=${user.id}`)
    await expect(rows(page).first()).toBeVisible()
    await expectAccessible(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
    await rows(page).first().getByRole('link', { name: 'event details' }).click()
    await expect(page.getByRole('region', { name: 'Raw event' })).toBeVisible()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width)
  }
})

test('an admin exports the filtered events as CSV, all pages of them', async ({ page, password }) => {
  const admin = await signInAsAdmin(page, password)
  const user = await createUser({ name: `=1+1 ${uniqueWord()}` })
  await insertRoleChanges(admin.id, user.id, 1_200)
  await page.goto(`/admin/audit?target=${user.id}&kind=role.changed`)
  const exportLink = page.getByRole('link', { name: 'Export', exact: true })
  const [download] = await Promise.all([page.waitForEvent('download'), exportLink.click()])
  expect(download.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/)
  const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n')
  expect(head).toBe(
    'id,time,event,actor id,actor,target id,target,impersonator id,impersonator,scope id,scope,ip,user agent,details',
  )
  expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(1_200)
  expect(lines[0]).toContain(`,role.changed,${admin.id},${admin.name},${user.id},'${user.name},,,,,203.0.113.7,`)
  expect(lines[0]).toContain('"{""to"":""editor"",""from"":""viewer""}"')
  await page.goto('/admin/audit?kind=audit.exported')
  await expect(rows(page).first()).toContainText(`${admin.name} exported the audit log`)
  await expect(rows(page).first()).toContainText('One kind of event · Search')

  await expireReauthentication(admin.email)
  expect((await page.request.get('/api/admin/audit/export')).status()).toBe(403)
  await page.reload()
  await exportLink.click()
  await expect(page).toHaveURL('/confirm?callbackUrl=%2Fadmin%2Faudit%3Fkind%3Daudit.exported')
})
