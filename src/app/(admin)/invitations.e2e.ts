import type { Page } from '@playwright/test'
import { elsewhere, sessionOf } from '../../../tests/support/enter.ts'
import { linkIn, mailTo } from '../../../tests/support/inbox.ts'
import { expect, expectAccessible, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'
import { query } from '../../../tests/support/query.ts'
import { enterAsAdmin } from './journey-people.ts'

const subject = 'You are invited'
const someEmail = () => `invited-${crypto.randomUUID()}@example.com`
const chosen = 'a long walk by the sea'

const row = (page: Page, email: string) => page.getByRole('main').getByRole('listitem').filter({ hasText: email })

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin invites two people; one joins with the role that was chosen for them', async ({
      page,
      password,
      appUrl,
    }) => {
      await enterAsAdmin(page, password)
      await page.goto('/admin/invitations')
      const [one, two] = [someEmail(), someEmail()]
      await page.getByLabel('E-mail addresses').fill(`${one}\n${two}`)
      await page.getByLabel('Role').selectOption('editor')
      await page.getByRole('button', { name: 'Invite', exact: true }).click()
      await expect(page.getByRole('main').getByRole('status')).toContainText(`Invited: ${one}, ${two}`)
      if (javaScriptEnabled) await expectAccessible(page)
      await expect(row(page, one)).toContainText('editor')
      await mailTo(two, subject)

      const other = await elsewhere(page, appUrl)
      await other.goto(linkIn(await mailTo(one, subject)))
      await expect(other.getByRole('main')).toContainText(`You are invited as ${one}`)
      await other.getByLabel('Name').fill('Grace')
      await other.getByLabel('Password', { exact: true }).fill('short')
      await other.getByRole('button', { name: 'Join' }).click()
      await expect(other.getByLabel('Password', { exact: true })).toHaveAccessibleDescription(/Use at least/)
      await expect(other.getByLabel('Name')).toHaveValue('Grace')
      await other.getByLabel('Password', { exact: true }).fill(chosen)
      await other.getByRole('button', { name: 'Join' }).click()
      await expect(other.getByRole('heading', { name: 'Hello, Grace' })).toBeVisible()
      expect((await sessionOf(other)).user).toMatchObject({ email: one, role: 'editor' })

      await other.goto(linkIn(await mailTo(one, subject)))
      await expect(other.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
      await page.goto('/admin/invitations')
      await expect(row(page, two)).toHaveCount(1)
      await expect(row(page, one)).toHaveCount(0)
      await other.context().close()
    })
  })
}

test('an invitation is sent again, and taken back', async ({ page, password, appUrl }) => {
  await enterAsAdmin(page, password)
  await page.goto('/admin/invitations')
  await expectAccessible(page)
  const email = someEmail()
  await page.getByLabel('E-mail addresses').fill(email)
  await page.getByRole('button', { name: 'Invite', exact: true }).click()
  await expect(page.getByRole('main').getByRole('status')).toContainText(email)
  const first = linkIn(await mailTo(email, subject))
  await query(`update admin_invitations set sent_at = now() - interval '8 days' where email = $1`, [email])
  await page.reload()
  await expect(row(page, email)).toContainText('expired')
  await row(page, email).getByRole('button', { name: 'Send again' }).click()
  await expect(row(page, email)).toContainText('Sent')
  await expect(row(page, email)).not.toContainText('expired')

  const other = await elsewhere(page, appUrl)
  await other.goto(first)
  await expect(other.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
  await expectAccessible(other)
  const second = await expect
    .poll(async () => linkIn(await mailTo(email, subject)))
    .not.toBe(first)
    .then(async () => linkIn(await mailTo(email, subject)))
  await other.goto(second)
  await expect(other.getByRole('main')).toContainText(email)
  await expectAccessible(other)

  await row(page, email).getByRole('button', { name: 'Revoke' }).click()
  await expect(row(page, email)).toHaveCount(0)
  await other.reload()
  await expect(other.getByRole('heading', { name: 'This link does not work any more' })).toBeVisible()
  await other.context().close()
})

test('somebody who is here already, and what is no address, are refused at the field', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  await page.goto('/admin/invitations')
  const field = page.getByLabel('E-mail addresses')
  const known = await newPerson()
  for (const [typed, said] of [
    [known, /here already/],
    ['ada', /no e-mail address: ada/],
    [' ', /at least one/],
  ] as const) {
    await field.fill(typed)
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await expect(field).toHaveAccessibleDescription(said)
    await expect(field).toBeFocused()
  }
  await expectAccessible(page)
})
