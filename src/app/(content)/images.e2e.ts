import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { expect, expectAccessible, startSession, test } from '../../../tests/app/support/e2e-test.ts'
import { query } from '../../../tests/app/support/query.ts'
import { newBrowserPage, signInAsNewUser } from '../../../tests/app/support/sign-in.ts'
import { saveStatus } from './e2e-editor.ts'

const makePng = (background: string, width = 900, height = 600) =>
  sharp({ create: { width, height, channels: 3, background } })
    .png()
    .toBuffer()
const uniqueName = (about: string) => `${about}-${crypto.randomUUID().slice(0, 8)}`
const body = (page: Page) => page.getByLabel('Body', { exact: true })
const card = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Images' })
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name }) })

async function uploadInLibrary(page: Page, name: string, alt: string): Promise<string> {
  await page.goto('/content/images')
  await page.getByRole('link', { name: 'Upload image' }).first().click()
  await page.getByLabel('Image file').setInputFiles({ name, mimeType: 'image/png', buffer: await makePng('red') })
  await page.getByLabel('Alt text').fill(alt)
  await page.getByRole('button', { name: 'Upload image' }).click()
  await expect(page.getByText('Image uploaded.')).toBeVisible()
  const [row] = await query<{ id: string }>('select id from content_images where name = $1', [name])
  return row?.id ?? ''
}

async function createPost(page: Page, title: string): Promise<string> {
  await page.goto('/content')
  await page.getByRole('button', { name: 'New post' }).click()
  await expect(page.getByLabel('Title', { exact: true })).toHaveValue('Untitled post')
  await page.waitForLoadState()
  await page.getByLabel('Title', { exact: true }).fill(title)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
  await page.waitForLoadState()
  return new URL(page.url()).pathname
}

async function publish(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await page.getByRole('button', { name: 'Publish now' }).click()
  await expect(page.getByText('Published', { exact: true })).toBeVisible()
}

async function chooseImage(page: Page, name: string, color: string): Promise<void> {
  const opened = page.waitForEvent('filechooser')
  await page.getByRole('toolbar').getByRole('button', { name: 'Image' }).click()
  await (await opened).setFiles({ name, mimeType: 'image/png', buffer: await makePng(color) })
}

/** Pastes or drops an image into the body, as the browser does with a file. */
const give = async (page: Page, type: 'paste' | 'drop', name: string, bytes: Buffer, mimeType = 'image/png') =>
  body(page).evaluate(
    (element, given) => {
      const data = new DataTransfer()
      const content = Uint8Array.from(atob(given.base64), (character) => character.charCodeAt(0))
      data.items.add(new File([content], given.name, { type: given.mimeType }))
      const options = { bubbles: true, cancelable: true }
      element.dispatchEvent(
        given.type === 'paste'
          ? new ClipboardEvent('paste', { ...options, clipboardData: data })
          : new DragEvent('drop', { ...options, dataTransfer: data }),
      )
    },
    { type, name, mimeType, base64: bytes.toString('base64') },
  )

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled })

    test('an image is uploaded to the library, found, replaced and deleted', async ({ page, password }) => {
      await signInAsNewUser(page, password, { role: 'editor' })
      const name = `${uniqueName('harbor')}.png`
      const id = await uploadInLibrary(page, name, 'A red harbor')
      await page.getByLabel('Search images').fill(name)
      await page.getByRole('main').getByRole('button', { name: 'Search', exact: true }).click()
      await expect(card(page, name)).toContainText('A red harbor')
      await expect(card(page, name)).toContainText('900 × 600')
      await expect(card(page, name)).toContainText('Not used')
      await expect(card(page, name).locator('code')).toHaveText(`![A red harbor](/posts/images/${id})`)
      const source = (await card(page, name).locator('img').getAttribute('src')) ?? ''

      await card(page, name).getByRole('link', { name: 'Replace' }).click()
      await page
        .getByLabel('Image file')
        .setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: Buffer.from('no image') })
      await page.getByRole('button', { name: 'Replace image' }).click()
      await expect(page.getByText('We couldn’t read this image.')).toBeVisible()
      await page
        .getByLabel('Image file')
        .setInputFiles({ name: 'b.png', mimeType: 'image/png', buffer: await makePng('blue', 300, 200) })
      await page.getByRole('button', { name: 'Replace image' }).click()
      await expect(page.getByText('Image replaced.')).toBeVisible()
      await expect(card(page, name)).toContainText('300 × 200')
      await expect(card(page, name).locator('img')).not.toHaveAttribute('src', source)

      await card(page, name).getByRole('link', { name: 'Delete' }).click()
      await expect(page.getByRole('heading', { name: `Delete ${name}?` })).toBeVisible()
      if (javaScriptEnabled) await expect(page.getByRole('dialog')).toBeVisible()
      await page.getByRole('button', { name: 'Delete image' }).click()
      await expect(page.getByText('Image deleted.')).toBeVisible()
      await expect(card(page, name)).toBeHidden()
      expect(await query('select 1 from content_image_files where image_id = $1', [id])).toEqual([])
    })

    test('an image stays private until the post that embeds it is published', async ({ page, password, appUrl }) => {
      await signInAsNewUser(page, password, { role: 'editor' })
      const name = `${uniqueName('private')}.png`
      const id = await uploadInLibrary(page, name, 'A secret')
      const title = uniqueName('With a picture')
      const editorPath = await createPost(page, title)
      await body(page).fill(`![A secret](/posts/images/${id})`)
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await expect.poll(() => query('select 1 from content_image_uses where image_id = $1', [id])).toHaveLength(1)
      const [row] = await query<{ file: string }>('select file_id as file from content_images where id = $1', [id])
      const path = `/posts/images/${row?.file}/640.webp`
      const reader = await newBrowserPage(page, appUrl)
      expect((await reader.request.get(path)).status()).toBe(404)
      expect((await page.request.get(path)).status()).toBe(200)
      await page.goto('/content/images')
      await expect(card(page, name)).toContainText('Private')

      await page.goto(editorPath)
      await publish(page)
      expect((await reader.request.get(path)).status()).toBe(200)
      await reader.goto(`/posts/${title.toLowerCase().replaceAll(' ', '-')}`)
      const image = reader.getByRole('img', { name: 'A secret' })
      await expect(image).toHaveAttribute('width', '900')
      await expect(image).toHaveAttribute('srcset', /640\.webp 640w, .*900\.webp 900w$/)
      await image.scrollIntoViewIfNeeded()
      await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0)
      await page.goto('/content/images')
      await expect(card(page, name)).toContainText('Public')
      await expect(card(page, name).getByRole('link', { name: title })).toHaveAttribute('href', editorPath)
    })
  })
}

test('images are inserted into a post: chosen, pasted and dropped, each with an alt text', async ({
  page,
  password,
}) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  await createPost(page, uniqueName('Three images'))
  await body(page).fill('First.')
  await chooseImage(page, 'chosen.png', 'red')
  await page.getByRole('button', { name: 'Upload and insert' }).click()
  await expect(page.getByText('Describe the image', { exact: true })).toBeVisible()
  await page.getByLabel('Alt text for chosen.png').fill('Chosen [one]')
  await page.keyboard.press('Enter')
  const embedded = (alt: string) => `!\\[${alt}\\]\\(/posts/images/[\\w-]{36}\\)`
  const chosen = embedded('Chosen \\\\\\[one\\\\\\]')
  await expect(body(page)).toHaveValue(new RegExp(`^First\\.\n\n${chosen}\n\n$`))
  await expect(body(page)).toBeFocused()

  await give(page, 'paste', 'pasted.png', await makePng('green'))
  await page.getByLabel('Alt text for pasted.png').fill('Pasted')
  await page.getByRole('button', { name: 'Upload and insert' }).click()
  await expect(body(page)).toHaveValue(new RegExp(`${chosen}\n\n${embedded('Pasted')}\n\n$`))
  await give(page, 'drop', 'dropped.png', await makePng('blue'))
  await page.getByLabel('Alt text for dropped.png').fill('Dropped')
  await page.getByRole('button', { name: 'Upload and insert' }).click()
  await expect(body(page)).toHaveValue(new RegExp(`${embedded('Pasted')}\n\n${embedded('Dropped')}\n\n$`))

  await give(page, 'paste', 'broken.png', Buffer.from('no image'))
  await page.getByLabel('Alt text for broken.png').fill('Broken')
  await page.getByRole('button', { name: 'Upload and insert' }).click()
  await expect(page.getByText('Use a JPEG, PNG, WebP or GIF image')).toBeVisible()
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByLabel('Alt text for broken.png')).toBeHidden()

  // The text is saved as if it were typed.
  const id = new URL(page.url()).pathname.split('/').at(-1)
  await expect.poll(() => query('select 1 from content_image_uses where post_id = $1', [id])).toHaveLength(3)
})

test('an image replaces no text, can be undone, and waits for its alt text', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  await createPost(page, uniqueName('Selected text'))
  await body(page).fill('One two')
  await body(page).selectText()
  await chooseImage(page, 'first.png', 'red')
  const alt = page.getByLabel('Alt text for first.png')
  await alt.fill('First')
  await give(page, 'drop', 'second.png', await makePng('blue'))
  await expect(alt).toHaveValue('First')
  await page.keyboard.press('ControlOrMeta+s')
  await expect(saveStatus(page)).toHaveText(/^Saved/)
  await expect(alt).toHaveValue('First')
  await page.getByRole('button', { name: 'Upload and insert' }).click()
  await expect(body(page)).toHaveValue(/^One two\n\n!\[First\]\(\/posts\/images\/[\w-]{36}\)\n\n$/)
  await expect(page.getByLabel('Alt text for second.png')).toHaveValue('')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await body(page).press('ControlOrMeta+z')
  await expect(body(page)).toHaveValue('One two')

  await give(page, 'drop', 'notes.pdf', Buffer.from('%PDF'), 'application/pdf')
  await expect(page.getByRole('alert').filter({ hasText: 'Use a JPEG, PNG, WebP or GIF image.' })).toBeVisible()
  expect(new URL(page.url()).pathname).toMatch(/^\/content\//)
})

test('text that is typed while an image uploads stays, also if the post was edited in another window', async ({
  page,
  password,
}) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  const path = await createPost(page, uniqueName('A slow image'))
  await body(page).fill('Before.')
  await expect(saveStatus(page)).toHaveText(/^Saved/)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/content/images?*', async (route) => {
    await released
    await route.continue()
  })
  await chooseImage(page, 'slow.png', 'red')
  await page.getByLabel('Alt text for slow.png').fill('Slow')
  await page.getByRole('button', { name: 'Upload and insert' }).click()
  await expect(page.getByText('Uploading…')).toBeVisible()

  const other = await page.context().newPage()
  await other.goto(path)
  await body(other).fill('Another window.')
  await expect(saveStatus(other)).toHaveText(/^Saved/)
  await body(page).press('End')
  await page.keyboard.type(' Meanwhile.')
  const conflict = page.getByText('This post was edited elsewhere')
  await expect(conflict).toBeVisible()
  release()
  const whole = /^Before\. Meanwhile\.\n\n!\[Slow\]\(\/posts\/images\/[\w-]{36}\)\s*$/
  await expect(body(page)).toHaveValue(whole)
  await page.getByRole('button', { name: 'Keep mine' }).click()
  await expect(conflict).toBeHidden()
  await page.reload()
  await expect(body(page)).toHaveValue(whole)
})

test('an upload that failed can be tried again: after a lost connection, and after the session has ended', async ({
  page,
  password,
}) => {
  const email = await signInAsNewUser(page, password, { role: 'editor' })
  const path = await createPost(page, uniqueName('Tried again'))
  await body(page).fill('Before.')
  await expect(saveStatus(page)).toHaveText(/^Saved/)
  await chooseImage(page, 'again.png', 'red')
  await page.getByLabel('Alt text for again.png').fill('Again')
  const uploads = '**/api/content/images?*'
  await page.route(uploads, (route) => route.abort())
  const button = page.getByRole('button', { name: 'Upload and insert' })
  await button.click()
  await expect(page.getByText('Upload failed. Try again.')).toBeVisible()
  await page.unroute(uploads)
  await query('delete from sessions using users where user_id = users.id and email = $1', [email])
  await button.click()
  await expect(page.getByText('Sign in to continue')).toBeVisible()
  await expect(body(page)).toHaveValue('Before.')

  await startSession(page, email, password)
  await button.click()
  const whole = /^Before\.\n\n!\[Again\]\(\/posts\/images\/[\w-]{36}\)\s*$/
  await expect(body(page)).toHaveValue(whole)
  const id = path.split('/').at(-1)
  await expect.poll(() => query('select 1 from content_image_uses where post_id = $1', [id])).toHaveLength(1)
  await page.reload()
  await expect(body(page)).toHaveValue(whole)
})

test('a preview link shows the images of the draft without an account', async ({ page, password, appUrl }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  const id = await uploadInLibrary(page, `${uniqueName('preview')}.png`, 'Not public yet')
  await createPost(page, uniqueName('Preview with an image'))
  await body(page).fill(`![Not public yet](/posts/images/${id})`)
  await expect.poll(() => query('select 1 from content_image_uses where image_id = $1', [id])).toHaveLength(1)
  await page.getByRole('button', { name: 'Share preview' }).click()
  await page.getByRole('button', { name: 'Create preview link' }).click()
  const link = await page.locator('code').filter({ hasText: '/posts/preview?token=' }).innerText()
  const reader = await newBrowserPage(page, appUrl)
  await reader.goto(link)
  const image = reader.getByRole('img', { name: 'Not public yet' })
  await image.scrollIntoViewIfNeeded()
  await expect.poll(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth)).toBeGreaterThan(0)
  const path = ((await image.getAttribute('src')) ?? '').split('?')[0] ?? ''
  expect((await reader.request.get(path)).status()).toBe(404)
})

const evil = [
  '<script>window.ran = 1</script>',
  '"><img src=x onerror="window.ran = 1">',
  '" onload="window.ran = 1',
  '](javascript:window.ran=1)',
  '<svg/onload=window.ran=1>',
]

test('no script in an alt text, a file name or the metadata of an image runs', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  const mark = crypto.randomUUID().slice(0, 8)
  const buffer = await sharp(await makePng('red', 64, 64))
    .withExif({ IFD0: { Artist: evil[0] ?? '', ImageDescription: evil[1] ?? '' } })
    .jpeg()
    .toBuffer()
  const ids: string[] = []
  for (const text of evil) {
    const params = { name: `${text} ${mark}.jpg`, alt: `${text} ${mark}` }
    const response = await page.request.post(`/api/content/images?${new URLSearchParams(params)}`, { data: buffer })
    expect(response.status()).toBe(200)
    ids.push((await response.json()).id)
  }
  const title = uniqueName('Evil images')
  const editorPath = await createPost(page, title)
  const markdown = evil.flatMap((text, index) => [
    `![${text}](/posts/images/${ids[index]})`,
    `![a](/posts/images/${ids[index]} "${text}")`,
  ])
  await body(page).fill(markdown.join('\n\n'))
  await publish(page)
  for (const path of [
    `/content/images?search=${mark}`,
    `/content/images?search=${encodeURIComponent(evil[1] ?? '')}`,
    `/content/images/delete/${ids[0]}`,
    `/content/images/replace/${ids[1]}?problem=${encodeURIComponent(evil[0] ?? '')}`,
    '/content/images/new?problem=constructor',
    editorPath,
    `/posts/${title.toLowerCase().replaceAll(' ', '-')}`,
  ]) {
    await page.goto(path)
    await page.waitForLoadState('networkidle')
    expect(await page.evaluate(() => 'ran' in window), path).toBe(false)
    expect(await page.locator('main script, main svg[onload], main [onerror], main [onload]').count(), path).toBe(0)
  }
  const [row] = await query<{ file: string }>('select file_id as file from content_images where id = $1', [ids[0]])
  const file = await page.request.get(`/posts/images/${row?.file}/64.webp`)
  expect((await file.body()).includes('script')).toBe(false)
  expect(file.headers()).toMatchObject({
    'content-type': 'image/webp',
    'content-disposition': 'inline; filename="picture.webp"',
    'x-content-type-options': 'nosniff',
  })
})

test('viewers and unauthenticated callers cannot open the library', async ({ page, password }) => {
  await page.goto('/content/images')
  await expect(page).toHaveURL('/signin?callbackUrl=%2Fcontent%2Fimages')
  await signInAsNewUser(page, password, { role: 'viewer' })
  for (const path of ['/content/images', '/content/images/new', `/content/images/delete/${crypto.randomUUID()}`])
    expect((await page.goto(path))?.status()).toBe(404)
  expect((await page.request.post('/api/content/images?alt=a', { data: await makePng('red') })).status()).toBe(403)
})

test('the library is accessible, and fits a narrow screen', async ({ page, password }) => {
  await signInAsNewUser(page, password, { role: 'editor' })
  const id = await uploadInLibrary(page, `${uniqueName('narrow')}.png`, 'A boat')
  await page.setViewportSize({ width: 390, height: 800 })
  for (const path of [
    '/content/images',
    '/content/images?search=nothing-like-this',
    '/content/images/new?problem=alt',
    `/content/images/replace/${id}`,
    `/content/images/delete/${id}`,
  ]) {
    await page.goto(path)
    await expectAccessible(page)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width, path).toBeLessThanOrEqual(390)
  }
})
