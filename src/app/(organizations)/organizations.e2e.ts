import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, expectAccessible, test } from '../../../tests/app/support/e2e-test.ts'
import { linkIn, waitForEmail } from '../../../tests/app/support/inbox.ts'
import { query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'

const randomName = () => `Team ${crypto.randomUUID().slice(0, 8)}`
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })
const status = (page: Page) => page.getByRole('status')

/** Creates an organization through its page. Returns its slug. */
async function createOrganization(page: Page, name = randomName()): Promise<string> {
  await page.goto('/organizations/new')
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create organization' }).click()
  await expect(page).toHaveURL(/\/o\/[\w-]+\/members/)
  return /\/o\/([\w-]+)\//.exec(page.url())?.[1] ?? ''
}

const addMember = (slug: string, email: string, role: string) =>
  query(
    `insert into organizations_members (scope_id, user_id, role)
     select organizations_organizations.id, users.id, $3 from organizations_organizations, users where slug = $1 and email = $2`,
    [slug, email, role],
  )

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user creates an organization and invites another, who joins', { tag: '@smoke' }, async ({
      page,
      password,
      appUrl,
    }) => {
      await signInAsNewUser(page, password)
      const name = randomName()
      const slug = await createOrganization(page, name)
      await expect(status(page)).toContainText('Organization created.')
      if (javaScriptEnabled) await expectAccessible(page)
      const other = await newBrowserPage(page, appUrl)
      const email = await signInAsNewUser(other, password)

      await page.getByRole('link', { name: 'Invite members' }).first().click()
      await page.getByLabel('Emails').fill(email)
      await page.getByLabel('Role', { exact: true }).selectOption('editor')
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await expect(page).toHaveURL(new RegExp(`/o/${slug}/members/invited`))
      await expect(row(page, email)).toContainText('Pending')

      await other.goto(linkIn(await waitForEmail(email, `Test User invited you to ${name}`)))
      await expect(other.getByRole('heading', { name: /^Join Team/ })).toBeVisible()
      if (javaScriptEnabled) await expectAccessible(other)
      await other.getByRole('button', { name: 'Accept invitation' }).click()
      await expect(other).toHaveURL(new RegExp(`/o/${slug}/members`))
      await expect(row(other, email)).toContainText('Editor')
      // An editor cannot manage members.
      await expect(other.getByRole('link', { name: 'Invite members' })).toHaveCount(0)
      expect((await other.goto(`/o/${slug}/members/invite`))?.status()).toBe(404)
    })

    test('an invitation is of no use to another user', async ({ page, password, appUrl }) => {
      await signInAsNewUser(page, password)
      const name = randomName()
      await createOrganization(page, name)
      const email = `invited-${crypto.randomUUID()}@example.com`
      await page.getByRole('link', { name: 'Invite members' }).first().click()
      await page.getByLabel('Emails').fill(email)
      await page.getByRole('button', { name: 'Send invitations' }).click()
      await expect(row(page, email)).toBeVisible()
      const link = linkIn(await waitForEmail(email, `Test User invited you to ${name}`))

      const nobody = await newBrowserPage(page, appUrl)
      await nobody.goto(link)
      await expect(nobody.getByRole('link', { name: 'Sign in' })).toBeVisible()
      await signInAsNewUser(nobody, password)
      await nobody.goto(link)
      await expect(nobody.getByText('This invitation is for i…@example.com.')).toBeVisible()
      await expect(nobody.getByRole('button', { name: 'Accept invitation' })).toHaveCount(0)
    })

    test('outsiders get the same page as for an organization that does not exist', async ({
      page,
      password,
      appUrl,
    }) => {
      await signInAsNewUser(page, password)
      const slug = await createOrganization(page)
      const other = await newBrowserPage(page, appUrl)
      await signInAsNewUser(other, password, { role: 'admin' })
      for (const path of ['members', 'settings', 'audit'])
        for (const name of [slug, 'no-such-organization'])
          expect((await other.goto(`/o/${name}/${path}`))?.status(), path).toBe(404)
    })

    test('a renamed slug leads on', async ({ page, password }) => {
      await signInAsNewUser(page, password)
      const slug = await createOrganization(page)
      await page.goto(`/o/${slug}/settings`)
      await page.getByLabel('Slug').fill(`${slug}-new`)
      await page.getByRole('button', { name: 'Save' }).click()
      await expect(page).toHaveURL(new RegExp(`/o/${slug}-new/settings`))
      await page.goto(`/o/${slug}/members`)
      await expect(page).toHaveURL(new RegExp(`/o/${slug}-new/members`))
    })

    test('the last admin cannot leave, and then deletes the organization', async ({ page, password }) => {
      await signInAsNewUser(page, password)
      const name = randomName()
      const slug = await createOrganization(page, name)
      await page.goto(`/o/${slug}/settings/leave`)
      await expect(page.getByText(`You’re the last admin of ${name}.`)).toBeVisible()
      await page.goto(`/o/${slug}/settings/delete`)
      await page.getByLabel(`Type ${name} to confirm`).fill('another name')
      await page.getByRole('button', { name: 'Delete organization' }).click()
      await expect(page.getByText(`Type ${name}`, { exact: true })).toBeVisible()
      await page.getByLabel(`Type ${name} to confirm`).fill(name)
      await page.getByRole('button', { name: 'Delete organization' }).click()
      await expect(page).toHaveURL(/\/organizations/)
      await expect(page.getByText(name)).toHaveCount(0)
      expect((await page.goto(`/o/${slug}/members`))?.status()).toBe(404)
    })

    test('the switcher opens another organization on the same page', async ({ page, password }) => {
      await signInAsNewUser(page, password)
      const [first, second] = [randomName(), randomName()]
      const slug = await createOrganization(page, first)
      await createOrganization(page, second)
      await page.goto(`/o/${slug}/settings`)
      await page.getByRole('button', { name: new RegExp(first) }).click()
      await page.getByRole('group', { name: 'Organizations' }).getByRole('link', { name: second }).click()
      await expect(page).toHaveURL(/\/settings/)
      await expect(page.getByRole('button', { name: new RegExp(second) })).toBeVisible()
    })
  })
}

test('an editor of an organization writes posts there, which nobody else finds', async ({ page, password, appUrl }) => {
  test.skip((await query(`select to_regclass('content_posts') as name`))[0]?.name === null, 'content is not installed')
  await signInAsNewUser(page, password)
  const slug = await createOrganization(page)
  const editor = await newBrowserPage(page, appUrl)
  const email = await signInAsNewUser(editor, password)
  await addMember(slug, email, 'editor')
  await editor.goto(`/o/${slug}/content`)
  await editor.getByRole('button', { name: 'New post' }).first().click()
  await expect(editor).toHaveURL(new RegExp(`/o/${slug}/content/[\\w-]+`))
  const path = new URL(editor.url()).pathname
  expect((await page.goto(path))?.status()).toBe(200)
  const root = await newBrowserPage(page, appUrl)
  await signInAsNewUser(root, password, { role: 'admin' })
  expect((await root.goto(path))?.status()).toBe(404)
  expect((await root.goto(path.replace(`/o/${slug}`, '')))?.status()).toBe(404)
})

test('an admin of the app deletes an organization without seeing what is in it', async ({ page, password, appUrl }) => {
  await signInAsNewUser(page, password)
  const name = randomName()
  const slug = await createOrganization(page, name)
  const root = await newBrowserPage(page, appUrl)
  await signInAsNewUser(root, password, { role: 'admin' })
  await root.goto(`/admin/organizations?search=${slug}`)
  await expectAccessible(root)
  await root.getByRole('button', { name: `Actions for ${name}` }).click()
  await root.getByRole('link', { name: 'Delete…' }).click()
  await root.getByLabel(`Type ${name} to confirm`).fill(name)
  await root.getByRole('button', { name: 'Delete organization' }).click()
  await expect(status(root)).toContainText('Organization deleted.')
  expect((await page.goto(`/o/${slug}/members`))?.status()).toBe(404)
})

test('at 320 pixels nothing scrolls sideways', async ({ page, password }) => {
  await signInAsNewUser(page, password)
  const slug = await createOrganization(page)
  await page.setViewportSize({ width: 320, height: 700 })
  for (const path of [
    '/organizations',
    '/organizations/new',
    ...['members', 'settings', 'audit'].map((name) => `/o/${slug}/${name}`),
  ]) {
    await page.goto(path)
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(320)
  }
})

test('an organization has a logo, which may be a large photo', async ({ page, password }) => {
  await signInAsNewUser(page, password)
  const slug = await createOrganization(page)
  await page.goto(`/o/${slug}/settings`)
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const photo = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: 'black', noise } })
    .jpeg({ quality: 100 })
    .toBuffer()
  await page
    .getByLabel('Image', { exact: true })
    .setInputFiles({ name: 'logo.jpg', mimeType: 'image/jpeg', buffer: photo })
  await expect(page.getByRole('img', { name: 'Selected image' })).toBeVisible()
  await page.getByRole('button', { name: 'Upload logo' }).click()
  await expect(page.getByRole('button', { name: 'Remove logo' })).toBeVisible()
  await expect(page.getByRole('img', { name: 'Selected image' })).toBeHidden()
})
