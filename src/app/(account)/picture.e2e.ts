import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, expectAccessible, signIn, someAddress, test } from '../../../tests/support/journey.ts'
import { newPerson } from '../../../tests/support/person.ts'

const file = (buffer: Buffer, name = 'me.png') => ({ name, mimeType: 'image/png', buffer })
const drawn = (background: string) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .png()
    .toBuffer()
const shown = (page: Page) => page.getByRole('main').locator('form img')
const said = (page: Page) => page.getByRole('main').getByRole('status')
const inFrame = (page: Page) => page.locator('aside img')
const addressOf = async (page: Page) => (await shown(page).getAttribute('src')) ?? ''

async function enter(page: Page, password: string): Promise<string> {
  const email = await newPerson()
  await signIn(page, email, password)
  await expect(page).toHaveURL('/dashboard')
  await page.goto('/account/profile')
  return email
}

async function send(page: Page, chosen?: ReturnType<typeof file>): Promise<void> {
  if (chosen) await page.getByLabel('Picture', { exact: true }).setInputFiles(chosen)
  await page.getByRole('button', { name: 'Save picture' }).click()
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('a person gives themselves a picture, another one, and none', async ({ page, password }) => {
      await enter(page, password)
      await expect(page.getByRole('button', { name: 'Remove picture' })).toBeHidden()
      await send(page, file(await drawn('red')))
      await expect(shown(page)).toHaveAttribute('src', /^\/api\/account\/avatars\/[\w-]{36}$/)
      await expect(said(page)).toHaveText('Your picture was saved')
      await expect(page.getByLabel('Picture', { exact: true })).toHaveValue('')
      const first = await addressOf(page)
      await expect(inFrame(page)).toHaveAttribute('src', first)

      await send(page, file(await drawn('blue')))
      await expect(shown(page)).not.toHaveAttribute('src', first)
      const second = await addressOf(page)
      await expect(inFrame(page)).toHaveAttribute('src', second)
      const pixels = await sharp(await (await page.request.get(second)).body())
        .raw()
        .toBuffer()
      expect([...pixels.subarray(0, 3)].map((value) => value > 128)).toEqual([false, false, true])
      expect((await page.request.get(first)).status()).toBe(404)

      await page.getByRole('button', { name: 'Remove picture' }).click()
      await expect(said(page)).toHaveText('Your picture was removed')
      await expect(shown(page)).toHaveCount(0)
      await expect(inFrame(page)).toHaveCount(0)
      expect((await page.request.get(second)).status()).toBe(404)
    })

    test('what is no picture is refused in words, at the field', async ({ page, password }) => {
      await enter(page, password)
      const field = page.getByLabel('Picture', { exact: true })
      await send(page)
      await expect(field).toHaveAccessibleDescription(/Choose a picture/)
      await send(page, file(Buffer.from('just text'), 'me.png'))
      await expect(field).toHaveAccessibleDescription(/Use a JPEG, PNG, WebP, GIF or AVIF picture/)
      await expect(shown(page)).toHaveCount(0)
    })
  })
}

test('a photograph of many megabytes is made small in the browser, and shown before it is sent', async ({
  page,
  password,
}) => {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const photograph = await sharp({ create: { width: 1600, height: 1200, channels: 3, background: 'black', noise } })
    .jpeg({ quality: 100 })
    .toBuffer()
  expect(photograph.length).toBeGreaterThan(2_000_000)
  await enter(page, password)
  const preview = page.getByRole('img', { name: 'The picture you have chosen' })
  await expect(preview).toBeHidden()
  await page.getByLabel('Picture', { exact: true }).setInputFiles(file(photograph, 'me.jpg'))
  await expect(preview).toBeVisible()
  await page.getByRole('button', { name: 'Save picture' }).click()
  await expect(shown(page)).toBeVisible()
  await expect(preview).toBeHidden()

  const before = await addressOf(page)
  // Pressed at once, it waits until the small one is ready.
  await send(page, file(photograph, 'me.jpg'))
  await expect(shown(page)).not.toHaveAttribute('src', before)

  await send(page, file(Buffer.alloc(3_000_000, 'no picture '), 'me.jpg'))
  await expect(page.getByLabel('Picture', { exact: true })).toHaveAccessibleDescription(/Use a JPEG, PNG, WebP/)
})

test('the page is accessible with a picture and with a preview', async ({ page, password }) => {
  await enter(page, password)
  await send(page, file(await drawn('red')))
  await expect(shown(page)).toBeVisible()
  await page.getByLabel('Picture', { exact: true }).setInputFiles(file(await drawn('blue')))
  await expect(page.getByRole('img', { name: 'The picture you have chosen' })).toBeVisible()
  await expectAccessible(page)
})

test('the page is accessible with a refusal, which takes the place of what went well before', async ({
  page,
  password,
}) => {
  await enter(page, password)
  await send(page, file(await drawn('red')))
  await expect(said(page)).toBeVisible()
  await send(page, file(Buffer.from('just text')))
  await expect(page.getByRole('main').getByRole('alert')).toBeVisible()
  await expect(said(page)).toBeHidden()
  await expectAccessible(page)
})

test('others who are signed in see it, strangers do not, and nobody does once the account is deleted', async ({
  page,
  password,
  browser,
  appUrl,
}) => {
  const email = await enter(page, password)
  await send(page, file(await drawn('red')))
  await expect(shown(page)).toBeVisible()
  const address = await addressOf(page)

  const context = await browser.newContext({ baseURL: appUrl, extraHTTPHeaders: { 'x-forwarded-for': someAddress() } })
  const stranger = await context.request.get(address)
  expect([stranger.status(), (await stranger.json()).code]).toEqual([401, 'unauthenticated'])

  const other = await context.newPage()
  await enter(other, password)
  const seen = await context.request.get(address)
  expect([seen.status(), seen.headers()['content-type']]).toEqual([200, 'image/webp'])
  expect(seen.headers()).toMatchObject({
    'cache-control': 'private, max-age=31536000, immutable',
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
  })

  await page.goto('/account/delete')
  await page.getByLabel('Type your e-mail').fill(email)
  await page.getByRole('button', { name: 'Delete my account' }).click()
  await expect(page).toHaveURL('/signed-out')
  expect((await context.request.get(address)).status()).toBe(404)
  await context.close()
})
