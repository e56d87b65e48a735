import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, expectAccessible, randomIp, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { newUser } from '../../../tests/app/support/new-user.ts'

const file = (buffer: Buffer, name = 'me.png') => ({ name, mimeType: 'image/png', buffer })
const makePng = (background: string) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .png()
    .toBuffer()
const profilePicture = (page: Page) => page.getByRole('main').locator('form img')
const statusMessage = (page: Page) => page.getByRole('main').getByRole('status')
const sidebarPicture = (page: Page) => page.locator('aside img')
const pictureUrl = async (page: Page) => (await profilePicture(page).getAttribute('src')) ?? ''

async function openProfile(page: Page, password: string): Promise<string> {
  const email = await newUser()
  await startSession(page, email, password)
  await page.goto('/account/profile')
  return email
}

async function upload(page: Page, chosen?: ReturnType<typeof file>): Promise<void> {
  if (chosen) await page.getByLabel('Photo', { exact: true }).setInputFiles(chosen)
  await page.getByRole('button', { name: 'Upload photo' }).click()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a user sets a picture, replaces it, and removes it', async ({ page, password }) => {
      await openProfile(page, password)
      await expect(page.getByRole('button', { name: 'Remove photo' })).toBeHidden()
      await upload(page, file(await makePng('red')))
      await expect(profilePicture(page)).toHaveAttribute('src', /^\/api\/account\/avatars\/[\w-]{36}$/)
      await expect(statusMessage(page)).toHaveText('Photo updated')
      await expect(page.getByLabel('Photo', { exact: true })).toHaveValue('')
      const first = await pictureUrl(page)
      await expect(sidebarPicture(page)).toHaveAttribute('src', first)

      await upload(page, file(await makePng('blue')))
      await expect(profilePicture(page)).not.toHaveAttribute('src', first)
      const second = await pictureUrl(page)
      await expect(sidebarPicture(page)).toHaveAttribute('src', second)
      const pixels = await sharp(await (await page.request.get(second)).body())
        .raw()
        .toBuffer()
      expect([...pixels.subarray(0, 3)].map((value) => value > 128)).toEqual([false, false, true])
      expect((await page.request.get(first)).status()).toBe(404)

      await page.getByRole('button', { name: 'Remove photo' }).click()
      await expect(statusMessage(page)).toHaveText('Photo removed')
      await expect(profilePicture(page)).toHaveCount(0)
      await expect(sidebarPicture(page)).toHaveCount(0)
      expect((await page.request.get(second)).status()).toBe(404)
    })

    test('a file that is not a picture is rejected with a message at the field', async ({ page, password }) => {
      await openProfile(page, password)
      const field = page.getByLabel('Photo', { exact: true })
      await upload(page)
      await expect(field).toHaveAccessibleDescription(/Choose an? /)
      await upload(page, file(Buffer.from('just text'), 'me.png'))
      await expect(field).toHaveAccessibleDescription(/Use a JPEG, PNG, WebP or GIF image/)
      await expect(profilePicture(page)).toHaveCount(0)
    })
  })
}

test('a photo of several megabytes is scaled down in the browser, and previewed before it is sent', async ({
  page,
  password,
}) => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const photo = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: 'black', noise } })
    .jpeg({ quality: 100 })
    .toBuffer()
  expect(photo.length).toBeGreaterThan(2_000_000)
  await openProfile(page, password)
  const preview = page.getByRole('img', { name: 'Selected photo' })
  await expect(preview).toBeHidden()
  await page.getByLabel('Photo', { exact: true }).setInputFiles(file(photo, 'me.jpg'))
  await expect(preview).toBeVisible()
  await page.getByRole('button', { name: 'Upload photo' }).click()
  await expect(profilePicture(page)).toBeVisible()
  await expect(preview).toBeHidden()

  const before = await pictureUrl(page)
  // Submitted immediately, the form waits until the scaled-down copy is ready.
  await upload(page, file(photo, 'me.jpg'))
  await expect(profilePicture(page)).not.toHaveAttribute('src', before)

  await upload(page, file(Buffer.alloc(3_000_000, 'no picture '), 'me.jpg'))
  await expect(page.getByLabel('Photo', { exact: true })).toHaveAccessibleDescription(/Use a JPEG, PNG, WebP/)
})

test('the page is accessible with a picture and with a preview', async ({ page, password }) => {
  await openProfile(page, password)
  await upload(page, file(await makePng('red')))
  await expect(profilePicture(page)).toBeVisible()
  await page.getByLabel('Photo', { exact: true }).setInputFiles(file(await makePng('blue')))
  await expect(page.getByRole('img', { name: 'Selected photo' })).toBeVisible()
  await expectAccessible(page)
})

test('the page is accessible with an error, which replaces the success message of the submit before', async ({
  page,
  password,
}) => {
  await openProfile(page, password)
  await upload(page, file(await makePng('red')))
  await expect(statusMessage(page)).toBeVisible()
  await upload(page, file(Buffer.from('just text')))
  await expect(page.getByLabel('Photo', { exact: true })).toHaveAccessibleDescription(/Use a JPEG, PNG, WebP/)
  await expect(page.getByRole('main').getByRole('alert')).toBeHidden()
  await expect(statusMessage(page)).toBeHidden()
  await expectAccessible(page)
})

test('signed-in users can load it, unauthenticated callers cannot, and it is gone once the account is deleted', async ({
  page,
  password,
  browser,
  appUrl,
}) => {
  const email = await openProfile(page, password)
  await upload(page, file(await makePng('red')))
  await expect(profilePicture(page)).toBeVisible()
  const url = await pictureUrl(page)

  const context = await browser.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': randomIp() } })
  const anonymousResponse = await context.request.get(url)
  expect([anonymousResponse.status(), (await anonymousResponse.json()).code]).toEqual([401, 'unauthenticated'])

  const other = await context.newPage()
  await openProfile(other, password)
  const otherResponse = await context.request.get(url)
  expect([otherResponse.status(), otherResponse.headers()['content-type']]).toEqual([200, 'image/webp'])
  expect(otherResponse.headers()).toMatchObject({
    'cache-control': 'private, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })

  await page.goto('/account/delete')
  await page.getByLabel('Type your email').fill(email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await expect(page).toHaveURL('/signed-out')
  expect((await context.request.get(url)).status()).toBe(404)
  await context.close()
})
