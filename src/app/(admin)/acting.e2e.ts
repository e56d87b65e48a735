import { sessionOf } from '../../../tests/support/enter.ts'
import { expect, expectAccessible, test } from '../../../tests/support/journey.ts'
import { query } from '../../../tests/support/query.ts'
import {
  ageConfirmation,
  confirmIdentity,
  enterAsAdmin,
  section,
  somebody,
  someWord,
  trouble,
} from './journey-people.ts'

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an admin acts for somebody, is told so on every page, can change nothing of theirs, and stops', async ({
      page,
      password,
    }) => {
      const admin = await enterAsAdmin(page, password)
      const person = await somebody()
      await page.goto(`/admin/users/${person.id}`)
      await page.getByRole('button', { name: `Act for ${person.name}` }).click()
      await expect(page.getByRole('heading', { name: `Hello, ${person.name}` })).toBeVisible()
      expect((await sessionOf(page)).user).toMatchObject({ id: person.id, role: 'viewer' })
      const banner = page.getByRole('region', { name: 'Acting for somebody else' })
      for (const path of ['/dashboard', '/account/profile', '/account/devices']) {
        await page.goto(path)
        await expect(banner, path).toContainText(`you act for ${person.name} (${person.email})`)
        if (javaScriptEnabled) await expectAccessible(page)
      }
      expect((await page.goto('/admin/users'))?.status()).toBe(404)

      await page.goto('/account/profile')
      await page.getByLabel('Name').fill(someWord())
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect(trouble(page)).toContainText('Only the person themselves can do this')
      expect((await sessionOf(page)).user.name).toBe(person.name)

      await page.goto('/dashboard')
      await banner.getByRole('button', { name: 'Stop' }).click()
      await expect(page.getByRole('heading', { name: `Hello, ${admin.name}` })).toBeVisible()
      await expect(banner).toHaveCount(0)
      expect((await sessionOf(page)).user).toMatchObject({ id: admin.id, role: 'admin' })
      await page.goto(`/admin/users/${person.id}`)
      await expect(section(page, 'History')).toContainText(`Impersonation started by ${admin.name}`)
      await expect(section(page, 'History')).toContainText(`Impersonation ended by ${admin.name}`)
      await expect(section(page, 'Signed in')).toContainText('Nowhere')
    })
  })
}

test('pages that are the same for everybody say it, too', async ({ page, password }) => {
  await enterAsAdmin(page, password)
  const person = await somebody()
  const words = page.getByText('You act for somebody else.')
  await page.goto('/signed-out')
  await expect(words).toBeHidden()
  await page.goto(`/admin/users/${person.id}`)
  await page.getByRole('button', { name: `Act for ${person.name}` }).click()
  await expect(page).toHaveURL('/dashboard')
  await expect(words).toBeHidden()
  await page.goto('/signed-out')
  await expect(words).toBeVisible()
  await expectAccessible(page)
})

test('nobody acts for an admin or for somebody who is suspended, and a confirmation comes first', async ({
  page,
  password,
}) => {
  const admin = await enterAsAdmin(page, password)
  const [other, person] = [await somebody({ role: 'admin' }), await somebody()]
  const act = page.getByRole('button', { name: /^Act for/ })
  for (const { id } of [other, admin]) {
    await page.goto(`/admin/users/${id}`)
    await expect(section(page, 'Role')).toBeVisible()
    await expect(act).toHaveCount(0)
  }
  await ageConfirmation(admin.email)
  await page.goto(`/admin/users/${person.id}`)
  await expect(act).toHaveCount(0)
  await section(page, 'See what they see').getByRole('link', { name: 'Confirm that it is you' }).click()
  await confirmIdentity(page, password)
  await expect(act).toBeVisible()
  await query('update users set suspended_at = now() where id = $1', [person.id])
  await page.reload()
  await expect(section(page, 'Suspended')).toBeVisible()
  await expect(act).toHaveCount(0)
})
